//! Contact questions and answers: one JSON object a line, in and out.
//!
//! A question places two bodies:
//!
//! ```json
//! {"id": "1", "A": {"shape": {"type": "sphere", "r": 0.5}, "pose": {"position": [0, 0, 0.4], "quaternion": [1, 0, 0, 0]}},
//!             "B": {"shape": {"type": "halfspace"}, "pose": {"position": [0, 0, 0], "quaternion": [1, 0, 0, 0]}}}
//! ```
//!
//! Quaternions are w, x, y, z. Unknown fields are ignored. The shapes, each in its own frame:
//!
//! | type | parameters |
//! |---|---|
//! | `sphere` | `r` |
//! | `cylinder` | `r`, `h`: half the height; the axis is z |
//! | `capsule` | `r`, `h`: half the distance of the centres of its round ends; the axis is z |
//! | `cone` | `r1`, `r2`: radii of the lower and the upper end, `h`: half the height; the axis is z, the origin the centre of volume |
//! | `superquadric` | `a`, `b`, `c`, `n1`, `n2` |
//! | `polyhedron` | `vertices`, `faces`: lists of vertex numbers, counter-clockwise seen from outside; without `faces` the hull is taken |
//! | `halfspace` | none: everything with local z <= 0 |
//! | `disc` | `r`, planar |
//! | `polygon` | `vertices`: convex, in order; planar |
//!
//! A planar body has the pose `{"position": [x, y], "angle": a}`; both bodies must be planar then, and the vectors of the
//! answer have two components.
//!
//! The answer holds, in world coordinates, the verdict, the signed separation, the unit normal from A to B, a witness
//! point on each body, and volume, centroid and surface area of the common region (null when apart); of planar bodies
//! `volume` is the area they share and `surface_area` its perimeter. A region that was not found to 1e-7 has an estimate of its relative
//! error besides (`region_error`), which is absent otherwise. A question that cannot be answered yields
//! `{"id": ..., "error": ...}`, with a null id when it could not be read.
//!
//! With a common plane (`cundall`, `liu`) the answer also says what touches it (`contact_kind`), whether that shares a point seen
//! along the normal (`common_point`), how often the plane was tilted (`iterations`) and what ended the search (`ended_by`).
//! With the cases of Peng & Hanley (`peng-hanley`, `peng-hanley-guarded`) it says which it was (`case`, by the paper's number or null, and
//! `ended_by`) and how often the search went from one face to another (`face_switches`).
//! With the midway point (`midway`) it says where that is (`midway_point`) and how many steps of Newton's iteration led there (`iterations`).
//!
//! If the patch is asked for ([`Way::patch`]), of polyhedra, polygons and half-spaces, the answer has it as [`PatchAnswer`]: what the faces
//! that look at each other have in common, with `corners`, `area`, `centroid` and `second_moments`; null where they do not lie over each other.
//! Other shapes have none, and are refused.
//!
//! Bodies are met as they are, as runs meet them, with flat ends and straight sides that give way ([`Way::gives_way`]), or with a crown
//! ([`Way::crown`]); the answer tells which. The common region of bodies that give way or bulge is not known.

mod bodies;
mod patch;
mod write;

pub use patch::{FeatureAnswer, PatchAnswer, PatchCornerAnswer};
pub use write::question;

use bodies::{Body, THICKNESS, kind_of, read_body};
use glam::DVec3;
use patch::patch_of;
use serde::Serialize;
use serde_json::{Map, Value};
use tumble_geometry::common_plane::{CommonPlaneChoices, CommonPlaneContact, EndedBy, contact_common_plane};
use tumble_geometry::feng::{FengChoices, FengContact, contact_feng_shapes};
use tumble_geometry::midway::{Midway, contact_midway};
use tumble_geometry::narrow::{
    ContactMethod, YieldedSurface, YieldingBody, contact_bodies_by, contact_body_surface, contact_by, contact_yielding,
    contact_yielding_surface,
};
use tumble_geometry::overlap::{Unresolved, overlap, overlap_half_space};
use tumble_geometry::peng_hanley::{PengHanley, PengHanleyContact, Verdict, contact_peng_hanley};
use tumble_geometry::{Contact, ContactBody, OverlapRegion, Pose, Shape, Surface};

/// Every method, the default first.
pub fn methods() -> &'static [ContactMethod] {
    &ContactMethod::ALL
}

