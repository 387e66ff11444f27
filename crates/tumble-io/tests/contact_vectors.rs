//! Every vector in tests/vectors, held to the limits of `check_contacts.py --strict`, with A and B in either order; and
//! the answer to every kind of broken question.

use serde_json::{Value, json};
use std::path::PathBuf;
use tumble_geometry::DEFAULT_CROWN;
use tumble_geometry::common_plane::{CommonPlaneChoices, EndBy};
use tumble_geometry::feng::FengChoices;
use tumble_io::contact_query::{Answer, ContactAnswer, Way, answer_line, methods};

// The limits of check_contacts.py.
const VERDICT_BAND: f64 = 1e-9;
const SEPARATION_SLACK: f64 = 1e-9;
const POINT_LIMIT: f64 = 1e-6;
const VOLUME_SLACK: f64 = 1e-6;
const ANGLE_SLACK: f64 = 1e-6;
/// The script does not look at surface areas. Those of curved bodies are quadratures over a region that may be a sliver of
/// 1e-6 of the bodies; ten times the slack of volumes is what its thin rim costs.
const SURFACE_SLACK: f64 = 2e-5;
/// A corner of a tetrahedron in a ball: the stored area is that of the three faces, without the cap of the ball.
const AREA_WITHOUT_CAP: &str = "poly-sphere/public/0162";

/// Two or three numbers.
type Vector = Vec<f64>;

fn subtract(a: &[f64], b: &[f64]) -> Vector {
    a.iter().zip(b).map(|(x, y)| x - y).collect()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

fn length(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}

fn vector(value: &Value) -> Option<Vector> {
    Some(value.as_array()?.iter().filter_map(Value::as_f64).collect())
}

fn points(value: &Value) -> Vec<Vector> {
    value.as_array().unwrap().iter().filter_map(vector).collect()
}

fn vectors(name: &str) -> Vec<Value> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/vectors").join(name);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The larger body's size; a half-space has none.
fn size(case: &Value) -> f64 {
    let of = |body: &str| {
        let shape = &case[body]["shape"];
        let number = |key: &str| shape[key].as_f64().unwrap();
        match shape["type"].as_str().unwrap() {
            "sphere" | "disc" => number("r"),
            "cylinder" => number("r").hypot(number("h")),
            "superquadric" => number("a").max(number("b")).max(number("c")),
            "polyhedron" | "polygon" => points(&shape["vertices"]).iter().map(|v| length(v)).fold(0.0, f64::max),
            "halfspace" => 0.0,
            other => panic!("{other}"),
        }
    };
    of("A").max(of("B"))
}

/// A world point seen from a body.
fn to_local(pose: &Value, point: &[f64]) -> Vector {
    let d = subtract(point, &vector(&pose["position"]).unwrap());
    if let Some(angle) = pose["angle"].as_f64() {
        let (sine, cosine) = angle.sin_cos();
        return vec![cosine * d[0] + sine * d[1], cosine * d[1] - sine * d[0]];
    }
    let q = vector(&pose["quaternion"]).unwrap();
    let (w, x, y, z) = (q[0], q[1], q[2], q[3]);
    let columns = [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + w * z), 2.0 * (x * z - w * y)],
        [2.0 * (x * y - w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + w * x)],
        [2.0 * (x * z + w * y), 2.0 * (y * z - w * x), 1.0 - 2.0 * (x * x + y * y)],
    ];
    columns.iter().map(|column| dot(column, &d)).collect()
}

