//! The PolyData file itself: XML that names the arrays, and the arrays appended to it as compressed bytes.
//!
//! Format: VTK XML version 1.0, appended raw data, zlib in blocks, 64-bit headers, little endian. An appended array
//! is: number of blocks, length of a whole block, length of the last block if it is not whole (else 0), compressed
//! length of each block, then the blocks.
//!
//! Nothing is kept in memory but one block: the numbers are drawn from iterators when the file is written, and places
//! and lengths that are known only afterwards are filled in behind.

use super::escaped;
use crate::atomic_file;
use crate::file_error::FileError;
use flate2::Compression;
use flate2::write::ZlibEncoder;
use glam::DVec3;
use std::fmt::Write as _;
use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;

/// Length of a block before compression [bytes].
const BLOCK_LENGTH: usize = 1 << 18;

/// Width of an offset in the XML: enough for a thousand terabytes.
const OFFSET_WIDTH: usize = 15;

/// A number that VTK knows.
pub(super) trait Number: Copy {
    /// Its name in VTK.
    const VTK_TYPE: &'static str;
    /// Its length [bytes].
    const LENGTH: usize = size_of::<Self>();
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

/// Draws the numbers of an array, as bytes, into a sink.
type Draw<'a> = Box<dyn FnOnce(&mut Blocks) -> io::Result<()> + 'a>;

struct Array<'a> {
    /// The attributes of its `DataArray` element.
    attributes: String,
    /// Length before compression [bytes].
    length: usize,
    draw: Draw<'a>,
}

/// A file that can be written to and gone back in.
trait Target: Write + Seek {}
impl<T: Write + Seek> Target for T {}

/// Compresses bytes in blocks as they come.
struct Blocks<'a> {
    file: &'a mut dyn Target,
    block: Vec<u8>,
    lengths: Vec<u64>,
}

impl Blocks<'_> {
    fn push(&mut self, number: impl Number) -> io::Result<()> {
        number.push_to(&mut self.block);
        if self.block.len() >= BLOCK_LENGTH { self.end_block() } else { Ok(()) }
    }

    fn end_block(&mut self) -> io::Result<()> {
        // Level 1: on floating-point numbers higher levels cost much and gain little.
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(&self.block)?;
        let compressed = encoder.finish()?;
        self.file.write_all(&compressed)?;
        self.lengths.push(compressed.len() as u64);
        self.block.clear();
        Ok(())
    }
}

/// An iterator of a length that is known though its type does not tell it.
struct Counted<I> {
    items: I,
    left: usize,
}

impl<I: Iterator> Iterator for Counted<I> {
    type Item = I::Item;

    fn next(&mut self) -> Option<I::Item> {
        self.left = self.left.saturating_sub(1);
        self.items.next()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl<I: Iterator> ExactSizeIterator for Counted<I> {}

impl<'a> Array<'a> {
    fn new<T: Number + 'a, const N: usize>(
        name: &str,
        tuples: impl ExactSizeIterator<Item = [T; N]> + 'a,
        more_attributes: &str,
    ) -> Array<'a> {
        Array {
            attributes: format!(
                "type=\"{}\" Name=\"{}\" NumberOfComponents=\"{N}\"{more_attributes}",
                T::VTK_TYPE,
                escaped(name)
            ),
            length: tuples.len() * N * T::LENGTH,
            draw: Box::new(move |blocks| {
                for tuple in tuples {
                    tuple.into_iter().try_for_each(|number| blocks.push(number))?;
                }
                Ok(())
            }),
        }
    }

