//! The published method for cylinders, corrected, against the cases of tests/vectors: verdicts, the volume, centroid and
//! surface area of the layers as they become many, and the normal of the contact normal theorem.

use glam::{DQuat, DVec3};
use serde_json::Value;
use std::path::PathBuf;
use tumble_geometry::feng::{
    Axis, FengOptions, Layers, Representation, contact_feng, contact_normal, contact_normal_forms,
};
use tumble_geometry::oracle::gap_along;
use tumble_geometry::{Cylinder, Pose, Shape};

struct Case {
    id: String,
    a: Cylinder,
    b: Cylinder,
    pose_a: Pose,
    pose_b: Pose,
    truth: Value,
}

fn vector(value: &Value) -> DVec3 {
    let number = |k: usize| value[k].as_f64().unwrap();
    DVec3::new(number(0), number(1), number(2))
}

fn cases() -> Vec<Case> {
    let pose = |value: &Value| {
        let q: Vec<f64> = value["quaternion"].as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect();
        Pose::new(vector(&value["position"]), DQuat::from_xyzw(q[1], q[2], q[3], q[0]).normalize())
    };
    let cylinder =
        |value: &Value| Cylinder { radius: value["r"].as_f64().unwrap(), half_height: value["h"].as_f64().unwrap() };
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/vectors/cyl-cyl.jsonl");
    let read = |line: &str| {
        let truth: Value = serde_json::from_str(line).unwrap();
        Case {
            id: truth["id"].as_str().unwrap().to_owned(),
            a: cylinder(&truth["A"]["shape"]),
            b: cylinder(&truth["B"]["shape"]),
            pose_a: pose(&truth["A"]["pose"]),
            pose_b: pose(&truth["B"]["pose"]),
            truth,
        }
    };
    std::fs::read_to_string(&path).unwrap().lines().map(read).collect()
}

fn size(case: &Case) -> f64 {
    [case.a, case.b].iter().map(|c| c.radius.hypot(c.half_height)).fold(0.0, f64::max)
}

#[test]
fn verdicts_and_regions() {
    let layered =
        FengOptions { representation: Representation::Layered(Layers::Tolerance(1e-9)), ..FengOptions::LAYERED };
    let (mut n_regions, mut n_areas) = (0, 0);
    for case in cases() {
        let pose_ab = case.pose_a.relative(&case.pose_b);
        let separation = case.truth["separation"].as_f64().unwrap();
        let found = contact_feng(&case.a, &case.b, &pose_ab, &layered);
        // What just touches may go either way.
        if separation.abs() > 1e-12 * size(&case) {
            assert_eq!(found.is_some(), separation < 0.0, "{} {separation}", case.id);
        }
        let (Some(found), Some(volume)) = (found, case.truth["volume"].as_f64()) else { continue };
        n_regions += 1;
        let tolerance = |key: &str| 10.0 * case.truth["tol"][key].as_f64().unwrap_or(0.0);
        let error = (found.volume / volume - 1.0).abs();
        assert!(error <= tolerance("volume_rel") + 1e-6, "{}: volume off by {error:e}", case.id);
        let centroid = case.pose_a.transform_point(found.centroid);
        let error = (centroid - vector(&case.truth["centroid"])).length();
        assert!(error <= tolerance("centroid") + 1e-6 * size(&case), "{}: centroid off by {error:e}", case.id);
        if let Some(area) = case.truth["surface_area"].as_f64() {
            n_areas += 1;
            let error = (found.surface_area / area - 1.0).abs();
            assert!(error <= tolerance("surface_rel") + 1e-5, "{}: surface area off by {error:e}", case.id);
        }
    }
    assert!(n_regions > 100 && n_areas > 100, "{n_regions} {n_areas}");
}

#[test]
fn the_normal_at_the_given_point() {
    let (mut n_normals, mut n_against) = (0, 0);
    for case in cases() {
        let given = &case.truth["feng_normal"];
        if given.is_null() {
            continue;
        }
        n_normals += 1;
        let axis = |pose: &Pose| Axis { centre: pose.position, direction: pose.transform_vector(DVec3::Z) };
        let (first, second) = (axis(&case.pose_a), axis(&case.pose_b));
        let point = vector(&given["point"]);
        let (a, b) = (Shape::Cylinder(case.a), Shape::Cylinder(case.b));
        let pose_ab = case.pose_a.relative(&case.pose_b);
        let translation = |n: DVec3| -gap_along(&a, &b, &pose_ab, case.pose_a.inverse_transform_vector(n));
        let normal = contact_normal(&first, &second, point, translation);
        let known = vector(&given["n"]);
        let aligned =
            if given["sign_ambiguous"].as_bool().unwrap() { known * 1f64.copysign(known.dot(normal)) } else { known };
        // Positions are rounded to 1e-16 of their size, which the two planes through the point see from its distance to
        // the axes and at the angle between them.
        let sine = given["sine_between_planes"].as_f64().unwrap();
        let near = [first, second].map(|axis| axis.direction.cross(axis.centre - point).length());
        let allowed = 1e-14 * size(&case) / (sine * near[0].min(near[1])) + 1e-12;
        assert!((normal - aligned).length() < allowed, "{}: {normal} is not {known} within {allowed:e}", case.id);
        let least = given["translation_to_separate"].as_f64().unwrap();
        let error = (translation(aligned) - least).abs();
        assert!(error <= 1e-12 * size(&case), "{}: translation off by {error:e}", case.id);
        let forms = contact_normal_forms(&first, &second, point);
        n_against += usize::from(forms[0].dot(forms[1]) < 0.0);
    }
    assert!(n_normals > 70, "{n_normals}");
    println!("{n_normals} normals; the two forms of equation (23) point against each other in {n_against}");
    assert!(n_against > 0);
}