/// Distance of a world point from the surface of a body; of a superquadric to first order.
fn surface_error(body: &Value, point: &[f64]) -> f64 {
    let (shape, y) = (&body["shape"], to_local(&body["pose"], point));
    let number = |key: &str| shape[key].as_f64().unwrap();
    match shape["type"].as_str().unwrap() {
        "sphere" | "disc" => (length(&y) - number("r")).abs(),
        "halfspace" => y[2].abs(),
        "cylinder" => {
            let (across, along) = (y[0].hypot(y[1]) - number("r"), y[2].abs() - number("h"));
            if across <= 0.0 && along <= 0.0 { (-across).min(-along) } else { across.max(0.0).hypot(along.max(0.0)) }
        }
        "superquadric" => {
            let (n1, n2) = (number("n1"), number("n2"));
            let half_axes = ["a", "b", "c"].map(number);
            let u: Vec<f64> = y.iter().zip(half_axes).map(|(y, a)| (y / a).abs()).collect();
            let norm = |p: f64, q: f64, n: f64| match p.max(q) {
                0.0 => 0.0,
                m => m * ((p / m).powf(n) + (q / m).powf(n)).powf(1.0 / n),
            };
            let section = norm(u[0], u[1], n2);
            let gauge = norm(section, u[2], n1);
            let outer = if section > 0.0 { (section / gauge).powf(n1 - 1.0) } else { 0.0 };
            let inner = |p: f64| if section > 0.0 { (p / section).powf(n2 - 1.0) } else { 0.0 };
            let gradient = [
                outer * inner(u[0]) / half_axes[0],
                outer * inner(u[1]) / half_axes[1],
                (u[2] / gauge).powf(n1 - 1.0) / half_axes[2],
            ];
            (gauge - 1.0).abs() / length(&gradient)
        }
        "polygon" => {
            let corners = points(&shape["vertices"]);
            let height = |k: usize| {
                let (p, q) = (&corners[k], &corners[(k + 1) % corners.len()]);
                let (side, offset) = (subtract(q, p), subtract(&y, p));
                (offset[0] * side[1] - offset[1] * side[0]) / length(&side)
            };
            (0..corners.len()).map(height).fold(f64::NEG_INFINITY, f64::max).abs()
        }
        "polyhedron" => {
            let vertices = points(&shape["vertices"]);
            let height = |face: &Value| {
                let corners: Vec<&Vector> =
                    face.as_array().unwrap().iter().map(|v| &vertices[v.as_u64().unwrap() as usize]).collect();
                let mut normal = vec![0.0; 3];
                for k in 1..corners.len() - 1 {
                    let (a, b) = (subtract(corners[k], corners[0]), subtract(corners[k + 1], corners[0]));
                    for i in 0..3 {
                        normal[i] += a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
                    }
                }
                dot(&normal, &subtract(&y, corners[0])) / length(&normal)
            };
            shape["faces"].as_array().unwrap().iter().map(height).fold(f64::NEG_INFINITY, f64::max).abs()
        }
        other => panic!("{other}"),
    }
}

/// Everything that `check_contacts.py --strict` would object to, and the surface area besides.
fn objections(case: &Value, answer: &ContactAnswer) -> Vec<String> {
    let mut found = Vec::new();
    let mut object = |wrong: bool, what: String| {
        if wrong {
            found.push(what);
        }
    };
    let size = size(case);
    let tolerance = |name: &str| case["tol"][name].as_f64();
    let separation = case["separation"].as_f64().unwrap();
    let overlap = case["overlap"].as_bool().unwrap();
    object(answer.overlap != overlap && separation.abs() >= VERDICT_BAND * size, "verdict".to_string());
    let error = (answer.separation - separation).abs();
    let limit = 10.0 * tolerance("separation").unwrap_or(0.0) + SEPARATION_SLACK * size;
    object(error > limit, format!("separation off by {error}, limit {limit}"));

    object((length(&answer.normal) - 1.0).abs() > 1e-12, "normal is not a unit vector".to_string());
    if let (Some(normal), Some(accuracy)) = (vector(&case["normal"]), tolerance("normal")) {
        assert_eq!(answer.normal.len(), normal.len());
        let sum: Vector = answer.normal.iter().zip(&normal).map(|(x, y)| x + y).collect();
        let angle = 2.0 * length(&subtract(&answer.normal, &normal)).atan2(length(&sum));
        // A value error e allows a direction error of about sqrt(2 e / length) at a smooth optimum.
        let conditioning = (2.0 * limit / separation.max(1e-3 * size)).sqrt();
        let limit = 10.0 * accuracy + ANGLE_SLACK + conditioning;
        object(angle > limit, format!("normal off by {angle} rad, limit {limit}"));
    }
    if let (false, Some(point_a), Some(point_b)) = (overlap, vector(&case["point_a"]), vector(&case["point_b"])) {
        let apart = length(&subtract(&answer.point_b, &answer.point_a));
        let off = (apart - separation)
            .abs()
            .max(surface_error(&case["A"], &answer.point_a))
            .max(surface_error(&case["B"], &answer.point_b));
        object(off > POINT_LIMIT * size, format!("points off the surfaces by {off}"));
        if case["points_unique"] == json!(true) {
            let off = |found: &[f64], truth: &[f64]| length(&subtract(found, truth));
            let error = off(&answer.point_a, &point_a).max(off(&answer.point_b, &point_b));
            let limit = 10.0 * tolerance("points").unwrap_or(0.0) + (2.0 * SEPARATION_SLACK).sqrt() * size;
            object(error > limit, format!("points off by {error}, limit {limit}"));
        }
    }
    // Planar kinds have an area and a perimeter in place of volume and surface.
    let measure = case["volume"].as_f64().map(|volume| (volume, tolerance("volume_rel").unwrap_or(0.0)));
    let area = || case["area"].as_f64().map(|area| (area, tolerance("area_abs").unwrap_or(0.0) / area));
    if let Some((volume, accuracy)) = measure.or_else(area).filter(|(volume, _)| *volume > 0.0) {
        let relative = |got: Option<f64>, truth: f64| got.map_or(f64::INFINITY, |got| (got / truth - 1.0).abs());
        let error = relative(answer.volume, volume);
        let limit = 10.0 * accuracy + VOLUME_SLACK;
        object(error > limit, format!("volume off by {error}, limit {limit}"));
        if let Some(area) = case["surface_area"].as_f64().filter(|_| case["id"] != json!(AREA_WITHOUT_CAP)) {
            let error = relative(answer.surface_area, area);
            let limit = 10.0 * tolerance("surface_rel").unwrap_or(0.0) + SURFACE_SLACK;
            object(error > limit, format!("surface area off by {error}, limit {limit}"));
        }
        if let Some(perimeter) = case["perimeter"].as_f64() {
            let error = relative(answer.surface_area, perimeter);
            object(error > limit, format!("perimeter off by {error}, limit {limit}"));
        }
        if let Some(centroid) = vector(&case["centroid"]) {
            let error = answer.centroid.as_ref().map_or(f64::INFINITY, |got| length(&subtract(got, &centroid)));
            let limit = 10.0 * tolerance("centroid").unwrap_or(0.0) + VOLUME_SLACK * size;
            object(error > limit, format!("centroid off by {error}, limit {limit}"));
        }
    } else if separation > VERDICT_BAND * size {
        object(answer.volume.is_some(), "a volume although apart".to_string());
    }
    found
}

