//! The patch in answers to contact questions, against closed forms.

use serde_json::{Value, json};
use std::f64::consts::FRAC_PI_4;
use tumble_io::contact_query::{Way, answer_line};

const WITH_PATCH: Way = Way { patch: true, ..Way::PLAIN };

/// A box of edges about its origin, its vertices in the order of the signs of x, y and z.
fn cuboid(edges: [f64; 3], position: [f64; 3], quaternion: [f64; 4]) -> Value {
    let sign = |k: usize, bit: usize| if k >> bit & 1 == 0 { -0.5 } else { 0.5 };
    let vertices: Vec<[f64; 3]> = (0..8).map(|k| [0, 1, 2].map(|bit| sign(k, bit) * edges[bit])).collect();
    json!({"shape": {"type": "polyhedron", "vertices": vertices}, "pose": {"position": position, "quaternion": quaternion}})
}

fn square(edge: f64, position: [f64; 2], angle: f64) -> Value {
    let corners = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]].map(|c: [f64; 2]| c.map(|x| 0.5 * edge * x));
    json!({"shape": {"type": "polygon", "vertices": corners}, "pose": {"position": position, "angle": angle}})
}

fn ask(a: &Value, b: &Value, way: Way) -> Value {
    let question = json!({"id": "patch", "A": a, "B": b});
    serde_json::from_str(&answer_line(&question.to_string(), way).to_json()).unwrap()
}

fn is_near(found: &Value, expected: &[f64]) -> bool {
    let found: Vec<f64> = found.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect();
    found.len() == expected.len() && found.iter().zip(expected).all(|(x, y)| (x - y).abs() < 1e-12)
}

fn has_moments(patch: &Value, expected: &[&[f64]]) -> bool {
    let rows = patch["second_moments"].as_array().unwrap();
    rows.len() == expected.len() && rows.iter().zip(expected).all(|(row, expected)| is_near(row, expected))
}

const UPRIGHT: [f64; 4] = [1.0, 0.0, 0.0, 0.0];

#[test]
fn cubes_one_over_the_corner_of_the_other_share_a_rectangle() {
    let (a, b) = (cuboid([1.0; 3], [0.0; 3], UPRIGHT), cuboid([1.0; 3], [0.25, 0.5, 0.99], UPRIGHT));
    let answer = ask(&a, &b, WITH_PATCH);
    let patch = &answer["patch"];
    assert!((patch["area"].as_f64().unwrap() - 0.375).abs() < 1e-12, "{answer}");
    assert!(is_near(&patch["centroid"], &[0.125, 0.25, 0.495]), "{answer}");
    let (x, y) = (0.5 * 0.75_f64.powi(3) / 12.0, 0.75 * 0.5_f64.powi(3) / 12.0);
    assert!(has_moments(patch, &[&[x, 0.0, 0.0], &[0.0, y, 0.0], &[0.0, 0.0, 0.0]]), "{answer}");
    let corners = patch["corners"].as_array().unwrap();
    assert_eq!(corners.len(), 4);
    let faces = |face: &Value| {
        let mut numbers: Vec<u64> = face["face"].as_array().unwrap().iter().map(|v| v.as_u64().unwrap()).collect();
        numbers.sort_unstable();
        numbers
    };
    for corner in corners {
        assert!((corner["separation"].as_f64().unwrap() + 0.01).abs() < 1e-12, "{answer}");
        assert!((corner["share"].as_f64().unwrap() - 0.25).abs() < 1e-12, "{answer}");
        let place: Vec<f64> = corner["point"].as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect();
        match (place[0] > 0.4, place[1] > 0.4) {
            // The upper corner of a lies on b's lower face, and the other way round.
            (true, true) => {
                assert_eq!(corner["a"], json!({"vertex": 7}));
                assert_eq!(faces(&corner["b"]), [0, 1, 2, 3]);
            }
            (false, false) => {
                assert_eq!(corner["b"], json!({"vertex": 0}));
                assert_eq!(faces(&corner["a"]), [4, 5, 6, 7]);
            }
            _ => assert!(corner["a"]["edge"].is_array() && corner["b"]["edge"].is_array(), "{corner}"),
        }
    }
    // Only if it is asked for.
    assert!(ask(&a, &b, Way::PLAIN).get("patch").is_none());
}

