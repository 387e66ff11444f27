//! Triangle meshes from files: STL (text and binary) and OBJ.
//!
//! Text is read in double precision; a binary STL holds single precision and nothing better can be had from it.
//! Vertices at exactly the same place become one, so that triangles know their neighbours. Triangles without area
//! (two corners the same, or all on one line) have no normal; they are left out and counted.
//!
//! A binary STL may begin with the word "solid", and a text STL need not end with a line feed, so the two are told
//! apart by length: a binary file is exactly as long as its triangle count says.

use glam::DVec3;
use std::collections::HashMap;
use tumble_geometry::tolerance::DEGENERATE_TRIANGLE;

/// Triangles with shared corners, as a file gave them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MeshFile {
    /// Corners, in units of the file.
    pub vertices: Vec<DVec3>,
    /// Three corner numbers each.
    pub triangles: Vec<[u32; 3]>,
    /// How many triangles were left out because they have no area.
    pub n_degenerate: usize,
}

/// Why a mesh file cannot be read.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MeshFileError {
    /// The name says neither STL nor OBJ.
    #[error("cannot tell the format of {name:?} from its name: it should end in .stl or .obj")]
    UnknownFormat {
        /// The file.
        name: String,
    },
    /// Something is wrong on a line of a text file.
    #[error("line {line}: {what}")]
    Line {
        /// Line, counted from 1.
        line: usize,
        /// What is wrong and what would be right.
        what: String,
    },
    /// Something is wrong at a byte of a binary file.
    #[error("byte {byte}: {what}")]
    Byte {
        /// Byte, counted from 0.
        byte: usize,
        /// What is wrong and what would be right.
        what: String,
    },
    /// The file holds no triangles.
    #[error("the file holds no triangles")]
    Empty,
}

/// Reads a mesh; the format comes from the end of the name.
pub fn read_mesh(name: &str, bytes: &[u8]) -> Result<MeshFile, MeshFileError> {
    let lower = name.to_lowercase();
    let mesh = if lower.ends_with(".stl") {
        if looks_like_text_stl(bytes) { read_text_stl(bytes)? } else { read_binary_stl(bytes)? }
    } else if lower.ends_with(".obj") {
        read_obj(bytes)?
    } else {
        return Err(MeshFileError::UnknownFormat { name: name.to_string() });
    };
    if mesh.triangles.is_empty() { Err(MeshFileError::Empty) } else { Ok(mesh) }
}

/// Collects triangles and makes equal vertices one.
#[derive(Default)]
struct Collector {
    mesh: MeshFile,
    // Only looked up, never iterated: the order of vertices is that of the file.
    seen: HashMap<[u64; 3], u32>,
}

impl Collector {
    fn vertex(&mut self, v: DVec3) -> u32 {
        // Adding 0 turns -0 into 0, which is the same place.
        let key = [v.x, v.y, v.z].map(|x| (x + 0.0).to_bits());
        let next = self.mesh.vertices.len() as u32;
        *self.seen.entry(key).or_insert_with(|| {
            self.mesh.vertices.push(v + DVec3::ZERO);
            next
        })
    }

    fn triangle(&mut self, corners: [DVec3; 3]) {
        let [a, b, c] = corners;
        let longest = a.distance(b).max(b.distance(c)).max(c.distance(a));
        // The height over the longest edge, as a fraction of it; not a number if all corners are one point.
        let height = ((b - a) / longest).cross((c - a) / longest).length();
        if height > DEGENERATE_TRIANGLE {
            let triangle = corners.map(|v| self.vertex(v));
            self.mesh.triangles.push(triangle);
        } else {
            self.mesh.n_degenerate += 1;
        }
    }
}

const HEADER: usize = 84;
const RECORD: usize = 50;

fn announced_triangles(bytes: &[u8]) -> Option<usize> {
    let count: [u8; 4] = bytes.get(80..84)?.try_into().ok()?;
    Some(u32::from_le_bytes(count) as usize)
}

fn looks_like_text_stl(bytes: &[u8]) -> bool {
    if announced_triangles(bytes).is_some_and(|n| n.checked_mul(RECORD).is_some_and(|b| b + HEADER == bytes.len())) {
        return false;
    }
    let start = bytes.iter().take_while(|b| b.is_ascii_whitespace()).count();
    bytes[start..].len() >= 5
        && bytes[start..start + 5].eq_ignore_ascii_case(b"solid")
        && !bytes.iter().take(1024).any(|&b| b == 0)
}