/// The same case with the names of the bodies exchanged.
fn exchanged(case: &Value) -> Value {
    let mut other = case.clone();
    for (to, from) in [("A", "B"), ("B", "A"), ("point_a", "point_b"), ("point_b", "point_a")] {
        other[to] = case[from].clone();
    }
    if let Some(normal) = vector(&case["normal"]) {
        other["normal"] = json!(normal.iter().map(|x| -x).collect::<Vec<f64>>());
    }
    other
}

fn question(case: &Value) -> String {
    json!({"id": case["id"], "kind": case["kind"], "A": case["A"], "B": case["B"]}).to_string()
}

/// Holds every case of a file to the strict limits: in either order by the default method, and by the general one.
fn check(name: &str) {
    let cases = vectors(name);
    assert_eq!(cases.len(), 200, "{name}");
    let mut wrong = Vec::new();
    for case in &cases {
        let swapped = exchanged(case);
        for (case, method) in [(case, "exact"), (&swapped, "exact"), (case, "general")] {
            match answer_line(&question(case), Way::by(method)) {
                Answer::Contact(answer) => {
                    assert_eq!(answer.id, case["id"]);
                    assert_eq!(answer.method, method);
                    let mut objections = objections(case, &answer);
                    if !answer.converged {
                        objections.push("it did not converge".to_string());
                    }
                    if !objections.is_empty() {
                        wrong.push(format!("{} by {method}: {objections:?}", case["id"]));
                    }
                }
                Answer::Error(error) => wrong.push(format!("{}: {}", case["id"], error.error)),
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong answers, the first:\n{}", wrong.len(), wrong[..wrong.len().min(20)].join("\n"));
}

macro_rules! kinds {
    ($($test:ident: $file:literal,)*) => {$(
        #[test]
        fn $test() {
            check($file);
        }
    )*

        /// Every file of vectors has its test.
        const FILES: &[&str] = &[$($file),*];
    };
}

kinds! {
    sphere_sphere_vectors_pass_strictly_in_either_order: "sphere-sphere.jsonl",
    sphere_halfspace_vectors_pass_strictly_in_either_order: "sphere-halfspace.jsonl",
    cylinder_sphere_vectors_pass_strictly_in_either_order: "cyl-sphere.jsonl",
    cylinder_cylinder_vectors_pass_strictly_in_either_order: "cyl-cyl.jsonl",
    cylinder_halfspace_vectors_pass_strictly_in_either_order: "cyl-halfspace.jsonl",
    cylinder_polyhedron_vectors_pass_strictly_in_either_order: "cyl-poly.jsonl",
    cylinder_superquadric_vectors_pass_strictly_in_either_order: "cyl-sq.jsonl",
    polyhedron_sphere_vectors_pass_strictly_in_either_order: "poly-sphere.jsonl",
    polyhedron_polyhedron_vectors_pass_strictly_in_either_order: "poly-poly.jsonl",
    polyhedron_halfspace_vectors_pass_strictly_in_either_order: "poly-halfspace.jsonl",
    polyhedron_superquadric_vectors_pass_strictly_in_either_order: "poly-sq.jsonl",
    superquadric_sphere_vectors_pass_strictly_in_either_order: "sq-sphere.jsonl",
    superquadric_superquadric_vectors_pass_strictly_in_either_order: "sq-sq.jsonl",
    superquadric_halfspace_vectors_pass_strictly_in_either_order: "sq-halfspace.jsonl",
    disc_disc_vectors_pass_strictly_in_either_order: "disc-disc.jsonl",
    disc_polygon_vectors_pass_strictly_in_either_order: "disc-polygon.jsonl",
    polygon_polygon_vectors_pass_strictly_in_either_order: "polygon-polygon.jsonl",
}

#[test]
fn every_file_of_vectors_has_a_test() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/vectors");
    for entry in std::fs::read_dir(folder).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(
            !name.ends_with(".jsonl") || name == "counterexamples.jsonl" || FILES.contains(&name.as_str()),
            "{name}"
        );
    }
}

/// The published method for cylinders has the verdict right, the volume to what its layers or edges allow, and says so where
/// it was not asked.
#[test]
fn the_published_method_answers_for_cylinders_that_overlap() {
    for (method, allowed) in [("feng-layered", 1e-2), ("feng-edge", 1.0)] {
        let mut n_regions = 0;
        for case in vectors("cyl-cyl.jsonl") {
            let Answer::Contact(answer) = answer_line(&question(&case), Way::by(method)) else {
                panic!("{}", case["id"])
            };
            let separation = case["separation"].as_f64().unwrap();
            if separation.abs() > VERDICT_BAND * size(&case) {
                assert_eq!(json!(answer.overlap), case["overlap"], "{}", case["id"]);
                assert_eq!(answer.method, if answer.overlap { method } else { "exact" }, "{}", case["id"]);
            }
            if let (Some(found), Some(known)) = (answer.volume, case["volume"].as_f64()) {
                assert!((found / known - 1.0).abs() < allowed, "{} by {method}: {found} {known}", case["id"]);
                n_regions += 1;
            }
        }
        assert!(n_regions > 100, "{n_regions}");
        for file in ["cyl-sphere.jsonl", "cyl-halfspace.jsonl", "disc-disc.jsonl"] {
            for case in vectors(file).iter().step_by(10) {
                let (found, exact) =
                    (answer_line(&question(case), Way::by(method)), answer_line(&question(case), Way::by("exact")));
                assert_eq!(found, exact, "{}", case["id"]);
            }
        }
    }
}

/// Cases that break published methods. Where there is a note the separation is only a bound, and the verdict is all that
/// is known.
#[test]
fn counterexamples_to_published_methods_are_answered_rightly() {
    let cases = vectors("counterexamples.jsonl");
    assert_eq!(cases.len(), 46);
    for case in &cases {
        for method in ["exact", "general"] {
            let Answer::Contact(answer) = answer_line(&question(case), Way::by(method)) else {
                panic!("{}", case["id"])
            };
            assert!(answer.converged, "{}", case["id"]);
            assert_eq!(json!(answer.overlap), case["overlap"], "{}", case["id"]);
            if case["separation_note"].is_null() {
                let error = (answer.separation - case["separation"].as_f64().unwrap()).abs();
                assert!(error <= SEPARATION_SLACK * size(case), "{}: off by {error}", case["id"]);
            }
        }
    }
}

#[test]
fn the_check_objects_to_damaged_answers() {
    let cases = vectors("sphere-sphere.jsonl");
    let deep = |case: &&Value| case["tags"].as_array().unwrap().contains(&json!("deep")) && case["normal"].is_array();
    let deep = cases.iter().find(deep).unwrap();
    let apart = cases.iter().find(|case| case["points_unique"] == json!(true)).unwrap();
    let answer = |case: &Value| match answer_line(&question(case), Way::PLAIN) {
        Answer::Contact(answer) => answer,
        Answer::Error(error) => panic!("{}", error.error),
    };
    let damaged = |case: &Value, damage: &dyn Fn(&mut ContactAnswer)| {
        let mut wrong = answer(case);
        damage(&mut wrong);
        !objections(case, &wrong).is_empty()
    };
    assert!(damaged(deep, &|a| a.overlap = false));
    assert!(damaged(deep, &|a| a.separation *= 1.0 + 1e-4));
    assert!(damaged(deep, &|a| a.normal.iter_mut().for_each(|x| *x = -*x)));
    assert!(damaged(deep, &|a| a.volume = a.volume.map(|x| x * 1.0001)));
    assert!(damaged(deep, &|a| a.surface_area = a.surface_area.map(|x| x * 1.0001)));
    assert!(damaged(deep, &|a| a.centroid = None));
    assert!(damaged(apart, &|a| std::mem::swap(&mut a.point_a, &mut a.point_b)));
}

/// A good question, with one place changed.
fn question_with(pointer: &str, value: Value) -> String {
    let mut question = json!({
        "id": "q7",
        "A": {"shape": {"type": "sphere", "r": 1.0},
              "pose": {"position": [0.0, 0.0, 0.5], "quaternion": [1.0, 0.0, 0.0, 0.0]}},
        "B": {"shape": {"type": "halfspace"},
              "pose": {"position": [0.0, 0.0, 0.0], "quaternion": [1.0, 0.0, 0.0, 0.0]}},
    });
    *question.pointer_mut(pointer).unwrap_or_else(|| panic!("{pointer}")) = value;
    question.to_string()
}

fn error_of(line: &str) -> (Value, String) {
    match answer_line(line, Way::PLAIN) {
        Answer::Error(error) => (error.id, error.error),
        Answer::Contact(answer) => panic!("{line} was answered: {answer:?}"),
    }
}

#[test]
fn the_question_is_answered_in_world_coordinates() {
    let Answer::Contact(answer) = answer_line(&question_with("/id", json!("q7")), Way::by("exact")) else {
        panic!("an error");
    };
    assert_eq!(answer.id, json!("q7"));
    assert!(answer.overlap);
    assert_eq!(answer.separation, -0.5);
    assert_eq!(answer.normal, [0.0, 0.0, -1.0]);
    assert_eq!(answer.point_a, [0.0, 0.0, -0.5]);
    assert_eq!(answer.point_b, [0.0, 0.0, 0.0]);
    // A cap of height 1/2: pi h^2 (3 - h) / 3.
    assert!((answer.volume.unwrap() - std::f64::consts::PI * 5.0 / 24.0).abs() < 1e-15);
    let json: Value = serde_json::from_str(&Answer::Contact(answer).to_json()).unwrap();
    let keys: Vec<&String> = json.as_object().unwrap().keys().collect();
    assert_eq!(keys.len(), 13, "{keys:?}");
}

#[test]
fn apart_the_common_region_is_null() {
    let line = question_with("/A/pose/position", json!([0.0, 0.0, 5.0]));
    let answer: Value = serde_json::from_str(&answer_line(&line, Way::PLAIN).to_json()).unwrap();
    assert_eq!(answer["overlap"], json!(false));
    assert_eq!(answer["separation"], json!(4.0));
    assert!(answer["volume"].is_null() && answer["centroid"].is_null() && answer["surface_area"].is_null());
}

#[test]
fn broken_questions_are_refused_with_their_place() {
    for (pointer, value, expected) in [
        ("/A", json!(3), "A: expected an object, found a number"),
        ("/A/shape", json!([]), "A.shape: expected an object, found an array"),
        (
            "/B/shape/type",
            json!("cube"),
            "B.shape.type: unknown shape `cube`; supported: sphere, cylinder, capsule, cone, tablet, superquadric, polyhedron, \
             halfspace, disc, polygon",
        ),
        ("/A/shape/type", json!("cylinder"), "A.shape.h is missing; expected a number"),
        (
            "/A/shape",
            json!({"type": "cylinder", "r": 1, "h": -1}),
            "A.shape: cylinder height is -2; it must be a positive, finite length",
        ),
        ("/A/shape", json!({"type": "disc", "r": 1}), "A.pose.position: expected 2 numbers, found 3"),
        (
            "/A",
            json!({"shape": {"type": "disc", "r": 1}, "pose": {"position": [0, 0], "angle": 0}}),
            "A is planar and B is not; both must be, or neither",
        ),
        (
            "/A/shape",
            json!({"type": "polyhedron", "vertices": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], "faces": [[0, 1, 4.5]]}),
            "A.shape.faces[0][2]: expected the number of a vertex, found 4.5",
        ),
        (
            "/A/shape",
            json!({"type": "polyhedron", "vertices": [[0, 0, 0], [1, 0, 0], [0, 1]]}),
            "A.shape.vertices[2]: expected 3 numbers, found 2",
        ),
        ("/B/shape/type", json!(null), "B.shape.type: expected a string, found null"),
        ("/A/shape/type", json!("halfspace"), "A and B are both of type `halfspace`; at least one must be a grain"),
        ("/A/shape/r", json!(0.0), "A.shape.r: a radius must be positive, found 0"),
        ("/A/shape/r", json!(-2), "A.shape.r: a radius must be positive, found -2"),
        ("/A/shape/r", json!("1"), "A.shape.r: expected a number, found a string"),
        ("/A/shape", json!({"type": "sphere"}), "A.shape.r is missing; expected a number"),
        (
            "/A/shape",
            json!({"r": 1.0}),
            "A.shape.type is missing; supported: sphere, cylinder, capsule, cone, tablet, superquadric, polyhedron, halfspace, disc, polygon",
        ),
        ("/A/pose", json!(null), "A.pose: expected an object, found null"),
        ("/A/pose", json!({"quaternion": [1, 0, 0, 0]}), "A.pose.position is missing; expected an array of 3 numbers"),
        ("/A/pose/position", json!([1, 2]), "A.pose.position: expected 3 numbers, found 2"),
        ("/A/pose/position", json!([1, null, 2]), "A.pose.position[1]: expected a number, found null"),
        ("/B/pose/quaternion", json!([1, 0, 0]), "B.pose.quaternion: expected 4 numbers, found 3"),
        (
            "/B/pose/quaternion",
            json!([0, 0, 0, 0.0]),
            "B.pose.quaternion: a zero quaternion has no direction; [1, 0, 0, 0] is no rotation",
        ),
        (
            "/B/pose/quaternion",
            json!([2, 0, 0, 0]),
            "B.pose.quaternion: expected a unit quaternion [w, x, y, z], found one of length 2",
        ),
    ] {
        let (id, error) = error_of(&question_with(pointer, value));
        assert_eq!(error, expected);
        assert_eq!(id, json!("q7"), "{expected}");
    }
}

