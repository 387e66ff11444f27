//! `tumble contact` on lines, good and bad, and on the vectors.

use crate::workshop::{Ended, Workshop};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};

const GOOD: &str = r#"{"id":"pair","A":{"shape":{"type":"sphere","r":1},"pose":{"position":[0,0,0],"quaternion":[1,0,0,0]}},"B":{"shape":{"type":"sphere","r":1},"pose":{"position":[0,0,1.5],"quaternion":[1,0,0,0]}},"extra":1}"#;

#[test]
fn bad_lines_do_not_keep_good_ones_from_being_answered() {
    let workshop = Workshop::new();
    fs::write(workshop.path("good.jsonl"), format!("{GOOD}\n\n{GOOD}")).unwrap();
    let ended = workshop.tumble(&["contact", "good.jsonl"]).with_code(0);
    assert_eq!(ended.stdout.lines().count(), 2);
    let answer: serde_json::Value = serde_json::from_str(ended.stdout.lines().next().unwrap()).unwrap();
    assert_eq!(answer["id"], "pair");
    assert_eq!(answer["separation"], -0.5);

    let mut mixed = format!("no json\n{GOOD}\n{{\"id\":\"empty\"}}\n").into_bytes();
    mixed.extend(b"\xff\xfe\n");
    fs::write(workshop.path("mixed.jsonl"), mixed).unwrap();
    let ended = workshop.tumble(&["contact", "mixed.jsonl", "--method", "exact"]).with_code(1);
    let answers: Vec<serde_json::Value> =
        ended.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(answers.len(), 4);
    let failed: Vec<bool> = answers.iter().map(|answer| answer.get("error").is_some()).collect();
    assert_eq!(failed, [true, false, true, true]);
    assert_eq!(answers[2]["id"], "empty");
    workshop.tumble(&["contact", "absent.jsonl"]).with_code(1).complains("absent.jsonl");
    workshop.tumble(&["contact", "good.jsonl", "--method", "guess"]).with_code(1).complains("exact");
}

#[test]
fn a_byte_order_mark_and_windows_line_ends_do_not_spoil_a_line() {
    let workshop = Workshop::new();
    fs::write(workshop.path("marked.jsonl"), format!("\u{feff}{GOOD}\r\n{GOOD}\r\n")).unwrap();
    let ended = workshop.tumble(&["contact", "marked.jsonl"]).with_code(0);
    assert_eq!(ended.stdout.lines().count(), 2);
}

#[test]
fn a_line_with_nan_in_it_is_refused_under_its_own_id() {
    let workshop = Workshop::new();
    let broken = GOOD.replace("1.5", "NaN");
    let deep = format!(r#" {{ "id" : "deep", "x": {}"#, "[".repeat(1000));
    let cut = r#"{"id": 7, "A": {"shape": "#;
    let no_id = r#"{"A": NaN, "id": "late"}"#;
    let half = r#"{"id": "ha"#;
    fs::write(workshop.path("broken.jsonl"), [&broken, &deep, cut, no_id, half].join("\n")).unwrap();
    let ended = workshop.tumble(&["contact", "broken.jsonl"]).with_code(1);
    let answers: Vec<serde_json::Value> =
        ended.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let ids: Vec<&serde_json::Value> = answers.iter().map(|answer| &answer["id"]).collect();
    let null = serde_json::Value::Null;
    assert_eq!(ids, [&"pair".into(), &"deep".into(), &7.into(), &null, &null]);
    assert!(answers.iter().all(|answer| answer["error"].is_string()));
}

#[test]
fn each_line_is_answered_before_the_next_is_read() {
    let mut child = Workshop::new().command(&["contact"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut questions = child.stdin.take().unwrap();
    let mut answers = BufReader::new(child.stdout.take().unwrap());
    for _ in 0..3 {
        writeln!(questions, "{GOOD}").unwrap();
        let mut answer = String::new();
        answers.read_line(&mut answer).unwrap();
        assert!(answer.contains("\"separation\":-0.5"), "{answer}");
    }
    drop(questions);
    assert!(child.wait().unwrap().success());
}

#[test]
fn the_vectors_are_met() {
    let vectors = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/vectors");
    let Ok(version) = Command::new("python3").arg("--version").output() else {
        eprintln!("skipped: there is no python3");
        return;
    };
    assert!(version.status.success());
    let output = Command::new("python3")
        .arg(vectors.join("check_contacts.py"))
        .args(
            ["sphere-sphere", "sphere-halfspace", "poly-poly", "disc-polygon"]
                .map(|kind| vectors.join(format!("{kind}.jsonl"))),
        )
        .args(["--strict", "--cmd", &format!("'{}' contact -", env!("CARGO_BIN_EXE_tumble"))])
        .output()
        .unwrap();
    Ended::of(output).with_code(0);
}
