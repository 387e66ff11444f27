//! The sets of pairs in data/: what is asked, and the true answers.

use glam::{DQuat, DVec3};
use std::path::{Path, PathBuf};
use tumble_geometry::oracle::Sequence;
use tumble_geometry::{Cylinder, Polyhedron, Pose, Shape, Sphere, Superquadric};

/// Numbers of one pair in a file.
const NUMBERS: usize = 18;

/// Angle by which the true normal is disturbed before it serves as a warm start [rad]: what a fast grain turns by in a
/// step.
const DISTURBANCE: f64 = 1e-3;

/// A body of a set, in the words of its file.
#[derive(Clone, Debug)]
pub enum Body {
    /// Radius.
    Sphere(f64),
    /// Radius and full height along z.
    Cylinder(f64, f64),
    /// Half axes.
    Ellipsoid([f64; 3]),
    /// Vertices, and faces counter-clockwise.
    Hull(Vec<[f64; 3]>, Vec<Vec<u32>>),
}

impl Body {
    /// The body as Tumble has it. An ellipsoid is the superquadric of exponents 2.
    pub fn shape(&self) -> Shape {
        match self {
            Body::Sphere(radius) => Shape::Sphere(Sphere { radius: *radius }),
            Body::Cylinder(radius, height) => Shape::Cylinder(Cylinder { radius: *radius, half_height: 0.5 * height }),
            Body::Ellipsoid(axes) => {
                Shape::Superquadric(Superquadric { semi_axes: DVec3::from_array(*axes), n1: 2.0, n2: 2.0 })
            }
            Body::Hull(vertices, faces) => Shape::Polyhedron(Polyhedron::from_trusted_faces(
                vertices.iter().map(|v| DVec3::from_array(*v)).collect(),
                faces.clone(),
            )),
        }
    }

    /// A polyhedron.
    pub fn hull(polyhedron: &Polyhedron) -> Body {
        Body::Hull(
            polyhedron.vertices().iter().map(|v| v.to_array()).collect(),
            polyhedron.faces().iter().map(|face| face.vertices.clone()).collect(),
        )
    }

    /// The body of a name among those of the sets.
    pub fn named(name: &str) -> Result<Body, String> {
        Body::read(&directory().join("shapes").join(format!("{name}.txt")))
    }

    fn read(path: &Path) -> Result<Body, String> {
        let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
        let mut words = text.split_whitespace();
        let kind = words.next().unwrap_or_default();
        let mut numbers = words.map(|word| word.parse::<f64>().map_err(|error| format!("{}: {error}", path.display())));
        let mut next = || numbers.next().unwrap_or_else(|| Err(format!("{} ends too early", path.display())));
        match kind {
            "sphere" => Ok(Body::Sphere(next()?)),
            "cylinder" => Ok(Body::Cylinder(next()?, next()?)),
            "ellipsoid" => Ok(Body::Ellipsoid([next()?, next()?, next()?])),
            "hull" => {
                let (n_vertices, n_faces) = (next()? as usize, next()? as usize);
                let vertices =
                    (0..n_vertices).map(|_| Ok([next()?, next()?, next()?])).collect::<Result<_, String>>()?;
                let faces = (0..n_faces)
                    .map(|_| {
                        let n_corners = next()? as usize;
                        (0..n_corners).map(|_| Ok(next()? as u32)).collect::<Result<_, String>>()
                    })
                    .collect::<Result<_, String>>()?;
                Ok(Body::Hull(vertices, faces))
            }
            other => Err(format!("{}: unknown shape `{other}`", path.display())),
        }
    }
}

/// One question and its true answer.
#[derive(Clone, Copy, Debug)]
pub struct Pair {
    /// b seen from a.
    pub pose_ab: Pose,
    /// True separation [m].
    pub separation: f64,
    /// A true unit normal, in a's frame.
    pub normal: DVec3,
    /// The normal slightly disturbed, as a warm start.
    pub guess: DVec3,
}

impl Pair {
    /// The question with its answer; the guess comes from random numbers.
    pub fn new(pose_ab: Pose, separation: f64, normal: DVec3, random: &mut Sequence) -> Pair {
        let guess = (normal + DISTURBANCE * random.direction().cross(normal)).normalize();
        Pair { pose_ab, separation, normal, guess }
    }
}

/// Pairs of two bodies.
pub struct Set {
    /// Name of the set, and of its file if it has one.
    pub name: String,
    /// The first body of every pair.
    pub body_a: Body,
    /// The second body of every pair.
    pub body_b: Body,
    /// The pairs.
    pub pairs: Vec<Pair>,
}

/// Where the sets are.
pub fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("data")
}

/// All sets, in the order of their names; only those whose name contains `part`.
pub fn read(part: &str) -> Result<Vec<Set>, String> {
    let directory = directory();
    let manifest = directory.join("manifest.txt");
    let text = std::fs::read_to_string(&manifest).map_err(|error| format!("{}: {error}", manifest.display()))?;
    let mut sets = Vec::new();
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [name, a, b, count] = words[..] else {
            return Err(format!("{}: expected `set shape shape count`, found `{line}`", manifest.display()));
        };
        if !name.contains(part) {
            continue;
        }
        let count: usize = count.parse().map_err(|error| format!("{}: {count}: {error}", manifest.display()))?;
        let pairs = read_pairs(&directory.join(format!("{name}.bin")), count)?;
        sets.push(Set { name: name.to_string(), body_a: Body::named(a)?, body_b: Body::named(b)?, pairs });
    }
    sets.sort_by(|x, y| x.name.cmp(&y.name));
    Ok(sets)
}

fn read_pairs(path: &Path, count: usize) -> Result<Vec<Pair>, String> {
    let bytes = std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let numbers: Vec<f64> = bytes.as_chunks().0.iter().map(|chunk| f64::from_le_bytes(*chunk)).collect();
    if numbers.len() != count * NUMBERS {
        return Err(format!("{} holds {} numbers, not {}", path.display(), numbers.len(), count * NUMBERS));
    }
    let mut random = Sequence::new(1);
    let (rows, _) = numbers.as_chunks::<NUMBERS>();
    Ok(rows
        .iter()
        .map(|row| {
            let pose = |n: &[f64]| {
                Pose::new(DVec3::new(n[0], n[1], n[2]), DQuat::from_xyzw(n[4], n[5], n[6], n[3]).normalize())
            };
            let (pose_a, pose_b) = (pose(&row[0..7]), pose(&row[7..14]));
            let normal = pose_a.inverse_transform_vector(DVec3::new(row[15], row[16], row[17]));
            Pair::new(pose_a.relative(&pose_b), row[14], normal, &mut random)
        })
        .collect())
}