#[test]
fn a_line_that_cannot_be_read_has_a_null_id() {
    for line in ["", "   ", "{", "{\"id\": \"x", "[1, 2]", "null", "7", "NaN", "{\"id\": NaN}", "\u{0}", "[[[[[["] {
        let (id, error) = error_of(line);
        assert_eq!(id, Value::Null, "{line}");
        assert!(!error.is_empty());
        let json: Value = serde_json::from_str(&answer_line(line, Way::PLAIN).to_json()).unwrap();
        assert!(json["error"].is_string() && json["id"].is_null());
    }
    assert_eq!(error_of("{\"id\": [1]}"), (Value::Null, "id: expected a string, found an array".to_string()));
    // What goes wrong after the id leaves the id: a line cut short, a number that no double holds, nesting without end.
    assert_eq!(error_of("{\"id\": \"x\", ").0, json!("x"));
    assert_eq!(error_of("{\"id\": \"x\", \"A\": 1e999}").0, json!("x"));
    assert_eq!(error_of(&"[".repeat(100_000)).0, Value::Null);
}

#[test]
fn a_bad_quaternion_is_refused_and_a_nearly_good_one_is_not() {
    for (w, good) in [(1.0 + 9e-7, true), (1.0 - 9e-7, true), (1.0 + 2e-6, false), (1e-200, false), (1e200, false)] {
        let answer = answer_line(&question_with("/A/pose/quaternion", json!([w, 0.0, 0.0, 0.0])), Way::PLAIN);
        assert_eq!(!answer.is_error(), good, "{w}: {answer:?}");
    }
    let line = question_with("/B/pose/quaternion", json!([1.0 + 9e-7, 0.0, 0.0, 0.0]));
    let Answer::Contact(answer) = answer_line(&line, Way::PLAIN) else { panic!("an error") };
    assert!((length(&answer.normal) - 1.0).abs() < 1e-15);
}

