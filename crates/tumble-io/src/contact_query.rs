//! Contact questions and answers: one JSON object a line, in and out.
//!
//! A question places two bodies:
//!
//! ```json
//! {"id": "1", "A": {"shape": {"type": "sphere", "r": 0.5}, "pose": {"position": [0, 0, 0.4], "quaternion": [1, 0, 0, 0]}},
//!             "B": {"shape": {"type": "halfspace"}, "pose": {"position": [0, 0, 0], "quaternion": [1, 0, 0, 0]}}}
//! ```
//!
//! Quaternions are w, x, y, z. A half-space is everything with local z <= 0. Unknown fields are ignored. The answer
//! holds, in world coordinates, the verdict, the signed separation, the unit normal from A to B, a witness point on
//! each body, and volume, centroid and surface area of the common region (null when apart). A question that cannot be
//! answered yields `{"id": ..., "error": ...}`, with a null id when it could not be read.

use glam::{DQuat, DVec3};
use serde::Serialize;
use serde_json::{Map, Value};
use tumble_geometry::narrow::{contact, contact_surface};
use tumble_geometry::overlap::{overlap, overlap_half_space};
use tumble_geometry::{Contact, OverlapRegion, Pose, Shape, Sphere, Surface};

/// Shape types that can be asked about.
const SUPPORTED: &[&str] = &["sphere", "halfspace"];

/// Shape types of the question format that this version does not know yet.
const LATER: &[&str] = &["cylinder", "superquadric", "polyhedron", "disc", "polygon"];

/// A quaternion is normalised if its length is this close to 1: far more than the rounding of printed numbers, far less
/// than any wrong quaternion is off by.
const QUATERNION_LENGTH_TOLERANCE: f64 = 1e-6;

/// A way of answering contact questions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Method {
    /// Its name on the command line and in answers.
    pub name: &'static str,
    /// What it does.
    pub description: &'static str,
}

/// Every method, the default first.
pub fn methods() -> &'static [Method] {
    &[Method { name: "exact", description: "closed form, correct to rounding" }]
}

/// What became of one question.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Answer {
    /// It was answered.
    Contact(ContactAnswer),
    /// It could not be.
    Error(ErrorAnswer),
}

/// The contact between the bodies A and B of a question, in world coordinates.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ContactAnswer {
    /// The question's id.
    pub id: Value,
    /// Whether the bodies share interior points.
    pub overlap: bool,
    /// Signed distance: gap > 0, penetration < 0.
    pub separation: f64,
    /// Unit normal, from A to B.
    pub normal: [f64; 3],
    /// Witness point on A.
    pub point_a: [f64; 3],
    /// Witness point on B.
    pub point_b: [f64; 3],
    /// Volume of the common region; `None` when apart.
    pub volume: Option<f64>,
    /// Centroid of the common region; `None` when apart.
    pub centroid: Option<[f64; 3]>,
    /// Surface area of the common region; `None` when apart.
    pub surface_area: Option<f64>,
    /// The method that found it.
    pub method: &'static str,
    /// Whether the method vouches for the answer.
    pub converged: bool,
}

/// Why a question could not be answered.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ErrorAnswer {
    /// The question's id; null when it could not be read.
    pub id: Value,
    /// The reason: which field, what was found, what would be right.
    pub error: String,
}

impl Answer {
    /// Whether the question could not be answered.
    pub fn is_error(&self) -> bool {
        matches!(self, Answer::Error(_))
    }

