//! Reads the bodies of a contact question: shapes and poses.

use glam::{DQuat, DVec2, DVec3};
use serde_json::{Map, Value};
use tumble_geometry::{GeometryError, Pose, Shape};

/// Shape types that can be asked about.
const SUPPORTED: &[&str] =
    &["sphere", "cylinder", "capsule", "cone", "tablet", "superquadric", "polyhedron", "halfspace", "disc", "polygon"];

/// A quaternion is normalised if its length is this close to 1: far more than the rounding of printed numbers, far less
/// than any wrong quaternion is off by.
const QUATERNION_LENGTH_TOLERANCE: f64 = 1e-6;

/// A planar body of a question has no thickness; with this much, area and volume are one number.
pub(super) const THICKNESS: f64 = 1.0;

/// A body of a question: a grain, or the half-space that stands for a wall.
pub(super) enum Body {
    Shape(Shape),
    HalfSpace,
}

/// A body and where it is.
pub(super) struct Placed {
    pub(super) body: Body,
    pub(super) pose: Pose,
    /// The vertices of a polyhedron or polygon as the question has them.
    pub(super) vertices: Vec<DVec3>,
}

impl Placed {
    pub(super) fn is_planar(&self) -> bool {
        match &self.body {
            Body::Shape(shape) => shape.kind().is_planar(),
            Body::HalfSpace => false,
        }
    }
}

pub(super) fn read_body(question: &Map<String, Value>, name: &str) -> Result<Placed, String> {
    let body = read_object(question.get(name), name)?;
    let shape_path = format!("{name}.shape");
    let described = read_object(body.get("shape"), &shape_path)?;
    let shape = read_shape(described, &shape_path)?;
    let vertices = match shape {
        Body::Shape(Shape::Polyhedron(_)) => read_vertices(described, &shape_path)?,
        Body::Shape(Shape::Polygon(_)) => read_corners(described, &shape_path)?.iter().map(|c| c.extend(0.0)).collect(),
        Body::Shape(_) | Body::HalfSpace => Vec::new(),
    };
    let pose_path = format!("{name}.pose");
    let pose = read_object(body.get("pose"), &pose_path)?;
    let mut placed = Placed { body: shape, pose: Pose::IDENTITY, vertices };
    placed.pose = if placed.is_planar() { read_planar_pose(pose, &pose_path)? } else { read_pose(pose, &pose_path)? };
    Ok(placed)
}

fn read_shape(shape: &Map<String, Value>, path: &str) -> Result<Body, String> {
    let supported = || SUPPORTED.join(", ");
    let kind = match shape.get("type") {
        Some(Value::String(kind)) => kind.as_str(),
        Some(other) => return Err(format!("{path}.type: expected a string, found {}", kind_of(other))),
        None => return Err(format!("{path}.type is missing; supported: {}", supported())),
    };
    let number = |key: &str| read_number(shape.get(key), &format!("{path}.{key}"));
    let radius = |key: &str| match number(key)? {
        radius if radius > 0.0 => Ok(radius),
        radius => Err(format!("{path}.{key}: a radius must be positive, found {radius}")),
    };
    let shape = match kind {
        "sphere" => Shape::sphere(radius("r")?),
        "cylinder" => Shape::cylinder(radius("r")?, 2.0 * number("h")?),
        "capsule" => Shape::capsule(radius("r")?, 2.0 * number("h")?),
        "cone" => Shape::truncated_cone(number("r1")?, number("r2")?, 2.0 * number("h")?),
        "tablet" => {
            let dome = number("dome")?;
            Shape::tablet(radius("r")?, 2.0 * (number("h")? + dome), dome)
        }
        "superquadric" => {
            let half_axes = DVec3::new(number("a")?, number("b")?, number("c")?);
            Shape::superquadric(half_axes, number("n1")?, number("n2")?)
        }
        "polyhedron" => read_polyhedron(shape, path)?,
        "halfspace" => return Ok(Body::HalfSpace),
        "disc" => Shape::disc(radius("r")?, THICKNESS),
        "polygon" => Shape::polygon(&read_corners(shape, path)?, THICKNESS),
        unknown => return Err(format!("{path}.type: unknown shape `{unknown}`; supported: {}", supported())),
    };
    shape.map(Body::Shape).map_err(|error| format!("{path}: {error}"))
}

fn read_vertices(shape: &Map<String, Value>, path: &str) -> Result<Vec<DVec3>, String> {
    let vertices = read_points::<3>(shape.get("vertices"), &format!("{path}.vertices"))?;
    Ok(vertices.into_iter().map(DVec3::from_array).collect())
}