#[test]
fn numbers_that_overflow_are_an_error_and_not_null() {
    for (pointer, value) in [
        ("/A/pose/position", json!([1e308, -1e308, 1e308])),
        ("/A/shape/r", json!(1e150)),
        (
            "/B",
            json!({"shape": {"type": "sphere", "r": 1e300},
                      "pose": {"position": [1e200, 0, 0], "quaternion": [1, 0, 0, 0]}}),
        ),
    ] {
        let mut line = question_with(pointer, value);
        if pointer == "/A/pose/position" {
            // So far apart that the difference of the positions overflows.
            line = line.replace("[0.0,0.0,0.0]", "[-1e308,1e308,-1e308]");
        }
        let (id, error) = error_of(&line);
        assert_eq!(id, json!("q7"));
        assert!(error.contains("too large"), "{pointer}: {error}");
    }
}

#[test]
fn unknown_fields_are_ignored_and_ids_echoed() {
    let mut question: Value = serde_json::from_str(&question_with("/id", json!(12))).unwrap();
    question["colour"] = json!({"deep": [1, 2, {"a": null}]});
    question["A"]["shape"]["name"] = json!("ball");
    question["A"]["pose"]["angle"] = json!("none");
    let Answer::Contact(answer) = answer_line(&question.to_string(), Way::PLAIN) else { panic!("an error") };
    assert_eq!(answer.id, json!(12));
    question.as_object_mut().unwrap().remove("id");
    let Answer::Contact(answer) = answer_line(&question.to_string(), Way::PLAIN) else { panic!("an error") };
    assert_eq!(answer.id, Value::Null);
}

