//! The vectors of the planar kinds in tests/vectors, put to the geometry itself and held to the limits of
//! `check_contacts.py --strict`, with A and B in either order; the separation to the tighter limit of flat-faced bodies,
//! and the perimeter besides.

use glam::{DQuat, DVec2, DVec3};
use serde_json::Value;
use std::path::PathBuf;
use tumble_geometry::overlap::overlap_planar;
use tumble_geometry::{Disc, Polygon, Pose, Shape, narrow, overlap};

const HALF_THICKNESS: f64 = 0.25;

// The limits of check_contacts.py, but for the separation, which has 1e-9 there.
const VERDICT_BAND: f64 = 1e-9;
const SEPARATION_SLACK: f64 = 1e-11;
const POINT_LIMIT: f64 = 1e-6;
const VOLUME_SLACK: f64 = 1e-6;
const ANGLE_SLACK: f64 = 1e-6;

fn vectors(name: &str) -> Vec<Value> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/vectors").join(name);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn vector(value: &Value) -> Option<DVec2> {
    let numbers = value.as_array()?;
    Some(DVec2::new(numbers[0].as_f64()?, numbers[1].as_f64()?))
}

fn shape(value: &Value) -> Shape {
    match value["type"].as_str().unwrap() {
        "disc" => Shape::Disc(Disc { radius: value["r"].as_f64().unwrap(), half_thickness: HALF_THICKNESS }),
        "polygon" => {
            let corners = value["vertices"].as_array().unwrap().iter().map(|corner| vector(corner).unwrap());
            Shape::Polygon(Polygon::from_trusted_corners(corners.collect(), HALF_THICKNESS))
        }
        other => panic!("{other}"),
    }
}

fn pose(value: &Value) -> Pose {
    let position = vector(&value["position"]).unwrap().extend(0.0);
    Pose::new(position, DQuat::from_rotation_z(value["angle"].as_f64().unwrap()))
}

/// Distance of a world point from the boundary of a body.
fn distance_from_boundary(shape: &Shape, pose: &Pose, point: DVec2) -> f64 {
    let local = pose.inverse_transform_point(point.extend(0.0)).truncate();
    match shape {
        Shape::Disc(disc) => (local.length() - disc.radius).abs(),
        Shape::Polygon(polygon) => {
            let corners = polygon.corners();
            let heights = (0..corners.len()).map(|k| {
                let side = corners[(k + 1) % corners.len()] - corners[k];
                -side.perp_dot(local - corners[k]) / side.length()
            });
            heights.fold(f64::NEG_INFINITY, f64::max).abs()
        }
        other => panic!("{}", other.name()),
    }
}

struct Answer {
    separation: f64,
    normal: DVec2,
    points: [DVec2; 2],
    /// Area, centroid and perimeter.
    region: Option<(f64, DVec2, f64)>,
}

/// The answer in world coordinates; with the bodies exchanged on the way, the same answer.
fn answer(bodies: [(&Shape, &Pose); 2], exchanged: bool) -> Answer {
    let [(a, pose_a), (b, pose_b)] = if exchanged { [bodies[1], bodies[0]] } else { bodies };
    let pose_ab = pose_a.relative(pose_b);
    let contact = narrow::contact(a, b, &pose_ab).unwrap();
    let world = |point: DVec3| pose_a.transform_point(point).truncate();
    let points = [world(contact.point_a), world(contact.point_b)];
    let normal = pose_a.transform_vector(contact.normal).truncate();
    let region = overlap_planar(a, b, &pose_ab).map(|(planar, half_thickness)| {
        let solid = overlap::overlap(a, b, &pose_ab).unwrap().unwrap();
        assert_eq!(half_thickness, HALF_THICKNESS);
        assert_eq!(solid.volume, planar.area * 2.0 * HALF_THICKNESS);
        (planar.area, world(solid.centroid), planar.perimeter)
    });
    let (normal, points) = if exchanged { (-normal, [points[1], points[0]]) } else { (normal, points) };
    Answer { separation: contact.separation, normal, points, region }
}