/// How questions are answered.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Way<'a> {
    /// The name of one of [`methods`]; the default if there is none.
    pub method: Option<&'a str>,
    /// Whether flat ends and straight sides of bodies of revolution give way, as runs meet them by default.
    pub gives_way: bool,
    /// By how much they bulge instead, over half of their smaller width, as runs meet them by their deepest points; zero for the
    /// shapes as they are.
    pub crown: f64,
    /// What of the method of Feng, Han and Owen is used, where it is that.
    pub choices: FengChoices,
    /// What of a common plane is used, where the method has one.
    pub plane: CommonPlaneChoices,
    /// Whether the answer is to have the patch.
    pub patch: bool,
}

impl<'a> Way<'a> {
    /// The shapes as they are, by the default method.
    pub const PLAIN: Way<'static> = Way {
        method: None,
        gives_way: false,
        crown: 0.0,
        choices: FengChoices::NONE,
        plane: CommonPlaneChoices::NONE,
        patch: false,
    };

    /// The shapes as they are, by a method.
    pub fn by(method: &'a str) -> Way<'a> {
        Way { method: Some(method), ..Way::PLAIN }
    }

    /// The method with what was chosen of it, or why there is none.
    pub fn contact_method(&self) -> Result<ContactMethod, String> {
        let name = self.method.unwrap_or(ContactMethod::default().name());
        let Some(method) = methods().iter().find(|known| known.name() == name) else {
            let names: Vec<&str> = methods().iter().map(|known| known.name()).collect();
            return Err(format!("unknown method `{name}`; known methods: {}", names.join(", ")));
        };
        let method = method.with(&self.choices).map_err(|refused| refused.to_string())?;
        method.with_plane(&self.plane).map_err(|refused| refused.to_string())
    }
}

/// What became of one question.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Answer {
    /// It was answered.
    Contact(Box<ContactAnswer>),
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
    /// Unit normal, from A to B; like all vectors here of three components, or two if the bodies are planar.
    pub normal: Vec<f64>,
    /// Witness point on A.
    pub point_a: Vec<f64>,
    /// Witness point on B.
    pub point_b: Vec<f64>,
    /// Volume of the common region, of planar bodies its area; `None` when apart or not known.
    pub volume: Option<f64>,
    /// Centroid of the common region; `None` when apart or not known.
    pub centroid: Option<Vec<f64>>,
    /// Surface area of the common region, of planar bodies its perimeter; `None` when apart or not known.
    pub surface_area: Option<f64>,
    /// Estimate of the relative error of the common region if it was not found to the tolerance; absent otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub region_error: Option<f64>,
    /// The method that found it: `exact` where the one asked for says nothing of such a pair.
    pub method: &'static str,
    /// The larger crown of the two bodies: zero for shapes as they are, and for those that have nothing flat and round.
    pub crown: f64,
    /// Whether one of the bodies has given way: the separation is then minus the depth that the law of a run has.
    pub gives_way: bool,
    /// Whether the method vouches for the answer. A common plane ends its search, and its gap may still not be the largest.
    pub converged: bool,
    /// How a common plane was found; absent from answers that were found otherwise.
    #[serde(flatten)]
    pub common_plane: Option<CommonPlaneAnswer>,
    /// What flat faces press on each other with; absent unless asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub patch: Option<Option<PatchAnswer>>,
    /// Which case of Peng & Hanley it was; absent from answers that were found otherwise.
    #[serde(flatten)]
    pub cases: Option<CasesAnswer>,
    /// How a midway point was found; absent from answers that were found otherwise.
    #[serde(flatten)]
    pub midway: Option<MidwayAnswer>,
}

/// Which case of Peng & Hanley it was.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CasesAnswer {
    /// The paper's number of the case; null for what its chart leaves open.
    pub case: Option<u32>,
    /// How the search ended, such as `edge`.
    pub ended_by: &'static str,
    /// How often it went from one face to another.
    pub face_switches: usize,
}

impl CasesAnswer {
    fn of(found: &PengHanleyContact) -> CasesAnswer {
        let PengHanleyContact { ending, face_switches, .. } = *found;
        CasesAnswer { case: ending.case(), ended_by: ending.name(), face_switches }
    }
}

/// How a midway point was found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MidwayAnswer {
    /// The point where both bodies have the same, least level.
    pub midway_point: Vec<f64>,
    /// Steps of Newton's iteration.
    pub iterations: usize,
}

/// How a common plane was found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CommonPlaneAnswer {
    /// What touches it, such as `edge-face`.
    pub contact_kind: &'static str,
    /// Whether what touches it shares a point, seen along the normal; where it does not, the plane is not the best one.
    pub common_point: bool,
    /// How often it was tilted.
    pub iterations: usize,
    /// What ended the search: `angle`, `increment`, `both`, or `cap` if it was cut short.
    pub ended_by: &'static str,
}