fn read_corners(shape: &Map<String, Value>, path: &str) -> Result<Vec<DVec2>, String> {
    let corners = read_points::<2>(shape.get("vertices"), &format!("{path}.vertices"))?;
    Ok(corners.into_iter().map(DVec2::from_array).collect())
}

fn read_polyhedron(shape: &Map<String, Value>, path: &str) -> Result<Result<Shape, GeometryError>, String> {
    let vertices = read_vertices(shape, path)?;
    let Some(faces) = shape.get("faces") else {
        return Ok(Shape::polyhedron(&vertices));
    };
    let faces_path = format!("{path}.faces");
    let faces = read_list(Some(faces), &faces_path)?;
    let read_face = |(index, face): (usize, &Value)| {
        let path = format!("{faces_path}[{index}]");
        let corners = read_list(Some(face), &path)?.iter().enumerate();
        corners
            .map(|(place, corner)| {
                let number = corner.as_u64().and_then(|number| u32::try_from(number).ok());
                number.ok_or_else(|| format!("{path}[{place}]: expected the number of a vertex, found {corner}"))
            })
            .collect()
    };
    let faces: Result<Vec<Vec<u32>>, String> = faces.iter().enumerate().map(read_face).collect();
    Ok(Shape::polyhedron_from_faces(&vertices, &faces?))
}

fn read_pose(pose: &Map<String, Value>, path: &str) -> Result<Pose, String> {
    let [x, y, z] = read_array(pose.get("position"), &format!("{path}.position"))?;
    let quaternion_path = format!("{path}.quaternion");
    let [qw, qx, qy, qz] = read_array(pose.get("quaternion"), &quaternion_path)?;
    let orientation = DQuat::from_xyzw(qx, qy, qz, qw);
    let length = orientation.length();
    if length == 0.0 {
        return Err(format!("{quaternion_path}: a zero quaternion has no direction; [1, 0, 0, 0] is no rotation"));
    }
    if (length - 1.0).abs() > QUATERNION_LENGTH_TOLERANCE {
        return Err(format!(
            "{quaternion_path}: expected a unit quaternion [w, x, y, z], found one of length {length}"
        ));
    }
    Ok(Pose::new(DVec3::new(x, y, z), orientation.normalize()))
}

fn read_planar_pose(pose: &Map<String, Value>, path: &str) -> Result<Pose, String> {
    let [x, y] = read_array(pose.get("position"), &format!("{path}.position"))?;
    let angle = read_number(pose.get("angle"), &format!("{path}.angle"))?;
    Ok(Pose::new(DVec3::new(x, y, 0.0), DQuat::from_rotation_z(angle)))
}

fn read_list<'a>(value: Option<&'a Value>, path: &str) -> Result<&'a [Value], String> {
    match value {
        Some(Value::Array(items)) => Ok(items),
        Some(other) => Err(format!("{path}: expected an array, found {}", kind_of(other))),
        None => Err(format!("{path} is missing; expected an array")),
    }
}

fn read_points<const N: usize>(value: Option<&Value>, path: &str) -> Result<Vec<[f64; N]>, String> {
    let items = read_list(value, path)?.iter().enumerate();
    items.map(|(index, item)| read_array(Some(item), &format!("{path}[{index}]"))).collect()
}

fn read_object<'a>(value: Option<&'a Value>, path: &str) -> Result<&'a Map<String, Value>, String> {
    match value {
        Some(Value::Object(object)) => Ok(object),
        Some(other) => Err(format!("{path}: expected an object, found {}", kind_of(other))),
        None => Err(format!("{path} is missing")),
    }
}

fn read_array<const N: usize>(value: Option<&Value>, path: &str) -> Result<[f64; N], String> {
    let items = match value {
        Some(Value::Array(items)) => items,
        Some(other) => return Err(format!("{path}: expected an array of {N} numbers, found {}", kind_of(other))),
        None => return Err(format!("{path} is missing; expected an array of {N} numbers")),
    };
    if items.len() != N {
        return Err(format!("{path}: expected {N} numbers, found {}", items.len()));
    }
    let mut numbers = [0.0; N];
    for (index, (number, item)) in numbers.iter_mut().zip(items).enumerate() {
        *number = read_number(Some(item), &format!("{path}[{index}]"))?;
    }
    Ok(numbers)
}

fn read_number(value: Option<&Value>, path: &str) -> Result<f64, String> {
    match value {
        Some(Value::Number(number)) => match number.as_f64() {
            Some(x) if x.is_finite() => Ok(x),
            _ => Err(format!("{path}: expected a finite number, found {number}")),
        },
        Some(other) => Err(format!("{path}: expected a number, found {}", kind_of(other))),
        None => Err(format!("{path} is missing; expected a number")),
    }
}

pub(super) fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}
