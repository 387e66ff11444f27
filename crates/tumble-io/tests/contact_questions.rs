//! Answers to contact questions: what is said, what is chosen, and how every kind of broken question is refused.

use serde_json::{Value, json};
use tumble_geometry::DEFAULT_CROWN;
use tumble_geometry::common_plane::{CommonPlaneChoices, EndBy};
use tumble_geometry::feng::FengChoices;
use tumble_io::contact_query::{Answer, Way, answer_line, methods};

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

/// A cone across another body: its rays do not reach the tolerance, and the answer says so.
#[test]
fn a_region_that_is_not_resolved_says_so() {
    let half = std::f64::consts::FRAC_1_SQRT_2;
    let answer = |question: &Value| -> Value {
        serde_json::from_str(&answer_line(&question.to_string(), Way::PLAIN).to_json()).unwrap()
    };
    let mut question: Value = serde_json::from_str(&question_with("/id", json!("q8"))).unwrap();
    assert!(answer(&question).get("region_error").is_none());
    question["A"] = json!({
        "shape": {"type": "cone", "r1": 0.53, "r2": 0.93, "h": 0.3},
        "pose": {"position": [0.0, 0.0, 0.0], "quaternion": [1.0, 0.0, 0.0, 0.0]},
    });
    question["B"] = json!({
        "shape": {"type": "capsule", "r": 0.16, "h": 0.68},
        "pose": {"position": [-0.1, 0, 0.3], "quaternion": [half, half, 0.0, 0.0]},
    });
    let found = answer(&question);
    assert!(found["region_error"].as_f64().is_some_and(|error| error > 1e-7), "{found}");
    assert!(found["volume"].is_f64());
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
    let length = answer.normal.iter().map(|x| x * x).sum::<f64>().sqrt();
    assert!((length - 1.0).abs() < 1e-15);
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
        "unknown method `guess`; known methods: exact, general, feng-layered, feng-edge, cundall, liu, peng-hanley, peng-hanley-guarded, midway"
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

#[test]
fn the_cases_of_a_polyhedron_and_a_superquadric_are_told_and_other_pairs_answered_exactly() {
    let vertices: Vec<[i32; 3]> = (0..8).map(|k| [k & 1, k >> 1 & 1, k >> 2].map(|bit| 2 * bit - 1)).collect();
    let cube = json!({"type": "polyhedron", "vertices": vertices});
    let ball = json!({"type": "superquadric", "a": 1, "b": 1, "c": 1, "n1": 2, "n2": 2});
    let placed =
        |shape: &Value, at: [f64; 3]| json!({"shape": shape, "pose": {"position": at, "quaternion": [1, 0, 0, 0]}});
    let ask = |a: &Value, b: &Value, at: [f64; 3], method: &str| {
        let question = json!({"id": 1, "A": placed(a, [0.0; 3]), "B": placed(b, at)});
        serde_json::from_str::<Value>(&answer_line(&question.to_string(), Way::by(method)).to_json()).unwrap()
    };
    for (at, case, ended_by, guarded) in [
        ([2.5, 0.3, 0.2], json!(1), "initial-face-positive", "initial-face-positive"),
        ([1.9, 0.3, 0.2], json!(2), "initial-face", "initial-face"),
        ([1.9, 1.8, 0.2], json!(5), "search-and-return-apart", "search-and-return-apart"),
        ([1.6, 1.7, 0.2], json!(6), "edge", "edge"),
        ([1.5, 1.5, 1.4], json!(6), "vertex", "vertex"),
        ([0.5, 0.2, 0.1], json!(8), "centre-inside", "exact"),
    ] {
        let published = ask(&cube, &ball, at, "peng-hanley");
        assert_eq!((&published["case"], &published["ended_by"]), (&case, &json!(ended_by)), "{published}");
        assert!(published["face_switches"].is_u64() && published["method"] == json!("peng-hanley"));
        let with_guards = ask(&cube, &ball, at, "peng-hanley-guarded");
        assert_eq!(with_guards["ended_by"], json!(guarded), "{with_guards}");
        let exact = ask(&cube, &ball, at, "exact");
        assert_eq!(exact["overlap"], published["overlap"]);
        assert!(["case", "ended_by", "face_switches"].iter().all(|field| exact.get(field).is_none()), "{exact}");
    }
    let cubes = ask(&cube, &cube, [0.0, 0.0, 1.9], "peng-hanley");
    assert_eq!((&cubes["method"], cubes.get("case")), (&json!("exact"), None));
}