#[test]
fn turned_cubes_share_an_octagon_in_any_place() {
    // Turned about z by 45 degrees; then all by a right angle about x, which takes z to -y, and moved.
    let (sine, cosine) = (0.5 * FRAC_PI_4).sin_cos();
    let half = 0.5_f64.sqrt();
    let turned = [half * cosine, half * cosine, -half * sine, half * sine];
    let a = cuboid([1.0; 3], [10.0, 20.0, 30.0], [half, half, 0.0, 0.0]);
    let b = cuboid([1.0; 3], [10.0, 20.0 - 0.98, 30.0], turned);
    let answer = ask(&a, &b, WITH_PATCH);
    let patch = &answer["patch"];
    let area = 2.0 * (2.0_f64.sqrt() - 1.0);
    assert!((patch["area"].as_f64().unwrap() - area).abs() < 1e-12, "{answer}");
    assert!(is_near(&patch["centroid"], &[10.0, 20.0 - 0.49, 30.0]), "{answer}");
    // A regular octagon of inradius r: its area times r^2/4 (1 + tan^2(22.5 deg)/3), about each axis.
    let moment = area / 16.0 * (1.0 + (0.5 * FRAC_PI_4).tan().powi(2) / 3.0);
    assert!(has_moments(patch, &[&[moment, 0.0, 0.0], &[0.0, 0.0, 0.0], &[0.0, 0.0, moment]]), "{answer} {moment}");
    let corners = patch["corners"].as_array().unwrap();
    assert_eq!(corners.len(), 8);
    assert!(corners.iter().all(|corner| (corner["share"].as_f64().unwrap() - 0.125).abs() < 1e-12));
}

#[test]
fn a_tilted_box_on_a_larger_face_and_on_a_half_space_has_the_same_patch() {
    let tilt: f64 = 0.02;
    let (sine, cosine) = (0.5 * tilt).sin_cos();
    let height = 0.25 * (tilt.sin() + tilt.cos()) - 0.01;
    let b = cuboid([0.5; 3], [0.1, 0.2, height], [cosine, 0.0, sine, 0.0]);
    let floor = cuboid([4.0; 3], [0.0, 0.0, -2.0], UPRIGHT);
    let plane = json!({"shape": {"type": "halfspace"}, "pose": {"position": [0, 0, 0], "quaternion": UPRIGHT}});
    for answer in [ask(&floor, &b, WITH_PATCH), ask(&plane, &b, WITH_PATCH), ask(&b, &plane, WITH_PATCH)] {
        let patch = &answer["patch"];
        assert!((patch["area"].as_f64().unwrap() - 0.25 * tilt.cos()).abs() < 1e-12, "{answer}");
        let corners = patch["corners"].as_array().unwrap();
        assert_eq!(corners.len(), 4);
        for corner in corners {
            let lifted = corner["point"][0].as_f64().unwrap() < 0.1;
            let expected = if lifted { 0.5 * tilt.sin() - 0.01 } else { -0.01 };
            assert!((corner["separation"].as_f64().unwrap() - expected).abs() < 1e-12, "{answer}");
            assert!((corner["point"][2].as_f64().unwrap() - 0.5 * expected).abs() < 1e-12, "{answer}");
            assert!((corner["share"].as_f64().unwrap() - 0.25).abs() < 1e-12, "{answer}");
            let (of_box, other) = if corner["a"]["vertex"].is_u64() { ("a", "b") } else { ("b", "a") };
            assert!(corner[of_box]["vertex"].is_u64() && (corner[other].is_null() || corner[other]["face"].is_array()));
        }
    }
}

#[test]
fn squares_share_a_line_in_the_plane() {
    let answer = ask(&square(1.0, [0.0, 0.0], 0.0), &square(0.5, [0.4, 0.74], 0.0), WITH_PATCH);
    let patch = &answer["patch"];
    let length = 0.35;
    assert!((patch["area"].as_f64().unwrap() - length).abs() < 1e-12, "{answer}");
    assert!(is_near(&patch["centroid"], &[0.325, 0.495]), "{answer}");
    assert!(has_moments(patch, &[&[length.powi(3) / 12.0, 0.0], &[0.0, 0.0]]), "{answer}");
    let corners = patch["corners"].as_array().unwrap();
    assert_eq!(corners.len(), 2);
    assert_eq!((&corners[0]["a"], &corners[0]["b"]), (&json!({"edge": [2, 3]}), &json!({"vertex": 0})), "{answer}");
    assert_eq!((&corners[1]["a"], &corners[1]["b"]), (&json!({"vertex": 2}), &json!({"edge": [0, 1]})), "{answer}");
    assert!(corners.iter().all(|corner| corner["share"] == 0.5));
}

#[test]
fn what_has_no_flat_faces_is_refused_with_the_reason() {
    let cube = cuboid([1.0; 3], [0.0, 0.0, 0.9], UPRIGHT);
    let ball = json!({"shape": {"type": "sphere", "r": 0.5}, "pose": {"position": [0, 0, 0], "quaternion": UPRIGHT}});
    for (a, b, name) in [(&ball, &cube, "A is a sphere"), (&cube, &ball, "B is a sphere")] {
        let answer = ask(a, b, WITH_PATCH);
        let error = answer["error"].as_str().unwrap();
        assert!(error.contains(name) && error.contains("polyhedra, polygons and half-spaces"), "{error}");
        assert!(ask(a, b, Way::PLAIN).get("error").is_none());
    }
}