#[test]
fn an_unknown_method_is_refused_by_name() {
    assert_eq!(methods()[0].name(), "exact");
    let Answer::Error(error) = answer_line(&question_with("/id", json!("q7")), Way::by("guess")) else {
        panic!("was answered");
    };
    assert_eq!(
        error.error,
        "unknown method `guess`; known methods: exact, general, feng-layered, feng-edge, cundall, liu"
    );
    assert_eq!(error.id, json!("q7"));
}

#[test]
fn what_is_chosen_of_the_published_method_is_answered_or_refused() {
    let cylinder = json!({"type": "cylinder", "r": 1.0, "h": 0.5});
    let capsule = json!({"type": "capsule", "r": 0.5, "h": 0.5});
    let pose = json!({"position": [0.4, 0.1, 0.9], "quaternion": [0.96, 0.28, 0.0, 0.0]});
    let ask = |b: &Value, method: &str, choices: FengChoices| {
        let mut question: Value = serde_json::from_str(&question_with("/A/shape", cylinder.clone())).unwrap();
        question["A"]["pose"] = json!({"position": [0, 0, 0], "quaternion": [1, 0, 0, 0]});
        question["B"] = json!({"shape": b, "pose": pose});
        answer_line(&question.to_string(), Way { choices, ..Way::by(method) })
    };
    let answered = |b: &Value, method: &str, choices: FengChoices| match ask(b, method, choices) {
        Answer::Contact(answer) => answer,
        Answer::Error(error) => panic!("{error:?}"),
    };
    let heavy = FengChoices { factor: Some(4.0), ..FengChoices::NONE };
    for (b, method) in [(&cylinder, "feng-layered"), (&cylinder, "feng-edge"), (&capsule, "feng-layered")] {
        let (plain, heavy) = (answered(b, method, FengChoices::NONE), answered(b, method, heavy));
        assert_eq!((plain.method, heavy.separation), (method, 2.0 * plain.separation));
        assert_eq!((plain.volume, plain.centroid), (heavy.volume, heavy.centroid));
    }
    // Edges are those of cylinders.
    assert_eq!(answered(&capsule, "feng-edge", heavy).method, "exact");
    let said = |method: &str, choices: FengChoices| match ask(&cylinder, method, choices) {
        Answer::Contact(answer) => panic!("{answer:?}"),
        Answer::Error(error) => error.error,
    };
    assert!(said("exact", heavy).starts_with("`exact` is not the method of Feng, Han & Owen"));
    let layers = FengChoices { n_layers: Some(4), ..FengChoices::NONE };
    assert_eq!(said("feng-edge", layers), "`feng-edge` has no layers: choose the points of an edge, or `feng-layered`");
}