fn read_binary_stl(bytes: &[u8]) -> Result<MeshFile, MeshFileError> {
    let Some(n_triangles) = announced_triangles(bytes) else {
        let what = format!("the file ends here; a binary STL has a header of {HEADER} bytes");
        return Err(MeshFileError::Byte { byte: bytes.len(), what });
    };
    let needed = n_triangles.saturating_mul(RECORD).saturating_add(HEADER);
    if bytes.len() != needed {
        let what = format!(
            "the header announces {n_triangles} triangles, which take {needed} bytes, but the file has {} bytes{}",
            bytes.len(),
            if bytes.len() < needed { ": it was cut short" } else { "" },
        );
        return Err(MeshFileError::Byte { byte: 80, what });
    }
    let mut collector = Collector::default();
    for (i, record) in bytes[HEADER..].chunks_exact(RECORD).enumerate() {
        let number = |k: usize| {
            let at = 12 + 4 * k;
            f64::from(f32::from_le_bytes([record[at], record[at + 1], record[at + 2], record[at + 3]]))
        };
        let corners = [0, 3, 6].map(|k| DVec3::new(number(k), number(k + 1), number(k + 2)));
        if corners.iter().any(|v| !v.is_finite()) {
            let what = format!("a vertex of triangle {i} is not finite");
            return Err(MeshFileError::Byte { byte: HEADER + i * RECORD, what });
        }
        collector.triangle(corners);
    }
    Ok(collector.mesh)
}

fn text_lines(bytes: &[u8]) -> Result<&str, MeshFileError> {
    std::str::from_utf8(bytes).map_err(|e| {
        let line = bytes[..e.valid_up_to()].iter().filter(|&&b| b == b'\n').count() + 1;
        MeshFileError::Line { line, what: "this is not text".into() }
    })
}

fn number(word: Option<&str>, line: usize) -> Result<f64, MeshFileError> {
    let Some(word) = word else {
        return Err(MeshFileError::Line { line, what: "a vertex wants three numbers".into() });
    };
    match word.parse::<f64>() {
        Ok(x) if x.is_finite() => Ok(x),
        _ => Err(MeshFileError::Line { line, what: format!("found {word:?} where a finite number should be") }),
    }
}

fn read_text_stl(bytes: &[u8]) -> Result<MeshFile, MeshFileError> {
    let text = text_lines(bytes)?;
    let mut collector = Collector::default();
    let mut corners: Vec<DVec3> = Vec::new();
    let (mut in_facet, mut in_solid, mut last) = (false, false, 1);
    for (i, content) in text.lines().enumerate() {
        let line = i + 1;
        last = line;
        let fail = |what: String| Err(MeshFileError::Line { line, what });
        let mut words = content.split_whitespace();
        let Some(first) = words.next() else { continue };
        match first.to_ascii_lowercase().as_str() {
            "solid" => in_solid = true,
            "facet" if in_facet => return fail("a facet begins before the last one ended".into()),
            "facet" => in_facet = true,
            "vertex" if !in_facet => return fail("a vertex outside a facet".into()),
            "vertex" => {
                let v =
                    DVec3::new(number(words.next(), line)?, number(words.next(), line)?, number(words.next(), line)?);
                if words.next().is_some() {
                    return fail("a vertex wants three numbers".into());
                }
                corners.push(v);
            }
            "outer" | "endloop" => {}
            "endfacet" => {
                let &[a, b, c] = corners.as_slice() else {
                    return fail(format!("a facet with {} vertices; it wants 3", corners.len()));
                };
                collector.triangle([a, b, c]);
                corners.clear();
                in_facet = false;
            }
            "endsolid" => in_solid = false,
            _ => return fail(format!("found {first:?}; a text STL has facet, outer, vertex, endloop, endfacet")),
        }
    }
    if in_solid || in_facet {
        return Err(MeshFileError::Line {
            line: last,
            what: "the file ends before `endsolid`: it was cut short".into(),
        });
    }
    Ok(collector.mesh)
}