    /// Appends the array: a table of blocks, and the blocks.
    fn write(self, file: &mut dyn Target) -> io::Result<()> {
        // A block is whole numbers long, so the blocks end where the length says.
        let table = [self.length.div_ceil(BLOCK_LENGTH), BLOCK_LENGTH, self.length % BLOCK_LENGTH];
        let n_blocks = table[0];
        let start = file.stream_position()?;
        file.write_all(&vec![0; 8 * (table.len() + n_blocks)])?;
        let mut blocks =
            Blocks { file, block: Vec::with_capacity(BLOCK_LENGTH), lengths: Vec::with_capacity(n_blocks) };
        (self.draw)(&mut blocks)?;
        if !blocks.block.is_empty() {
            blocks.end_block()?;
        }
        let lengths = blocks.lengths;
        let mut bytes = Vec::new();
        table.into_iter().map(|number| number as u64).chain(lengths).for_each(|number| number.push_to(&mut bytes));
        let end = file.stream_position()?;
        file.seek(SeekFrom::Start(start))?;
        file.write_all(&bytes)?;
        file.seek(SeekFrom::Start(end))?;
        Ok(())
    }
}

/// A PolyData file in the making.
pub(super) struct PolyData<'a> {
    n_points: usize,
    points: Array<'a>,
    point_data: Vec<Array<'a>>,
    cells: Cells<'a>,
    cell_data: Vec<Array<'a>>,
    field_data: Vec<Array<'a>>,
}

/// The cells of a file: all of one kind.
struct Cells<'a> {
    kind: &'static str,
    count: usize,
    connectivity: Array<'a>,
    offsets: Array<'a>,
}

impl<'a> PolyData<'a> {
    /// Points, each with a vertex that makes it visible.
    pub(super) fn of_vertices(points: impl ExactSizeIterator<Item = DVec3> + 'a) -> PolyData<'a> {
        let n = points.len();
        let cells = Cells {
            kind: "Verts",
            count: n,
            connectivity: Array::new("connectivity", (0..n).map(|i| [i as i64]), ""),
            offsets: Array::new("offsets", (0..n).map(|i| [i as i64 + 1]), ""),
        };
        PolyData::new(points, cells)
    }

    /// Polygons over points, each a list of corner numbers.
    pub(super) fn of_polygons(points: &'a [DVec3], polygons: &[Vec<usize>]) -> PolyData<'a> {
        let corners: Vec<[i64; 1]> = polygons.iter().flatten().map(|&corner| [corner as i64]).collect();
        let ends: Vec<[i64; 1]> = polygons
            .iter()
            .scan(0, |end, polygon| {
                *end += polygon.len() as i64;
                Some([*end])
            })
            .collect();
        let cells = Cells {
            kind: "Polys",
            count: polygons.len(),
            connectivity: Array::new("connectivity", corners.into_iter(), ""),
            offsets: Array::new("offsets", ends.into_iter(), ""),
        };
        PolyData::new(points.iter().copied(), cells)
    }

    /// So many triangles over so many points, each three corner numbers.
    pub(super) fn of_triangles(
        n_points: usize,
        points: impl Iterator<Item = DVec3> + 'a,
        n_triangles: usize,
        triangles: impl Iterator<Item = [i64; 3]> + 'a,
    ) -> PolyData<'a> {
        let corners = Counted { items: triangles.flatten().map(|corner| [corner]), left: 3 * n_triangles };
        let cells = Cells {
            kind: "Polys",
            count: n_triangles,
            connectivity: Array::new("connectivity", corners, ""),
            offsets: Array::new("offsets", (0..n_triangles).map(|i| [3 * (i as i64 + 1)]), ""),
        };
        PolyData::new(Counted { items: points, left: n_points }, cells)
    }

    fn new(points: impl ExactSizeIterator<Item = DVec3> + 'a, cells: Cells<'a>) -> PolyData<'a> {
        PolyData {
            n_points: points.len(),
            points: Array::new("Points", points.map(|p| p.to_array()), ""),
            point_data: Vec::new(),
            cells,
            cell_data: Vec::new(),
            field_data: Vec::new(),
        }
    }

