//! The PolyData file itself: XML that names the arrays, and the arrays appended to it as compressed bytes.
//!
//! Format: VTK XML version 1.0, appended raw data, zlib in blocks, 64-bit headers, little endian. An appended array
//! is: number of blocks, length of a whole block, length of the last block if it is not whole (else 0), compressed
//! length of each block, then the blocks.

use super::escaped;
use crate::atomic_file;
use crate::file_error::FileError;
use flate2::Compression;
use flate2::write::ZlibEncoder;
use glam::DVec3;
use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::Path;

/// Length of a block before compression [bytes].
const BLOCK_LENGTH: usize = 1 << 18;

/// A number that VTK knows.
pub(super) trait Number: Copy {
    /// Its name in VTK.
    const VTK_TYPE: &'static str;
    /// Appends its little-endian bytes.
    fn push_to(self, bytes: &mut Vec<u8>);
}

macro_rules! number {
    ($($type:ty => $name:literal),*) => {$(
        impl Number for $type {
            const VTK_TYPE: &'static str = $name;
            fn push_to(self, bytes: &mut Vec<u8>) {
                bytes.extend(self.to_le_bytes());
            }
        }
    )*};
}
number!(u8 => "UInt8", u16 => "UInt16", u32 => "UInt32", u64 => "UInt64", i64 => "Int64", f64 => "Float64");

struct Array {
    /// The attributes of its `DataArray` element.
    attributes: String,
    /// What is appended: block table and compressed blocks.
    data: Vec<u8>,
}

fn compressed(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let blocks: Vec<Vec<u8>> = bytes
        .chunks(BLOCK_LENGTH)
        .map(|block| {
            // Level 1: on floating-point numbers higher levels cost much and gain little.
            let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
            encoder.write_all(block)?;
            encoder.finish()
        })
        .collect::<io::Result<_>>()?;
    let table = [blocks.len(), BLOCK_LENGTH, bytes.len() % BLOCK_LENGTH];
    let mut data = Vec::new();
    table.into_iter().chain(blocks.iter().map(Vec::len)).for_each(|number| (number as u64).push_to(&mut data));
    blocks.iter().for_each(|block| data.extend(block));
    Ok(data)
}

/// A PolyData file in the making.
pub(super) struct PolyData {
    n_points: usize,
    points: Array,
    point_data: Vec<Array>,
    cells: Cells,
    cell_data: Vec<Array>,
    field_data: Vec<Array>,
}

/// The cells of a file: all of one kind.
struct Cells {
    kind: &'static str,
    count: usize,
    connectivity: Array,
    offsets: Array,
}

fn array<T: Number, const N: usize>(
    name: &str,
    tuples: impl IntoIterator<Item = [T; N]>,
    more_attributes: &str,
) -> io::Result<Array> {
    let mut bytes = Vec::new();
    tuples.into_iter().flatten().for_each(|number| number.push_to(&mut bytes));
    let attributes =
        format!("type=\"{}\" Name=\"{}\" NumberOfComponents=\"{N}\"{more_attributes}", T::VTK_TYPE, escaped(name));
    Ok(Array { attributes, data: compressed(&bytes)? })
}

impl PolyData {
    /// Points, each with a vertex that makes it visible.
    pub(super) fn of_vertices(points: &[DVec3]) -> io::Result<PolyData> {
        let n = points.len() as i64;
        let cells = Cells {
            kind: "Verts",
            count: points.len(),
            connectivity: array("connectivity", (0..n).map(|i| [i]), "")?,
            offsets: array("offsets", (1..=n).map(|i| [i]), "")?,
        };
        PolyData::new(points, cells)
    }

    /// Polygons over points, each a list of corner numbers.
    pub(super) fn of_polygons(points: &[DVec3], polygons: &[Vec<usize>]) -> io::Result<PolyData> {
        let ends = polygons.iter().scan(0, |end, polygon| {
            *end += polygon.len() as i64;
            Some([*end])
        });
        let cells = Cells {
            kind: "Polys",
            count: polygons.len(),
            connectivity: array("connectivity", polygons.iter().flatten().map(|&corner| [corner as i64]), "")?,
            offsets: array("offsets", ends, "")?,
        };
        PolyData::new(points, cells)
    }

