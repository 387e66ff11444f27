//! The same questions for coal, a library in C++: a program of its own (`coal/answer.cpp`) answers them and times itself,
//! told by a pipe what to do. It is asked in turn with the other solvers, so that all see the same machine.

use crate::sets::{Body, Set};
use glam::DVec3;
use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Write};
use std::ops::Range;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// What coal is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// Contacts only: for bodies apart it may stop once it knows that they are.
    Contact,
    /// The distance of bodies apart too.
    Distance,
}

impl Asked {
    /// Both, in the order of the table.
    pub const ALL: [Asked; 2] = [Asked::Contact, Asked::Distance];

    /// Its name to the program.
    pub fn name(self) -> &'static str {
        match self {
            Asked::Contact => "contact",
            Asked::Distance => "distance",
        }
    }
}

/// The program that asks coal, running.
pub struct Coal {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Coal {
    /// Starts the program that `coal/build` made.
    pub fn start(program: &Path) -> Result<Coal, String> {
        let mut child = Command::new(program)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("{}: {error}", program.display()))?;
        match (child.stdin.take(), child.stdout.take()) {
            (Some(input), Some(output)) => Ok(Coal { child, input, output: BufReader::new(output) }),
            _ => Err("coal has no pipes".to_string()),
        }
    }

    /// Hands over a set, which the questions that follow are about.
    pub fn take(&mut self, set: &Set) -> Result<(), String> {
        self.send(&description(set))
    }

    /// CPU nanoseconds for so many passes over some pairs.
    pub fn nanoseconds(&mut self, asked: Asked, pairs: Range<usize>, passes: usize) -> Result<f64, String> {
        self.send(&order(asked, pairs, passes))?;
        let line = self.line()?;
        line.trim().parse().map_err(|error| format!("coal answered `{}`: {error}", line.trim()))
    }

    /// The answers to all `count` pairs: separation and unit normal in the frame of a, `None` for "apart".
    pub fn answers(&mut self, asked: Asked, count: usize) -> Result<Vec<Option<(f64, DVec3)>>, String> {
        self.send(&format!("answer {}\n", asked.name()))?;
        (0..count).map(|_| self.line().and_then(|line| answer(line.trim()))).collect()
    }

    fn send(&mut self, text: &str) -> Result<(), String> {
        self.input.write_all(text.as_bytes()).map_err(|error| format!("coal: {error}"))
    }

    fn line(&mut self) -> Result<String, String> {
        let mut line = String::new();
        match self.output.read_line(&mut line) {
            Ok(0) => Err("coal has stopped".to_string()),
            Ok(_) => Ok(line),
            Err(error) => Err(format!("coal: {error}")),
        }
    }
}

impl Drop for Coal {
    fn drop(&mut self) {
        // It only waits for orders; one that has already ended needs no killing.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The order to answer some pairs so many times and to say how long it took.
pub fn order(asked: Asked, pairs: Range<usize>, passes: usize) -> String {
    format!("time {} {} {} {passes}\n", asked.name(), pairs.start, pairs.end)
}

/// A set in the words of the program. Numbers are written such that reading gives the same bits.
pub fn description(set: &Set) -> String {
    let mut text = format!("set {} {} {}\n", words(&set.body_a), words(&set.body_b), set.pairs.len());
    for pair in &set.pairs {
        let ([x, y, z], q) = (pair.pose_ab.position.to_array(), pair.pose_ab.orientation);
        let _ = writeln!(text, "{x:e} {y:e} {z:e} {:e} {:e} {:e} {:e}", q.w, q.x, q.y, q.z);
    }
    text
}

fn words(body: &Body) -> String {
    let triple = |[x, y, z]: &[f64; 3]| format!("{x:e} {y:e} {z:e}");
    match body {
        Body::Sphere(radius) => format!("sphere {radius:e}"),
        Body::Cylinder(radius, height) => format!("cylinder {radius:e} {height:e}"),
        Body::Ellipsoid(axes) => format!("ellipsoid {}", triple(axes)),
        Body::Hull(vertices, faces) => {
            if let Some(half) = half_lengths(vertices) {
                return format!("box {}", triple(&half));
            }
            let triangles: Vec<String> = faces
                .iter()
                .flat_map(|f| (1..f.len() - 1).map(|k| format!("{} {} {}", f[0], f[k], f[k + 1])))
                .collect();
            let points: Vec<String> = vertices.iter().map(triple).collect();
            format!("hull {} {} {} {}", points.len(), triangles.len(), points.join(" "), triangles.join(" "))
        }
    }
}

/// Half the lengths of the sides if the vertices are those of a box about the origin: coal has a shape for it, with a
/// formula of its own against a sphere.
fn half_lengths(vertices: &[[f64; 3]]) -> Option<[f64; 3]> {
    let half = vertices.first()?.map(f64::abs);
    (vertices.len() == 8 && vertices.iter().all(|vertex| vertex.map(f64::abs) == half)).then_some(half)
}

fn answer(line: &str) -> Result<Option<(f64, DVec3)>, String> {
    if line == "apart" {
        return Ok(None);
    }
    let numbers: Result<Vec<f64>, _> = line.split(' ').map(str::parse).collect();
    match numbers.as_deref() {
        Ok(&[separation, x, y, z]) => Ok(Some((separation, DVec3::new(x, y, z)))),
        _ => Err(format!("coal answered `{line}`")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sets;

    #[test]
    fn bodies_are_described_in_the_words_of_the_program() {
        assert_eq!(words(&Body::Cylinder(1.0, 0.05)), "cylinder 1e0 5e-2");
        let sets = sets::read("cube").unwrap();
        let cubes = sets.iter().find(|set| set.name == "cube_cube_pen").unwrap();
        assert!(words(&cubes.body_a).starts_with("box 5.77"));
        let tetrahedron = Body::Hull(
            vec![[1.0, 1.0, 1.0], [1.0, -1.0, -1.0], [-1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]],
            vec![vec![0, 1, 2], vec![0, 3, 1], vec![0, 2, 3], vec![1, 3, 2]],
        );
        let text = words(&tetrahedron);
        assert!(text.starts_with("hull 4 4 1e0 1e0 1e0 "));
        assert_eq!(text.split(' ').count(), 3 + 4 * 3 + 4 * 3);
    }

    #[test]
    fn numbers_keep_their_bits() {
        let sets = sets::read("degcyl1").unwrap();
        let text = description(&sets[0]);
        for (line, pair) in text.lines().skip(1).zip(&sets[0].pairs) {
            let numbers: Vec<f64> = line.split(' ').map(|word| word.parse().unwrap()).collect();
            let ([x, y, z], q) = (pair.pose_ab.position.to_array(), pair.pose_ab.orientation);
            assert_eq!(numbers, [x, y, z, q.w, q.x, q.y, q.z]);
        }
        assert_eq!(text.lines().count(), 1 + sets[0].pairs.len());
    }

    #[test]
    fn answers_are_read() {
        assert_eq!(answer("apart"), Ok(None));
        assert_eq!(answer("-1e-3 0 0 1"), Ok(Some((-1e-3, DVec3::Z))));
        assert!(answer("-nan 0 0 1").unwrap().unwrap().0.is_nan());
        assert!(answer("1 2 3").is_err());
        assert!(answer("").is_err());
    }
}
