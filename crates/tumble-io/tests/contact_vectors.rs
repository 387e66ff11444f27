//! Every vector in tests/vectors, held to the limits of `check_contacts.py --strict`, with A and B in either order; and
//! the answer to every kind of broken question.

use serde_json::{Value, json};
use std::path::PathBuf;
use tumble_io::contact_query::{Answer, ContactAnswer, answer_line, methods};

// The limits of check_contacts.py.
const VERDICT_BAND: f64 = 1e-9;
const SEPARATION_SLACK: f64 = 1e-9;
const POINT_LIMIT: f64 = 1e-6;
const VOLUME_SLACK: f64 = 1e-6;
const ANGLE_SLACK: f64 = 1e-6;

type Vector = [f64; 3];

fn subtract(a: Vector, b: Vector) -> Vector {
    std::array::from_fn(|i| a[i] - b[i])
}

fn length(a: Vector) -> f64 {
    a.iter().map(|x| x * x).sum::<f64>().sqrt()
}

fn vector(value: &Value) -> Option<Vector> {
    let numbers: Vec<f64> = value.as_array()?.iter().filter_map(Value::as_f64).collect();
    numbers.try_into().ok()
}

fn vectors(name: &str) -> Vec<Value> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/vectors").join(name);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The larger radius; a half-space has none.
fn size(case: &Value) -> f64 {
    ["A", "B"].iter().filter_map(|body| case[body]["shape"]["r"].as_f64()).fold(0.0, f64::max)
}

