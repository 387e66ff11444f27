//! The half-space vectors of shapes other than balls, held to the limits of `check_contacts.py --strict` for separation,
//! normal and closest points.

use glam::{DQuat, DVec3};
use serde_json::Value;
use std::path::PathBuf;
use tumble_geometry::narrow::contact_surface;
use tumble_geometry::{Cylinder, Polyhedron, Pose, Shape, Superquadric, Surface};

// The limits of check_contacts.py.
const VERDICT_BAND: f64 = 1e-9;
const SEPARATION_SLACK: f64 = 1e-9;
const POINT_LIMIT: f64 = 1e-6;
const ANGLE_SLACK: f64 = 1e-6;

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

fn vector(value: &Value) -> DVec3 {
    let [x, y, z] = [0, 1, 2].map(|k| number(&value[k]));
    DVec3::new(x, y, z)
}

fn pose(value: &Value) -> Pose {
    let [w, x, y, z] = [0, 1, 2, 3].map(|k| number(&value["quaternion"][k]));
    Pose::new(vector(&value["position"]), DQuat::from_xyzw(x, y, z, w))
}

/// The shape, and the length that errors are measured in.
fn shape(value: &Value) -> (Shape, f64) {
    let length = |key: &str| number(&value[key]);
    match value["type"].as_str().unwrap() {
        "cylinder" => {
            let (radius, half_height) = (length("r"), length("h"));
            (Shape::Cylinder(Cylinder { radius, half_height }), radius.max(half_height))
        }
        "superquadric" => {
            let semi_axes = DVec3::new(length("a"), length("b"), length("c"));
            let (n1, n2) = (length("n1"), length("n2"));
            (Shape::Superquadric(Superquadric { semi_axes, n1, n2 }), semi_axes.max_element())
        }
        "polyhedron" => {
            let vertices: Vec<DVec3> = value["vertices"].as_array().unwrap().iter().map(vector).collect();
            let loop_of = |face: &Value| face.as_array().unwrap().iter().map(|v| v.as_u64().unwrap() as u32).collect();
            let faces = value["faces"].as_array().unwrap().iter().map(loop_of).collect();
            let size = vertices.iter().map(|v| v.length()).fold(0.0, f64::max);
            (Shape::Polyhedron(Polyhedron::from_trusted_faces(vertices, faces)), size)
        }
        other => panic!("{other}"),
    }
}

#[test]
fn half_space_vectors_hold_for_every_shape() {
    let mut n_cases = 0;
    for name in ["cyl-halfspace", "poly-halfspace", "sq-halfspace"] {
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/vectors").join(format!("{name}.jsonl"));
        let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        for line in text.lines() {
            let case: Value = serde_json::from_str(line).unwrap();
            let id = case["id"].as_str().unwrap();
            let (shape, size) = shape(&case["A"]["shape"]);
            let (grain, plane) = (pose(&case["A"]["pose"]), pose(&case["B"]["pose"]));
            let mut found = Vec::new();
            contact_surface(&shape, &Surface::HalfSpace, &plane.relative(&grain), f64::INFINITY, &mut found);
            assert_eq!(found.len(), 1, "{id}");
            let contact = found[0].transformed(&plane);
            let (separation, tolerance) = (number(&case["separation"]), &case["tol"]);
            if separation.abs() >= VERDICT_BAND * size {
                assert_eq!(contact.separation < 0.0, case["overlap"].as_bool().unwrap(), "{id}");
            }
            let slack = 10.0 * number(&tolerance["separation"]) + SEPARATION_SLACK * size;
            assert!((contact.separation - separation).abs() <= slack, "{id}: {contact:?} {separation}");
            if !case["normal"].is_null() && !tolerance["normal"].is_null() {
                let scale = separation.max(1e-3 * size);
                let limit = 10.0 * number(&tolerance["normal"]) + ANGLE_SLACK + (2.0 * slack / scale).sqrt();
                assert!(contact.normal.angle_between(vector(&case["normal"])) <= limit, "{id}: {contact:?}");
            }
            if !case["point_a"].is_null() {
                let (on_grain, on_plane) = (contact.point_on_grain(), contact.point);
                assert!((on_grain.distance(on_plane) - separation).abs() <= POINT_LIMIT * size, "{id}");
                // On the plane, and on the grain as far out as the grain reaches.
                let reach = shape.support(grain.inverse_transform_vector(contact.normal));
                let short = contact.normal.dot(grain.transform_point(reach) - on_grain);
                assert!(short.abs() <= POINT_LIMIT * size, "{id}: {short}");
                assert!(plane.inverse_transform_point(on_plane).z.abs() <= POINT_LIMIT * size, "{id}");
                if case["points_unique"].as_bool() == Some(true) {
                    let limit = 10.0 * number(&tolerance["points"]) + (2.0 * SEPARATION_SLACK).sqrt() * size;
                    let error =
                        on_grain.distance(vector(&case["point_a"])).max(on_plane.distance(vector(&case["point_b"])));
                    assert!(error <= limit, "{id}: {error} {limit}");
                }
            }
            n_cases += 1;
        }
    }
    assert_eq!(n_cases, 600);
}
