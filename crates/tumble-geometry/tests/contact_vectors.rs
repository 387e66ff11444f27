//! The contact vectors of solid shapes: every verdict right, every separation within the limits that the shapes allow,
//! normals and points within those of the vectors.

use glam::{DQuat, DVec3};
use serde_json::Value;
use std::path::PathBuf;
use tumble_geometry::{Cylinder, Polyhedron, Pose, Shape, Sphere, Superquadric, narrow};

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

fn vector(value: &Value) -> DVec3 {
    DVec3::new(number(&value[0]), number(&value[1]), number(&value[2]))
}

/// A shape and the size the vectors give it.
fn shape(value: &Value) -> (Shape, f64) {
    let length = |key: &str| number(&value[key]);
    match value["type"].as_str().unwrap() {
        "sphere" => (Shape::Sphere(Sphere { radius: length("r") }), length("r")),
        "cylinder" => {
            let cylinder = Cylinder { radius: length("r"), half_height: length("h") };
            (Shape::Cylinder(cylinder), length("r").hypot(length("h")))
        }
        "superquadric" => {
            let semi_axes = DVec3::new(length("a"), length("b"), length("c"));
            let superquadric = Superquadric { semi_axes, n1: length("n1"), n2: length("n2") };
            (Shape::Superquadric(superquadric), semi_axes.max_element())
        }
        "polyhedron" => {
            let vertices: Vec<DVec3> = value["vertices"].as_array().unwrap().iter().map(vector).collect();
            let size = vertices.iter().map(|v| v.length()).fold(0.0, f64::max);
            let corners = |face: &Value| face.as_array().unwrap().iter().map(|k| k.as_u64().unwrap() as u32).collect();
            let faces = value["faces"].as_array().unwrap().iter().map(corners).collect();
            (Shape::Polyhedron(Polyhedron::from_trusted_faces(vertices, faces)), size)
        }
        other => panic!("{other}"),
    }
}

fn pose(value: &Value) -> Pose {
    let q = &value["quaternion"];
    let orientation = DQuat::from_xyzw(number(&q[1]), number(&q[2]), number(&q[3]), number(&q[0]));
    Pose::new(vector(&value["position"]), orientation)
}

/// Checks a file and returns the largest error of a separation over the size.
fn check(kind: &str, limit: f64) -> f64 {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/vectors").join(format!("{kind}.jsonl"));
    let text = std::fs::read_to_string(path).unwrap();
    let mut worst = 0f64;
    for line in text.lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let id = &case["id"];
        let ((a, size_a), (b, size_b)) = (shape(&case["A"]["shape"]), shape(&case["B"]["shape"]));
        let (pose_a, pose_b) = (pose(&case["A"]["pose"]), pose(&case["B"]["pose"]));
        let size = size_a.max(size_b);
        let truth = number(&case["separation"]);
        let is_rough = case["tags"].as_array().is_some_and(|tags| tags.iter().any(|tag| tag == "uncertified"))
            || case.get("separation_note").is_some();
        let limit = if is_rough { 1e-7 } else { limit };
        let forwards = narrow::contact(&a, &b, &pose_a.relative(&pose_b)).unwrap_or_else(|e| panic!("{id}: {e:?}"));
        let backwards = narrow::contact(&b, &a, &pose_b.relative(&pose_a)).unwrap_or_else(|e| panic!("{id}: {e:?}"));
        for (separation, order) in [(forwards.separation, "a b"), (backwards.separation, "b a")] {
            let error = (separation - truth).abs() / size;
            assert!(error <= limit, "{id} {order}: {separation} for {truth}, {error:.1e} of the size");
            if truth.abs() > 1e-9 * size {
                assert_eq!(separation < 0.0, truth < 0.0, "{id} {order}");
            }
            if !is_rough {
                worst = worst.max(error);
            }
        }
        // A value that is good to an error e allows a direction to be off by about the square root of 2 e.
        let tolerance = |key: &str| case["tol"][key].as_f64();
        let value_error = 10.0 * tolerance("separation").unwrap_or(0.0) + 1e-9 * size;
        if let (true, Some(known)) = (case["normal"].is_array(), tolerance("normal")) {
            let angle = (pose_a.transform_vector(forwards.normal) - vector(&case["normal"])).length();
            let allowed = 10.0 * known + 1e-6 + (2.0 * value_error / truth.max(1e-3 * size)).sqrt();
            assert!(angle <= allowed, "{id}: the normal is off by {angle:.1e} of {allowed:.1e}");
        }
        if case["point_a"].is_array() && case["points_unique"] == true {
            let allowed = 10.0 * tolerance("points").unwrap_or(0.0) + 2e-9f64.sqrt() * size;
            for (found, key) in [(forwards.point_a, "point_a"), (forwards.point_b, "point_b")] {
                let error = pose_a.transform_point(found).distance(vector(&case[key]));
                assert!(error <= allowed, "{id}: {key} is off by {error:.1e} of {allowed:.1e}");
            }
        }
    }
    worst
}

#[test]
fn balls_and_flat_faces_meet_the_vectors() {
    assert!(check("sphere-sphere", 1e-8) < 1e-14);
    assert!(check("poly-sphere", 1e-8) < 1e-13);
    assert!(check("poly-poly", 1e-11) < 1e-12);
    assert!(check("cyl-sphere", 1e-8) < 1e-13);
}

#[test]
fn cylinders_meet_the_vectors() {
    check("cyl-cyl", 1e-8);
    check("cyl-poly", 1e-8);
}

#[test]
fn superquadrics_meet_the_vectors() {
    for kind in ["sq-sphere", "cyl-sq", "poly-sq", "sq-sq"] {
        check(kind, 1e-8);
    }
}

#[test]
fn what_breaks_published_methods_is_right_here() {
    check("counterexamples", 1e-8);
}