/// Distance of a world point from the surface of a body.
fn surface_error(body: &Value, point: Vector) -> f64 {
    let offset = subtract(point, vector(&body["pose"]["position"]).unwrap());
    match body["shape"]["type"].as_str().unwrap() {
        "sphere" => (length(offset) - body["shape"]["r"].as_f64().unwrap()).abs(),
        "halfspace" => {
            let q: Vec<f64> =
                body["pose"]["quaternion"].as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect();
            let (w, x, y, z) = (q[0], q[1], q[2], q[3]);
            let normal = [2.0 * (x * z + w * y), 2.0 * (y * z - w * x), 1.0 - 2.0 * (x * x + y * y)];
            normal.iter().zip(offset).map(|(n, d)| n * d).sum::<f64>().abs()
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

    object((length(answer.normal) - 1.0).abs() > 1e-12, "normal is not a unit vector".to_string());
    if let (Some(normal), Some(accuracy)) = (vector(&case["normal"]), tolerance("normal")) {
        let sum: Vector = std::array::from_fn(|i| answer.normal[i] + normal[i]);
        let angle = 2.0 * length(subtract(answer.normal, normal)).atan2(length(sum));
        // A value error e allows a direction error of about sqrt(2 e / length) at a smooth optimum.
        let conditioning = (2.0 * limit / separation.max(1e-3 * size)).sqrt();
        let limit = 10.0 * accuracy + ANGLE_SLACK + conditioning;
        object(angle > limit, format!("normal off by {angle} rad, limit {limit}"));
    }
    if let (false, Some(point_a), Some(point_b)) = (overlap, vector(&case["point_a"]), vector(&case["point_b"])) {
        let apart = length(subtract(answer.point_b, answer.point_a));
        let off = (apart - separation)
            .abs()
            .max(surface_error(&case["A"], answer.point_a))
            .max(surface_error(&case["B"], answer.point_b));
        object(off > POINT_LIMIT * size, format!("points off the surfaces by {off}"));
        if case["points_unique"] == json!(true) {
            let error = length(subtract(answer.point_a, point_a)).max(length(subtract(answer.point_b, point_b)));
            let limit = 10.0 * tolerance("points").unwrap_or(0.0) + (2.0 * SEPARATION_SLACK).sqrt() * size;
            object(error > limit, format!("points off by {error}, limit {limit}"));
        }
    }
    if let Some(volume) = case["volume"].as_f64() {
        let relative = |got: Option<f64>, truth: f64| got.map_or(f64::INFINITY, |got| (got / truth - 1.0).abs());
        let error = relative(answer.volume, volume);
        let limit = 10.0 * tolerance("volume_rel").unwrap_or(0.0) + VOLUME_SLACK;
        object(error > limit, format!("volume off by {error}, limit {limit}"));
        if let Some(area) = case["surface_area"].as_f64() {
            let error = relative(answer.surface_area, area);
            let limit = 10.0 * tolerance("surface_rel").unwrap_or(0.0) + VOLUME_SLACK;
            object(error > limit, format!("surface area off by {error}, limit {limit}"));
        }
        if let Some(centroid) = vector(&case["centroid"]) {
            let error = answer.centroid.map_or(f64::INFINITY, |got| length(subtract(got, centroid)));
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
        other["normal"] = json!(normal.map(|x| -x));
    }
    other
}

fn question(case: &Value) -> String {
    json!({"id": case["id"], "kind": case["kind"], "A": case["A"], "B": case["B"]}).to_string()
}

fn check(name: &str) {
    let cases = vectors(name);
    assert_eq!(cases.len(), 200, "{name}");
    for case in cases {
        for case in [exchanged(&case), case] {
            match answer_line(&question(&case), None) {
                Answer::Contact(answer) => {
                    assert_eq!(answer.id, case["id"]);
                    assert!(answer.converged);
                    assert_eq!(answer.method, "exact");
                    let objections = objections(&case, &answer);
                    assert!(objections.is_empty(), "{}: {objections:?}", case["id"]);
                }
                Answer::Error(error) => panic!("{}: {}", case["id"], error.error),
            }
        }
    }
}

#[test]
fn sphere_sphere_vectors_pass_strictly_in_either_order() {
    check("sphere-sphere.jsonl");
}

#[test]
fn sphere_halfspace_vectors_pass_strictly_in_either_order() {
    check("sphere-halfspace.jsonl");
}

#[test]
fn the_check_objects_to_damaged_answers() {
    let cases = vectors("sphere-sphere.jsonl");
    let deep = |case: &&Value| case["tags"].as_array().unwrap().contains(&json!("deep")) && case["normal"].is_array();
    let deep = cases.iter().find(deep).unwrap();
    let apart = cases.iter().find(|case| case["points_unique"] == json!(true)).unwrap();
    let answer = |case: &Value| match answer_line(&question(case), None) {
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
    assert!(damaged(deep, &|a| a.normal = a.normal.map(|x| -x)));
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
    match answer_line(line, None) {
        Answer::Error(error) => (error.id, error.error),
        Answer::Contact(answer) => panic!("{line} was answered: {answer:?}"),
    }
}

#[test]
fn the_question_is_answered_in_world_coordinates() {
    let Answer::Contact(answer) = answer_line(&question_with("/id", json!("q7")), Some("exact")) else {
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
    assert_eq!(keys.len(), 11, "{keys:?}");
}

#[test]
fn apart_the_common_region_is_null() {
    let line = question_with("/A/pose/position", json!([0.0, 0.0, 5.0]));
    let answer: Value = serde_json::from_str(&answer_line(&line, None).to_json()).unwrap();
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
            "/A/shape/type",
            json!("cylinder"),
            "A.shape.type: `cylinder` is not supported yet; supported: sphere, halfspace",
        ),
        ("/B/shape/type", json!("cube"), "B.shape.type: unknown shape `cube`; supported: sphere, halfspace"),
        ("/B/shape/type", json!(null), "B.shape.type: expected a string, found null"),
        ("/A/shape/type", json!("halfspace"), "A and B are both of type `halfspace`; at least one must be a grain"),
        ("/A/shape/r", json!(0.0), "A.shape.r: a radius must be positive, found 0"),
        ("/A/shape/r", json!(-2), "A.shape.r: a radius must be positive, found -2"),
        ("/A/shape/r", json!("1"), "A.shape.r: expected a number, found a string"),
        ("/A/shape", json!({"type": "sphere"}), "A.shape.r is missing; expected a number"),
        ("/A/shape", json!({"r": 1.0}), "A.shape.type is missing; supported: sphere, halfspace"),
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
        let json: Value = serde_json::from_str(&answer_line(line, None).to_json()).unwrap();
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
        let answer = answer_line(&question_with("/A/pose/quaternion", json!([w, 0.0, 0.0, 0.0])), None);
        assert_eq!(!answer.is_error(), good, "{w}: {answer:?}");
    }
    let line = question_with("/B/pose/quaternion", json!([1.0 + 9e-7, 0.0, 0.0, 0.0]));
    let Answer::Contact(answer) = answer_line(&line, None) else { panic!("an error") };
    assert!((length(answer.normal) - 1.0).abs() < 1e-15);
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
    let Answer::Contact(answer) = answer_line(&question.to_string(), None) else { panic!("an error") };
    assert_eq!(answer.id, json!(12));
    question.as_object_mut().unwrap().remove("id");
    let Answer::Contact(answer) = answer_line(&question.to_string(), None) else { panic!("an error") };
    assert_eq!(answer.id, Value::Null);
}

#[test]
fn an_unknown_method_is_refused_by_name() {
    assert_eq!(methods()[0].name, "exact");
    let Answer::Error(error) = answer_line(&question_with("/id", json!("q7")), Some("guess")) else {
        panic!("was answered");
    };
    assert_eq!(error.error, "unknown method `guess`; known methods: exact");
    assert_eq!(error.id, json!("q7"));
}