#[test]
fn a_common_plane_tells_how_it_was_found_and_other_methods_do_not() {
    let vertices: Vec<[i32; 3]> = (0..8).map(|k| [k & 1, k >> 1 & 1, k >> 2].map(|bit| 2 * bit - 1)).collect();
    let cube = json!({"type": "polyhedron", "vertices": vertices});
    let square = json!({"type": "polygon", "vertices": [[-1, -1], [1, -1], [1, 1], [-1, 1]]});
    let solid =
        |shape: &Value, z: f64| json!({"shape": shape, "pose": {"position": [0, 0, z], "quaternion": [1, 0, 0, 0]}});
    let flat = |x: f64, y: f64| json!({"shape": square, "pose": {"position": [x, y], "angle": 0.0}});
    let ask = |a: &Value, b: &Value, way: Way| {
        let line = answer_line(&json!({"id": 1, "A": a, "B": b}).to_string(), way).to_json();
        serde_json::from_str::<Value>(&line).unwrap()
    };
    let fields = ["contact_kind", "common_point", "iterations", "ended_by"];
    for (method, ended_by) in [("cundall", "angle"), ("liu", "both")] {
        let cubes = ask(&solid(&cube, 0.0), &solid(&cube, 1.9), Way::by(method));
        assert_eq!((&cubes["method"], &cubes["contact_kind"]), (&json!(method), &json!("face-face")));
        assert_eq!((&cubes["ended_by"], &cubes["common_point"]), (&json!(ended_by), &json!(true)));
        assert!((cubes["separation"].as_f64().unwrap() + 0.1).abs() < 1e-9 && cubes["iterations"].as_u64() > Some(10));
        assert!((cubes["volume"].as_f64().unwrap() - 0.4).abs() < 1e-12 && cubes["converged"] == json!(true));
        let squares = ask(&flat(0.0, 0.0), &flat(1.9, 0.6), Way::by(method));
        assert_eq!(squares["contact_kind"], json!("edge-edge"));
        assert!(
            (squares["separation"].as_f64().unwrap() + 0.1).abs() < 1e-5
                && squares["normal"].as_array().unwrap().len() == 2
        );
        // What it is not for is answered exactly, and looks as ever.
        let ball = json!({"type": "sphere", "r": 1});
        let other = ask(&solid(&cube, 0.0), &solid(&ball, 1.9), Way::by(method));
        assert_eq!(other["method"], json!("exact"));
        assert!(fields.iter().all(|field| other.get(field).is_none()), "{other}");
    }
    let exact = ask(&solid(&cube, 0.0), &solid(&cube, 1.9), Way::PLAIN);
    assert!(fields.iter().all(|field| exact.get(field).is_none()), "{exact}");
    let plane = CommonPlaneChoices { end: Some(EndBy::Either), ..CommonPlaneChoices::NONE };
    let early = ask(&flat(0.0, 0.0), &flat(1.9, 0.6), Way { plane, ..Way::by("liu") });
    assert_eq!(early["ended_by"], json!("increment"));
    let refused = |method| ask(&flat(0.0, 0.0), &flat(1.9, 0.6), Way { plane, ..Way::by(method) })["error"].to_string();
    assert!(refused("exact").contains("`exact` has no common plane") && refused("cundall").contains("for `liu`"));
}