    fn new(points: &[DVec3], cells: Cells) -> io::Result<PolyData> {
        Ok(PolyData {
            n_points: points.len(),
            points: array("Points", points.iter().map(|p| p.to_array()), "")?,
            point_data: Vec::new(),
            cells,
            cell_data: Vec::new(),
            field_data: Vec::new(),
        })
    }

    /// Adds an array with one tuple a point.
    pub(super) fn point_data<T: Number, const N: usize>(
        &mut self,
        name: &str,
        tuples: impl IntoIterator<Item = [T; N]>,
    ) -> io::Result<()> {
        self.point_data.push(array(name, tuples, "")?);
        Ok(())
    }

    /// As [`Self::point_data`], with a name for each component.
    pub(super) fn named_point_data<T: Number, const N: usize>(
        &mut self,
        name: &str,
        components: [&str; N],
        tuples: impl IntoIterator<Item = [T; N]>,
    ) -> io::Result<()> {
        let names: String =
            components.iter().enumerate().map(|(i, name)| format!(" ComponentName{i}=\"{}\"", escaped(name))).collect();
        self.point_data.push(array(name, tuples, &names)?);
        Ok(())
    }

    /// Adds an array with one number a cell.
    pub(super) fn cell_data<T: Number>(&mut self, name: &str, values: impl IntoIterator<Item = T>) -> io::Result<()> {
        self.cell_data.push(array(name, values.into_iter().map(|value| [value]), "")?);
        Ok(())
    }

    /// Adds a number that belongs to the file as a whole.
    pub(super) fn field<T: Number>(&mut self, name: &str, value: T) -> io::Result<()> {
        self.field_data.push(array(name, [[value]], " NumberOfTuples=\"1\"")?);
        Ok(())
    }

    /// Writes the file, all of it or nothing.
    pub(super) fn write(&self, path: &Path) -> Result<(), FileError> {
        atomic_file::replace(path, |file| self.write_to(file))
    }

    fn write_to<'a>(&'a self, file: &mut impl Write) -> io::Result<()> {
        let mut xml = String::from(
            "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" \
             header_type=\"UInt64\" compressor=\"vtkZLibDataCompressor\">\n<PolyData>\n",
        );
        let mut appended: Vec<&[u8]> = Vec::new();
        let mut offset = 0;
        // Names the arrays in the XML and lines their bytes up in the same order. Writing to a String cannot fail.
        let mut element = |xml: &mut String, name: &str, arrays: &[&'a Array]| {
            let _ = writeln!(xml, "<{name}>");
            for array in arrays {
                let attributes = &array.attributes;
                let _ = writeln!(xml, "<DataArray {attributes} format=\"appended\" offset=\"{offset}\"/>");
                offset += array.data.len();
                appended.push(&array.data);
            }
            let _ = writeln!(xml, "</{name}>");
        };
        let Cells { kind, count, connectivity, offsets } = &self.cells;
        let counts: String = ["Verts", "Lines", "Strips", "Polys"]
            .iter()
            .map(|other| format!(" NumberOf{other}=\"{}\"", if other == kind { *count } else { 0 }))
            .collect();
        element(&mut xml, "FieldData", &self.field_data.iter().collect::<Vec<_>>());
        let _ = writeln!(xml, "<Piece NumberOfPoints=\"{}\"{counts}>", self.n_points);
        element(&mut xml, "PointData", &self.point_data.iter().collect::<Vec<_>>());
        element(&mut xml, "CellData", &self.cell_data.iter().collect::<Vec<_>>());
        element(&mut xml, "Points", &[&self.points]);
        element(&mut xml, kind, &[connectivity, offsets]);
        xml.push_str("</Piece>\n</PolyData>\n<AppendedData encoding=\"raw\">\n_");

        file.write_all(xml.as_bytes())?;
        appended.into_iter().try_for_each(|data| file.write_all(data))?;
        file.write_all(b"\n</AppendedData>\n</VTKFile>\n")
    }
}