    /// Adds an array with one tuple a point.
    pub(super) fn point_data<T: Number + 'a, const N: usize>(
        &mut self,
        name: &str,
        tuples: impl ExactSizeIterator<Item = [T; N]> + 'a,
    ) {
        self.point_data.push(Array::new(name, tuples, ""));
    }

    /// As [`Self::point_data`], with a name for each component.
    pub(super) fn named_point_data<T: Number + 'a, const N: usize>(
        &mut self,
        name: &str,
        components: [&str; N],
        tuples: impl ExactSizeIterator<Item = [T; N]> + 'a,
    ) {
        let names: String =
            components.iter().enumerate().map(|(i, name)| format!(" ComponentName{i}=\"{}\"", escaped(name))).collect();
        self.point_data.push(Array::new(name, tuples, &names));
    }

    /// Adds an array with one number a cell.
    pub(super) fn cell_data<T: Number + 'a>(&mut self, name: &str, values: impl ExactSizeIterator<Item = T> + 'a) {
        self.cell_data.push(Array::new(name, values.map(|value| [value]), ""));
    }

    /// As [`Self::cell_data`], with so many numbers.
    pub(super) fn cell_data_of<T: Number + 'a>(
        &mut self,
        name: &str,
        n_cells: usize,
        values: impl Iterator<Item = T> + 'a,
    ) {
        self.cell_data(name, Counted { items: values, left: n_cells });
    }

    /// Adds a number that belongs to the file as a whole.
    pub(super) fn field<T: Number + 'a>(&mut self, name: &str, value: T) {
        self.field_data.push(Array::new(name, [[value]].into_iter(), " NumberOfTuples=\"1\""));
    }

    /// Writes the file, all of it or nothing.
    pub(super) fn write(self, path: &Path) -> Result<(), FileError> {
        atomic_file::replace(path, |file| self.write_to(file))
    }

    fn write_to(self, file: &mut dyn Target) -> io::Result<()> {
        let mut xml = String::from(
            "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" \
             header_type=\"UInt64\" compressor=\"vtkZLibDataCompressor\">\n<PolyData>\n",
        );
        let mut appended: Vec<(usize, Array)> = Vec::new();
        // Names the arrays in the XML, with room for their offsets. Writing to a String cannot fail.
        let mut element = |xml: &mut String, name: &str, arrays: Vec<Array<'a>>| {
            let _ = writeln!(xml, "<{name}>");
            for array in arrays {
                let _ = write!(xml, "<DataArray {} format=\"appended\" offset=\"", array.attributes);
                appended.push((xml.len(), array));
                let _ = writeln!(xml, "{:OFFSET_WIDTH$}\"/>", 0);
            }
            let _ = writeln!(xml, "</{name}>");
        };
        let Cells { kind, count, connectivity, offsets } = self.cells;
        let counts: String = ["Verts", "Lines", "Strips", "Polys"]
            .into_iter()
            .map(|other| format!(" NumberOf{other}=\"{}\"", if other == kind { count } else { 0 }))
            .collect();
        element(&mut xml, "FieldData", self.field_data);
        let _ = writeln!(xml, "<Piece NumberOfPoints=\"{}\"{counts}>", self.n_points);
        element(&mut xml, "PointData", self.point_data);
        element(&mut xml, "CellData", self.cell_data);
        element(&mut xml, "Points", vec![self.points]);
        element(&mut xml, kind, vec![connectivity, offsets]);
        xml.push_str("</Piece>\n</PolyData>\n<AppendedData encoding=\"raw\">\n_");

        file.write_all(xml.as_bytes())?;
        let start = file.stream_position()?;
        let mut places = Vec::new();
        for (place, array) in appended {
            places.push((place, file.stream_position()? - start));
            array.write(file)?;
        }
        file.write_all(b"\n</AppendedData>\n</VTKFile>\n")?;
        for (place, offset) in places {
            file.seek(SeekFrom::Start(place as u64))?;
            write!(file, "{offset:OFFSET_WIDTH$}")?;
        }
        Ok(())
    }
}