    /// The answer as one line of JSON, without the line's end.
    pub fn to_json(&self) -> String {
        // Plain structs of numbers and strings: there is nothing in them that JSON cannot say.
        serde_json::to_string(self).unwrap_or_else(|error| format!(r#"{{"id":null,"error":"{error}"}}"#))
    }
}

/// Answers one line. `method` is one of [`methods`], or `None` for the default.
pub fn answer_line(line: &str, method: Option<&str>) -> Answer {
    let question: Value = match serde_json::from_str(line) {
        Ok(question) => question,
        Err(error) => return refuse(id_of_broken(line), format!("not a line of JSON: {error}")),
    };
    let Value::Object(question) = question else {
        return refuse(Value::Null, format!("a question is a JSON object, found {}", kind_of(&question)));
    };
    let id = match question.get("id") {
        None | Some(Value::Null) => Value::Null,
        Some(id @ (Value::String(_) | Value::Number(_))) => id.clone(),
        Some(other) => return refuse(Value::Null, format!("id: expected a string, found {}", kind_of(other))),
    };
    match answer_question(&question, method) {
        Ok(answer) => Answer::Contact(ContactAnswer { id, ..answer }),
        Err(error) => refuse(id, error),
    }
}

/// The id of a line that is no JSON, if it begins with one: many programs write NaN and infinity into what they call JSON,
/// and whoever asked wants to know which question it was.
fn id_of_broken(line: &str) -> Value {
    let after = |text: &'_ str, start: &str| text.trim_start().strip_prefix(start).map(str::len);
    let mut rest = line;
    for start in ["{", "\"id\"", ":"] {
        let Some(n_left) = after(rest, start) else { return Value::Null };
        rest = &rest[rest.len() - n_left..];
    }
    match serde_json::Deserializer::from_str(rest).into_iter().next() {
        Some(Ok(id @ (Value::String(_) | Value::Number(_)))) => id,
        _ => Value::Null,
    }
}

fn refuse(id: Value, error: String) -> Answer {
    Answer::Error(ErrorAnswer { id, error })
}

/// A body of a question: a grain, or the half-space that stands for a wall.
enum Body {
    Shape(Shape),
    HalfSpace,
}

/// The contact and common region of two placed bodies; the id is left empty.
fn answer_question(question: &Map<String, Value>, method: Option<&str>) -> Result<ContactAnswer, String> {
    let default = methods()[0];
    let name = method.unwrap_or(default.name);
    let Some(method) = methods().iter().find(|known| known.name == name) else {
        let names: Vec<&str> = methods().iter().map(|known| known.name).collect();
        return Err(format!("unknown method `{name}`; known methods: {}", names.join(", ")));
    };
    let (body_a, pose_a) = read_body(question, "A")?;
    let (body_b, pose_b) = read_body(question, "B")?;
    let (contact, region) = match (&body_a, &body_b) {
        (Body::Shape(a), Body::Shape(b)) => {
            let pose_ab = pose_a.relative(&pose_b);
            let contact = contact(a, b, &pose_ab).unwrap_or_else(|failure| failure.best);
            (to_world(&contact, &pose_a), overlap(a, b, &pose_ab).map(|region| region.transformed(&pose_a)))
        }
        (Body::Shape(shape), Body::HalfSpace) => shape_and_half_space(shape, &pose_a, &pose_b)?,
        (Body::HalfSpace, Body::Shape(shape)) => {
            let (contact, region) = shape_and_half_space(shape, &pose_b, &pose_a)?;
            (turned_round(&contact), region)
        }
        (Body::HalfSpace, Body::HalfSpace) => {
            return Err("A and B are both of type `halfspace`; at least one must be a grain".to_string());
        }
    };
    let region = region.filter(|_| contact.separation < 0.0);
    let numbers = [contact.normal, contact.point_a, contact.point_b, region.map_or(DVec3::ZERO, |r| r.centroid)];
    let measures = region.map_or(0.0, |r| r.volume + r.surface_area);
    if !(contact.separation.is_finite() && measures.is_finite() && numbers.iter().all(|v| v.is_finite())) {
        return Err("the numbers are too large: the answer does not fit a double".to_string());
    }
    Ok(ContactAnswer {
        id: Value::Null,
        overlap: contact.separation < 0.0,
        separation: contact.separation,
        normal: contact.normal.to_array(),
        point_a: contact.point_a.to_array(),
        point_b: contact.point_b.to_array(),
        volume: region.map(|r| r.volume),
        centroid: region.map(|r| r.centroid.to_array()),
        surface_area: region.map(|r| r.surface_area),
        method: method.name,
        converged: true,
    })
}

/// The contact from a shape to a half-space, and their common region, in world coordinates.
fn shape_and_half_space(
    shape: &Shape,
    shape_pose: &Pose,
    plane_pose: &Pose,
) -> Result<(Contact, Option<OverlapRegion>), String> {
    let seen_from_plane = plane_pose.relative(shape_pose);
    let mut contacts = Vec::with_capacity(1);
    contact_surface(shape, &Surface::HalfSpace, &seen_from_plane, f64::INFINITY, &mut contacts);
    // A half-space is always within an infinite margin, unless a number has overflowed.
    let found = contacts.first().ok_or("the numbers are too large: the answer does not fit a double")?;
    let contact = Contact {
        normal: found.normal,
        separation: found.separation,
        point_a: found.point_on_grain(),
        point_b: found.point,
    };
    let region = overlap_half_space(shape, &seen_from_plane).map(|region| region.transformed(plane_pose));
    Ok((to_world(&contact, plane_pose), region))
}

/// A contact taken to the frame in which its own frame has a pose.
fn to_world(contact: &Contact, pose: &Pose) -> Contact {
    Contact {
        normal: pose.transform_vector(contact.normal).normalize(),
        separation: contact.separation,
        point_a: pose.transform_point(contact.point_a),
        point_b: pose.transform_point(contact.point_b),
    }
}

/// The same contact with the bodies' names exchanged.
fn turned_round(contact: &Contact) -> Contact {
    Contact {
        normal: -contact.normal,
        separation: contact.separation,
        point_a: contact.point_b,
        point_b: contact.point_a,
    }
}

fn read_body(question: &Map<String, Value>, name: &str) -> Result<(Body, Pose), String> {
    let body = read_object(question.get(name), name)?;
    let shape_path = format!("{name}.shape");
    let shape = read_shape(read_object(body.get("shape"), &shape_path)?, &shape_path)?;
    let pose_path = format!("{name}.pose");
    let pose = read_pose(read_object(body.get("pose"), &pose_path)?, &pose_path)?;
    Ok((shape, pose))
}

fn read_shape(shape: &Map<String, Value>, path: &str) -> Result<Body, String> {
    let supported = || SUPPORTED.join(", ");
    let kind = match shape.get("type") {
        Some(Value::String(kind)) => kind.as_str(),
        Some(other) => return Err(format!("{path}.type: expected a string, found {}", kind_of(other))),
        None => return Err(format!("{path}.type is missing; supported: {}", supported())),
    };
    match kind {
        "sphere" => {
            let radius = read_number(shape.get("r"), &format!("{path}.r"))?;
            if radius <= 0.0 {
                return Err(format!("{path}.r: a radius must be positive, found {radius}"));
            }
            Ok(Body::Shape(Shape::Sphere(Sphere { radius })))
        }
        "halfspace" => Ok(Body::HalfSpace),
        later if LATER.contains(&later) => {
            Err(format!("{path}.type: `{later}` is not supported yet; supported: {}", supported()))
        }
        unknown => Err(format!("{path}.type: unknown shape `{unknown}`; supported: {}", supported())),
    }
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

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}