fn objections(case: &Value, exchanged: bool) -> Vec<String> {
    let mut found = Vec::new();
    let mut object = |wrong: bool, what: String| {
        if wrong {
            found.push(what);
        }
    };
    let (a, b) = (shape(&case["A"]["shape"]), shape(&case["B"]["shape"]));
    let (pose_a, pose_b) = (pose(&case["A"]["pose"]), pose(&case["B"]["pose"]));
    let size = a.bounding_radius().max(b.bounding_radius());
    let found_answer = answer([(&a, &pose_a), (&b, &pose_b)], exchanged);
    let Answer { separation: answered, normal, points, region } = found_answer;
    let tolerance = |name: &str| case["tol"][name].as_f64().unwrap_or(0.0);
    let separation = case["separation"].as_f64().unwrap();
    let overlap = case["overlap"].as_bool().unwrap();

    if separation.abs() >= VERDICT_BAND * size {
        object((answered < 0.0) != overlap, "verdict".to_string());
        object(region.is_some() != overlap, "verdict of the region".to_string());
    }
    let error = (answered - separation).abs();
    object(error > 10.0 * tolerance("separation") + SEPARATION_SLACK * size, format!("separation off by {error}"));

    object((normal.length() - 1.0).abs() > 1e-14, "normal is not a unit vector".to_string());
    if let (Some(truth), true) = (vector(&case["normal"]), case["tol"]["normal"].is_number()) {
        let angle = normal.perp_dot(truth).atan2(normal.dot(truth)).abs();
        let value_error = 10.0 * tolerance("separation") + VERDICT_BAND * size;
        let limit = 10.0 * tolerance("normal") + ANGLE_SLACK + (2.0 * value_error / separation.max(1e-3 * size)).sqrt();
        object(angle > limit, format!("normal off by {angle}, limit {limit}"));
    }

    // The points lie on the bodies and are the separation apart, overlapping or not.
    let apart = (points[1] - points[0] - answered * normal).length();
    let [on_a, on_b] = [(&a, &pose_a, points[0]), (&b, &pose_b, points[1])]
        .map(|(shape, pose, point)| distance_from_boundary(shape, pose, point));
    object(apart.max(on_a).max(on_b) > 1e-11 * size, format!("points off the bodies: {apart} {on_a} {on_b}"));
    if let (Some(point_a), Some(point_b)) = (vector(&case["point_a"]), vector(&case["point_b"]))
        && !overlap
    {
        object((points[0].distance(points[1]) - separation).abs() > POINT_LIMIT * size, "distance of points".into());
        if case["points_unique"] == true {
            let error = points[0].distance(point_a).max(points[1].distance(point_b));
            object(error > 10.0 * tolerance("points") + (2e-9f64).sqrt() * size, format!("points off by {error}"));
        }
    }

    if let Some(area) = case["area"].as_f64().filter(|area| *area > 0.0) {
        let Some((answered, centroid, perimeter)) = region else {
            object(separation.abs() >= VERDICT_BAND * size, "no region".to_string());
            return found;
        };
        let error = (answered - area).abs() / area;
        object(error > 10.0 * tolerance("area_abs") / area + VOLUME_SLACK, format!("area off by {error}"));
        let error = centroid.distance(vector(&case["centroid"]).unwrap());
        object(error > 10.0 * tolerance("centroid") + VOLUME_SLACK * size, format!("centroid off by {error}"));
        let truth = case["perimeter"].as_f64().unwrap();
        let error = (perimeter / truth - 1.0).abs();
        object(error > VOLUME_SLACK, format!("perimeter off by {error}"));
    }
    found
}

#[test]
fn planar_kinds_pass_every_vector() {
    for kind in ["disc-disc", "disc-polygon", "polygon-polygon"] {
        let cases = vectors(&format!("{kind}.jsonl"));
        assert_eq!(cases.len(), 200, "{kind}");
        for case in &cases {
            for exchanged in [false, true] {
                let objections = objections(case, exchanged);
                assert!(objections.is_empty(), "{} exchanged {exchanged}: {objections:?}", case["id"]);
            }
        }
    }
}

#[test]
fn a_damaged_truth_is_objected_to() {
    let case = &vectors("polygon-polygon.jsonl")[199];
    for (field, value) in [("separation", -0.00428), ("area", 0.00429), ("perimeter", 2.01)] {
        let mut damaged = case.clone();
        damaged[field] = serde_json::json!(value);
        assert_eq!(objections(&damaged, false).len(), 1, "{field}");
    }
    let mut damaged = case.clone();
    damaged["normal"] = serde_json::json!([-0.799_043_806_664_117_5, -0.601_272_812_483_415_4]);
    damaged["centroid"] = serde_json::json!([-0.4601, 2.4560]);
    assert_eq!(objections(&damaged, false).len(), 2);
}