#[test]
fn asked_as_run_rims_give_way_and_the_answer_tells() {
    let mut question: Value =
        serde_json::from_str(&question_with("/A/shape", json!({"type": "cylinder", "r": 2.0, "h": 1.0}))).unwrap();
    question["B"]["shape"] = json!({"type": "halfspace"});
    let ask =
        |question: &Value, gives_way: bool| match answer_line(&question.to_string(), Way { gives_way, ..Way::PLAIN }) {
            Answer::Contact(answer) => answer,
            Answer::Error(error) => panic!("{error:?}"),
        };
    // The middle of a level end does not give way.
    let (plain, as_run) = (ask(&question, false), ask(&question, true));
    assert!(!plain.gives_way && plain.volume.is_some(), "{plain:?}");
    assert!(as_run.gives_way && as_run.volume.is_none(), "{as_run:?}");
    assert!((as_run.separation - plain.separation).abs() < 1e-9 * plain.separation.abs(), "{as_run:?}");
    question["A"]["shape"] = json!({"type": "sphere", "r": 1.0});
    assert!(!ask(&question, true).gives_way);
}

#[test]
fn asked_with_a_crown_flat_ends_bulge_and_the_answer_tells_by_how_much() {
    let ask = |a: Value, b: Value, crown: f64| {
        let mut question: Value = serde_json::from_str(&question_with("/A/shape", a)).unwrap();
        question["B"]["shape"] = b;
        match answer_line(&question.to_string(), Way { crown, ..Way::PLAIN }) {
            Answer::Contact(answer) => answer,
            Answer::Error(error) => panic!("{error:?}"),
        }
    };
    // An upright cylinder of height 2, its lower end at z = -0.5, on a half-space and in a box of half height 0.3.
    let cylinder = || json!({"type": "cylinder", "r": 2.0, "h": 1.0});
    let corner = |k: usize| [0, 1, 2].map(|axis| if k >> axis & 1 == 0 { -1.0 } else { 1.0 } * [4.0, 4.0, 0.3][axis]);
    let slab = json!({"type": "polyhedron", "vertices": (0..8).map(corner).collect::<Vec<_>>()});
    for (b, depth) in [(json!({"type": "halfspace"}), 0.5), (slab, 0.8)] {
        let plain = ask(cylinder(), b.clone(), 0.0);
        assert!((plain.separation + depth).abs() < 1e-12 && plain.crown == 0.0, "{plain:?}");
        assert!(plain.volume.is_some());
        for crown in [DEFAULT_CROWN, 0.01] {
            let crowned = ask(cylinder(), b.clone(), crown);
            assert!((crowned.separation + depth + crown).abs() < 1e-9, "{crowned:?}");
            assert!(crowned.crown == crown && crowned.volume.is_none() && crowned.converged, "{crowned:?}");
            assert!(crowned.point_a[..2].iter().all(|x| x.abs() < 1e-6), "{crowned:?}");
        }
    }
    let ball = ask(json!({"type": "sphere", "r": 1.0}), json!({"type": "halfspace"}), DEFAULT_CROWN);
    assert!(ball.crown == 0.0 && ball.volume.is_some(), "{ball:?}");
}