impl CommonPlaneAnswer {
    fn of(found: &CommonPlaneContact) -> CommonPlaneAnswer {
        CommonPlaneAnswer {
            contact_kind: found.kind.name(),
            common_point: found.has_common_point,
            iterations: found.iterations,
            ended_by: found.ended_by.name(),
        }
    }
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

/// Answers one line.
///
/// ```
/// use tumble_io::contact_query::{Answer, Way, answer_line};
///
/// let ball = |z: f64| {
///     format!(r#"{{"shape": {{"type": "sphere", "r": 1}}, "pose": {{"position": [0, 0, {z}], "quaternion": [1, 0, 0, 0]}}}}"#)
/// };
/// let answer = answer_line(&format!(r#"{{"id": "1", "A": {}, "B": {}}}"#, ball(0.0), ball(2.5)), Way::default());
/// let Answer::Contact(contact) = answer else { panic!("it is a question") };
/// assert!(!contact.overlap && (contact.separation - 0.5).abs() < 1e-12);
/// ```
pub fn answer_line(line: &str, way: Way) -> Answer {
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
    match answer_question(&question, way) {
        Ok(answer) => Answer::Contact(Box::new(ContactAnswer { id, ..answer })),
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

/// The contact and common region of two placed bodies; the id is left empty.
fn answer_question(question: &Map<String, Value>, way: Way) -> Result<ContactAnswer, String> {
    let method = way.contact_method()?;
    let (a, b) = (read_body(question, "A")?, read_body(question, "B")?);
    if a.is_planar() != b.is_planar() {
        let (planar, solid) = if a.is_planar() { ("A", "B") } else { ("B", "A") };
        return Err(format!("{planar} is planar and {solid} is not; both must be, or neither"));
    }
    let is_planar = a.is_planar();
    let body = |shape: &Shape| ContactBody::new(shape, way.crown);
    let (finding, crown) = match (&a.body, &b.body) {
        (Body::Shape(shape_a), Body::Shape(shape_b)) => {
            let pose_ab = a.pose.relative(&b.pose);
            let (body_a, body_b) = (body(shape_a), body(shape_b));
            let crown = body_a.crown().max(body_b.crown());
            let published = if crown == 0.0 { published(method, shape_a, shape_b, &a.pose, &pose_ab) } else { None };
            let finding = match published {
                Some(finding) => finding,
                None => giving_way(way, method, [shape_a, shape_b], &a.pose, &pose_ab)
                    .unwrap_or_else(|| body_and_body(method, (&body_a, &a.pose), &body_b, &pose_ab)),
            };
            (finding, crown)
        }
        (Body::Shape(shape), Body::HalfSpace) => {
            let body = body(shape);
            (body_and_half_space(way, &body, &a.pose, &b.pose)?, body.crown())
        }
        (Body::HalfSpace, Body::Shape(shape)) => {
            let body = body(shape);
            let finding = body_and_half_space(way, &body, &b.pose, &a.pose)?;
            (Finding { contact: turned_round(&finding.contact), ..finding }, body.crown())
        }
        (Body::HalfSpace, Body::HalfSpace) => {
            return Err("A and B are both of type `halfspace`; at least one must be a grain".to_string());
        }
    };
    let Finding { contact, region, converged, is_published, gives_way, common_plane, cases, midway } = finding;
    // The published methods are for some bodies only, and that of Feng, Han and Owen for those that overlap.
    let method = if method.is_published() && !is_published { ContactMethod::Exact } else { method };
    let region = region.filter(|_| contact.separation < 0.0);
    let numbers = [contact.normal, contact.point_a, contact.point_b, region.map_or(DVec3::ZERO, |r| r.centroid)];
    let measures = region.map_or(0.0, |r| r.volume + r.surface_area);
    if !(contact.separation.is_finite() && measures.is_finite() && numbers.iter().all(|v| v.is_finite())) {
        return Err("the numbers are too large: the answer does not fit a double".to_string());
    }
    let patch = if way.patch { Some(patch_of(&a, &b, contact.normal)?) } else { None };
    let components = |v: DVec3| v.to_array()[..if is_planar { 2 } else { 3 }].to_vec();
    Ok(ContactAnswer {
        id: Value::Null,
        overlap: contact.separation < 0.0,
        separation: contact.separation,
        normal: components(contact.normal),
        point_a: components(contact.point_a),
        point_b: components(contact.point_b),
        volume: region.map(|r| r.volume),
        centroid: region.map(|r| components(r.centroid)),
        surface_area: region.map(|r| r.surface_area),
        region_error: region.and_then(|r| r.error),
        method: method.name(),
        crown,
        gives_way,
        converged,
        common_plane,
        patch,
        cases,
        midway,
    })
}

/// What was found out about two bodies, in world coordinates.
struct Finding {
    contact: Contact,
    region: Option<Region>,
    converged: bool,
    /// Whether it was found by the published method.
    is_published: bool,
    /// Whether a body gave way.
    gives_way: bool,
    /// How a common plane was found.
    common_plane: Option<CommonPlaneAnswer>,
    /// Which case of Peng & Hanley it was.
    cases: Option<CasesAnswer>,
    /// How a midway point was found.
    midway: Option<MidwayAnswer>,
}

impl Finding {
    /// A contact in world coordinates, and nothing else.
    fn of(contact: Contact) -> Finding {
        Finding {
            contact,
            region: None,
            converged: true,
            is_published: false,
            gives_way: false,
            common_plane: None,
            cases: None,
            midway: None,
        }
    }
}

/// The common region, as far as answers tell of it; of planar bodies area and perimeter stand in for volume and surface.
#[derive(Clone, Copy)]
struct Region {
    volume: f64,
    centroid: DVec3,
    surface_area: f64,
    /// Estimate of its relative error, if it was not found to the tolerance.
    error: Option<f64>,
}

impl Region {
    fn of(found: Result<Option<OverlapRegion>, Unresolved>) -> Option<Region> {
        let (region, error) = match found {
            Ok(region) => (region?, None),
            Err(unresolved) => (unresolved.best?, Some(unresolved.relative_error)),
        };
        let OverlapRegion { volume, centroid, surface_area, .. } = region;
        Some(Region { volume, centroid, surface_area, error })
    }

    fn transformed(&self, pose: &Pose) -> Region {
        Region { centroid: pose.transform_point(self.centroid), ..*self }
    }
}

/// Contact and region by a published method, in world coordinates, if it is asked for and has an answer.
fn published(method: ContactMethod, a: &Shape, b: &Shape, pose_a: &Pose, pose_ab: &Pose) -> Option<Finding> {
    let finding = |contact: &Contact, region: Option<Region>| Finding {
        region: region.map(|region| region.transformed(pose_a)),
        is_published: true,
        ..Finding::of(to_world(contact, pose_a))
    };
    if let Some(version) = method.peng_hanley() {
        let found = contact_peng_hanley(a, b, pose_ab, version)?;
        // What the chart does not say is the exact answer: how far bodies are apart, and all of what it leaves open.
        let answer = contact_by(method, a, b, pose_ab, None, f64::INFINITY);
        let is_open = found.ending.verdict() == Verdict::Open && version == PengHanley::AsPublished;
        let converged = answer.is_ok() && !is_open;
        let contact = answer.map_or_else(|failure| failure.best, |contact| contact.unwrap_or(Contact::NOWHERE));
        let region = if contact.separation < 0.0 { shared_region(a, b, pose_ab) } else { None };
        let cases = Some(CasesAnswer::of(&found));
        return Some(Finding { converged, cases, ..finding(&contact, region) });
    }
    if method == ContactMethod::Midway {
        let (contact, found) = match contact_midway(a, b, pose_ab) {
            Midway::Overlap(contact, found) => (contact, found),
            // It says nothing of how far bodies are apart: that is the exact answer.
            Midway::Apart(_) | Midway::Nowhere => return None,
        };
        let midway = Some(MidwayAnswer {
            midway_point: pose_a.transform_point(found.point).to_array().to_vec(),
            iterations: found.iterations,
        });
        let region = shared_region(a, b, pose_ab);
        return Some(Finding { converged: found.converged, midway, ..finding(&contact, region) });
    }
    if let Some(options) = method.common_plane() {
        let found = contact_common_plane(a, b, pose_ab, &options)?;
        // It says nothing of the region: this is the exact one, and there is none where bodies apart are said to overlap.
        let region = if found.contact.separation < 0.0 { shared_region(a, b, pose_ab) } else { None };
        let converged = found.ended_by != EndedBy::Cap;
        let common_plane = Some(CommonPlaneAnswer::of(&found));
        return Some(Finding { converged, common_plane, ..finding(&found.contact, region) });
    }
    let found = contact_feng_shapes(a, b, pose_ab, &method.feng()?)?;
    let FengContact { volume, centroid, surface_area, .. } = found;
    let region = Region { volume, centroid, surface_area, error: None };
    Some(finding(&found.to_contact(), Some(region)))
}

/// Contact and region of two bodies by the exact or the general method, in world coordinates.
fn body_and_body(
    method: ContactMethod,
    (a, pose_a): (&ContactBody, &Pose),
    b: &ContactBody,
    pose_ab: &Pose,
) -> Finding {
    // The published methods were asked before.
    let method = if method == ContactMethod::General { method } else { ContactMethod::Exact };
    let found = contact_bodies_by(method, a, b, pose_ab, None, f64::INFINITY);
    let converged = found.is_ok();
    let contact = found.map_or_else(|failure| failure.best, |contact| contact.unwrap_or(Contact::NOWHERE));
    // The region of bodies that bulge is not known.
    let has_region = contact.separation < 0.0 && a.bulge() == 0.0 && b.bulge() == 0.0;
    let region = if has_region { shared_region(a.shape(), b.shape(), pose_ab) } else { None };
    let region = region.map(|region| region.transformed(pose_a));
    Finding { region, converged, ..Finding::of(to_world(&contact, pose_a)) }
}

/// The contact of two bodies of which one gives way at least, of clumps that of the deepest parts; `None` if that is not asked for,
/// neither does, or they do not touch.
fn giving_way(way: Way, method: ContactMethod, [a, b]: [&Shape; 2], pose_a: &Pose, pose_ab: &Pose) -> Option<Finding> {
    if !way.gives_way || method.is_published() {
        return None;
    }
    let mut deepest: Option<Contact> = None;
    for (part_a, place_a) in a.parts() {
        for (part_b, place_b) in b.parts() {
            let bodies = [part_a, part_b].map(YieldingBody::new);
            if !bodies.iter().any(YieldingBody::yields) {
                continue;
            }
            let pose = place_a.relative(&pose_ab.compose(&place_b));
            let Ok(found) = contact_yielding(method, &bodies[0], &bodies[1], &pose, None, 0.0) else { continue };
            if found.contact.separation < deepest.map_or(0.0, |contact| contact.separation) {
                deepest = Some(to_world(&found.contact, &place_a));
            }
        }
    }
    let contact = to_world(&deepest?, pose_a);
    Some(Finding { gives_way: true, ..Finding::of(contact) })
}

/// The region that two shapes share, in the frame of a.
fn shared_region(a: &Shape, b: &Shape, pose_ab: &Pose) -> Option<Region> {
    let region = Region::of(overlap(a, b, pose_ab))?;
    if !(a.is_planar() && b.is_planar()) {
        return Some(region);
    }
    // The region is a prism as thick as the two bodies.
    let area = region.volume / THICKNESS;
    Some(Region { volume: area, surface_area: (region.surface_area - 2.0 * area) / THICKNESS, ..region })
}

/// The contact from a body to a half-space, and their common region, in world coordinates.
fn body_and_half_space(way: Way, body: &ContactBody, body_pose: &Pose, plane_pose: &Pose) -> Result<Finding, String> {
    let seen_from_plane = plane_pose.relative(body_pose);
    if way.gives_way {
        let mut found = Vec::new();
        for (part, place) in body.shape().parts() {
            let part = YieldingBody::new(part);
            if part.yields() {
                let pose = seen_from_plane.compose(&place);
                contact_yielding_surface(&part, &Surface::HalfSpace, &pose, &mut Vec::new(), &mut found);
            }
        }
        let deepest = found.iter().min_by(|x, y| x.contact.separation.total_cmp(&y.contact.separation));
        if let Some(YieldedSurface { contact, .. }) = deepest {
            let contact = Contact {
                normal: contact.normal,
                separation: contact.separation,
                point_a: contact.point_on_grain(),
                point_b: contact.point,
            };
            return Ok(Finding { gives_way: true, ..Finding::of(to_world(&contact, plane_pose)) });
        }
    }
    let mut contacts = Vec::with_capacity(1);
    contact_body_surface(body, &Surface::HalfSpace, &seen_from_plane, f64::INFINITY, &mut contacts);
    // A half-space is always within an infinite margin, unless a number has overflowed.
    let found = contacts
        .iter()
        .min_by(|x, y| x.separation.total_cmp(&y.separation))
        .ok_or("the numbers are too large: the answer does not fit a double")?;
    let contact = Contact {
        normal: found.normal,
        separation: found.separation,
        point_a: found.point_on_grain(),
        point_b: found.point,
    };
    let region =
        if body.bulge() == 0.0 { Region::of(overlap_half_space(body.shape(), &seen_from_plane)) } else { None };
    let region = region.map(|region| region.transformed(plane_pose));
    Ok(Finding { region, ..Finding::of(to_world(&contact, plane_pose)) })
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