fn read_obj(bytes: &[u8]) -> Result<MeshFile, MeshFileError> {
    let text = text_lines(bytes)?;
    let mut vertices: Vec<DVec3> = Vec::new();
    let mut collector = Collector::default();
    for (i, content) in text.lines().enumerate() {
        let line = i + 1;
        let fail = |what: String| Err(MeshFileError::Line { line, what });
        let mut words = content.split('#').next().unwrap_or("").split_whitespace();
        match words.next() {
            Some("v") => {
                // More numbers may follow (a weight, a colour); they say nothing about the place.
                let v =
                    DVec3::new(number(words.next(), line)?, number(words.next(), line)?, number(words.next(), line)?);
                vertices.push(v);
            }
            Some("f") => {
                let mut corners = Vec::new();
                for word in words {
                    let index = word.split('/').next().unwrap_or("");
                    let Ok(index) = index.parse::<i64>() else {
                        return fail(format!("found {word:?} where a vertex number should be"));
                    };
                    let place = if index > 0 { index - 1 } else { vertices.len() as i64 + index };
                    match usize::try_from(place).ok().filter(|_| index != 0).and_then(|p| vertices.get(p)) {
                        Some(v) => corners.push(*v),
                        None => {
                            let n = vertices.len();
                            return fail(format!("vertex {index} does not exist; {n} were given so far"));
                        }
                    }
                }
                if corners.len() < 3 {
                    return fail(format!("a face with {} vertices; it wants at least 3", corners.len()));
                }
                for k in 1..corners.len() - 1 {
                    collector.triangle([corners[0], corners[k], corners[k + 1]]);
                }
            }
            // Texture, normals, groups, materials, lines and points do not shape the surface.
            _ => {}
        }
    }
    Ok(collector.mesh)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use proptest::test_runner::RngSeed;

    const SQUARE_STL: &str = "solid square\n facet normal 0 0 1\n  outer loop\n   vertex 0 0 0\n   vertex 1 0 0\n   \
        vertex 1 1 0\n  endloop\n endfacet\n facet normal 0 0 1\n  outer loop\n   vertex 0 0 -0.0\n   vertex 1 1 0\n   \
        vertex 0 1.5e0 0\n  endloop\n endfacet\nendsolid square";

    fn binary(triangles: &[[[f32; 3]; 3]]) -> Vec<u8> {
        let mut bytes = b"solid but binary all the same".to_vec();
        bytes.resize(80, 0);
        bytes.extend((triangles.len() as u32).to_le_bytes());
        for t in triangles {
            bytes.extend([0; 12]);
            t.iter().flatten().for_each(|x| bytes.extend(x.to_le_bytes()));
            bytes.extend([0; 2]);
        }
        bytes
    }

    #[test]
    fn text_and_binary_stl_and_obj_give_the_same_square() {
        let expected = MeshFile {
            vertices: vec![
                DVec3::new(0.0, 0.0, 0.0),
                DVec3::new(1.0, 0.0, 0.0),
                DVec3::new(1.0, 1.0, 0.0),
                DVec3::new(0.0, 1.5, 0.0),
            ],
            triangles: vec![[0, 1, 2], [0, 2, 3]],
            n_degenerate: 0,
        };
        let square = [[[0., 0., 0.], [1., 0., 0.], [1., 1., 0.]], [[-0., 0., 0.], [1., 1., 0.], [0., 1.5, 0.]]];
        let obj = "# square\nv 0 0 0\nv 1 0 0 1.0\nvt 0 0\nv 1 1 0\nv 0 1.5 0\no a\nf 1/1 2/1/3 3//2 -1\n";
        assert_eq!(read_mesh("a.stl", SQUARE_STL.as_bytes()), Ok(expected.clone()));
        assert_eq!(read_mesh("A.STL", &binary(&square)), Ok(expected.clone()));
        assert_eq!(read_mesh("a.obj", obj.as_bytes()), Ok(expected));
    }

    #[test]
    fn a_file_cut_short_anywhere_is_refused() {
        let whole = binary(&[[[0., 0., 0.], [1., 0., 0.], [1., 1., 0.]]]);
        for end in 0..whole.len() {
            assert!(read_mesh("a.stl", &whole[..end]).is_err(), "{end} bytes of {} were read", whole.len());
        }
        // A text file may lose its last word, "endsolid" alone is an end.
        let enough = SQUARE_STL.find("endsolid").unwrap() + "endsolid".len();
        for end in 0..enough {
            assert!(read_mesh("a.stl", &SQUARE_STL.as_bytes()[..end]).is_err(), "{end} bytes were read");
        }
    }

    #[test]
    fn errors_name_the_line() {
        let says = |name: &str, text: &str| read_mesh(name, text.as_bytes()).unwrap_err().to_string();
        assert_eq!(says("a.obj", "v 0 0 0\nv 1 0 x\n"), "line 2: found \"x\" where a finite number should be");
        assert_eq!(says("a.obj", "v 0 0 0\nf 1 2 3\n"), "line 2: vertex 2 does not exist; 1 were given so far");
        assert_eq!(says("a.obj", "v 0 0 0\nv 0 0 1\nf 1 2\n"), "line 3: a face with 2 vertices; it wants at least 3");
        assert_eq!(says("a.obj", "v 0 0 nan\n"), "line 1: found \"nan\" where a finite number should be");
        assert_eq!(says("a.obj", "v 0 0 0\nf 0 0 0\n"), "line 2: vertex 0 does not exist; 1 were given so far");
        assert_eq!(says("a.obj", "# nothing\n"), "the file holds no triangles");
        assert_eq!(says("a.stl", "solid a\nvertex 0 0 0\n"), "line 2: a vertex outside a facet");
        assert_eq!(
            says("a.ply", ""),
            "cannot tell the format of \"a.ply\" from its name: it should end in .stl or .obj"
        );
    }

    #[test]
    fn triangles_without_area_are_counted() {
        let mesh =
            read_mesh("a.obj", b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 3 0 0\nf 1 2 2\nf 1 2 4\nf 1 1 1\nf 1 2 3\n").unwrap();
        assert_eq!((mesh.triangles.len(), mesh.n_degenerate), (1, 3));
    }

    proptest! {
        #![proptest_config(ProptestConfig { rng_seed: RngSeed::Fixed(1), failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300), text in "\\PC{0,200}") {
            let _ = read_mesh("a.stl", &bytes);
            let _ = read_mesh("a.obj", &bytes);
            let _ = read_mesh("a.obj", text.as_bytes());
            let _ = read_mesh("a.stl", format!("solid {text}").as_bytes());
        }
    }
}
