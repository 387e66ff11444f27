//! Holds what ARCHITECTURE.md says about the crates: which may depend on which, and what each must not name.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The crates, each with the crates of this project that it may depend on. Arrows point one way.
const LAYERS: [(&str, &[&str]); 8] = [
    ("tumble-lanes", &[]),
    ("tumble-geometry", &["tumble-lanes"]),
    ("tumble-engine", &["tumble-geometry"]),
    ("tumble-io", &["tumble-geometry", "tumble-engine"]),
    ("tumble-run", &["tumble-geometry", "tumble-engine", "tumble-io"]),
    ("tumble-pictures", &["tumble-geometry", "tumble-engine", "tumble-io"]),
    ("tumble-viewer", &["tumble-geometry", "tumble-engine", "tumble-io", "tumble-pictures"]),
    ("tumble", &["tumble-geometry", "tumble-engine", "tumble-io", "tumble-run", "tumble-pictures", "tumble-viewer"]),
];

/// Programs that measure, in benchmarks/. Nothing depends on them; they may bring what they compare with.
const BENCHMARKS: [(&str, &[&str]); 1] = [("tumble-pairs-benchmark", &["tumble-geometry"])];

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// Names of everything each crate of the workspace depends on, tests and builds included.
fn dependencies() -> BTreeMap<String, Vec<String>> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--offline", "--format-version", "1"])
        .current_dir(workspace())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let name = |value: &serde_json::Value| value["name"].as_str().unwrap().to_string();
    let packages = metadata["packages"].as_array().unwrap();
    packages.iter().map(|p| (name(p), p["dependencies"].as_array().unwrap().iter().map(name).collect())).collect()
}

#[test]
fn dependencies_point_one_way() {
    let found = dependencies();
    let members = || LAYERS.into_iter().chain(BENCHMARKS);
    let known: Vec<&str> = members().map(|(name, _)| name).collect();
    assert_eq!(
        found.keys().map(String::as_str).collect::<std::collections::BTreeSet<_>>(),
        known.iter().copied().collect()
    );
    for (name, allowed) in members() {
        for dependency in found[name].iter().filter(|d| known.contains(&d.as_str())) {
            assert!(allowed.contains(&dependency.as_str()), "{name} depends on {dependency}");
        }
    }
}

#[test]
fn geometry_depends_on_nothing_but_vectors_predicates_and_errors() {
    // Tests read vectors with serde_json.
    let allowed = ["glam", "tumble-lanes", "thiserror", "robust", "proptest", "serde_json"];
    for dependency in &dependencies()["tumble-geometry"] {
        assert!(allowed.contains(&dependency.as_str()), "tumble-geometry depends on {dependency}");
    }
}

#[test]
fn only_the_command_line_depends_on_what_is_for_people() {
    for (name, found) in dependencies().iter().filter(|(name, _)| *name != "tumble") {
        for dependency in ["anyhow", "clap", "indicatif", "ctrlc"] {
            assert!(!found.iter().any(|f| f == dependency), "{name} depends on {dependency}");
        }
    }
}

#[test]
fn geometry_names_no_physics_files_or_threads() {
    // Moments at unit density are geometry: mass.rs.
    let words = ["force", "forces", "masses", "velocity", "time", "serde", "rayon"];
    assert_absent("tumble-geometry", &words, &["std::fs", "std::io", "std::thread", "std::env"]);
}

#[test]
fn the_engine_neither_prints_nor_reads_files_nor_environment() {
    let words = ["println", "print", "eprintln", "eprint", "dbg", "stdout", "stderr", "serde", "anyhow"];
    assert_absent("tumble-engine", &words, &["std::fs", "std::env", "std::process", "std::time"]);
}

#[test]
fn only_the_command_line_prints() {
    let words = ["println", "print", "eprintln", "eprint", "dbg", "stdout", "stderr", "anyhow"];
    assert_absent("tumble-io", &words, &["std::process"]);
    assert_absent("tumble-run", &words, &["std::process", "std::env"]);
    assert_absent("tumble-pictures", &words, &["std::process"]);
    assert_absent("tumble-viewer", &words, &["std::process"]);
}

#[test]
fn the_viewer_only_reads() {
    // A run that is watched must be the run that is not.
    let paths = ["std::fs::write", "fs::remove", "File::create", "OpenOptions", "Writer", "open_for_writing"];
    assert_absent("tumble-viewer", &[], &paths);
}

#[test]
fn nothing_but_lanes_is_unsafe_and_nothing_is_left_to_do() {
    for (name, _) in LAYERS {
        assert_absent(name, &["todo", "unimplemented"], &[]);
        if name != "tumble-lanes" {
            assert_absent(name, &["unsafe"], &[]);
        }
    }
}

#[test]
fn lanes_depend_on_nothing_but_vectors() {
    assert_eq!(dependencies()["tumble-lanes"], ["glam"]);
}

#[test]
fn the_search_finds_what_is_planted() {
    let planted = "let a = \"// no comment\"; // mass\n/// force\nuse std::fs; let normal_force = 'a'; let c = '\"'; // x\nlet wide_band = r#\"a\"#;";
    let code = without_comments(planted);
    assert_eq!(offence(&code, &["mass"], &[]), None);
    assert_eq!(offence(&code, &["force"], &[]), Some("force"));
    assert_eq!(offence(&code, &[], &["std::fs"]), Some("std::fs"));
    assert_eq!(offence(&code, &["comment"], &[]), Some("comment"), "strings are code");
    assert_eq!(offence(&code, &["and", "band"], &[]), Some("band"));
    assert_eq!(offence(&code, &["and", "x"], &[]), None);
}

/// Fails if a source file of a crate, tests included, names a word or a path outside comments.
fn assert_absent(crate_name: &str, words: &[&str], paths: &[&str]) {
    let root = workspace().join("crates").join(crate_name).join("src");
    let mut files = Vec::new();
    collect_sources(&root, &mut files);
    assert!(!files.is_empty(), "no sources in {}", root.display());
    for file in files {
        let code = without_comments(&std::fs::read_to_string(&file).unwrap());
        if let Some(found) = offence(&code, words, paths) {
            panic!("{} names {found}", file.display());
        }
    }
}

fn collect_sources(directory: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect_sources(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

/// The first word that is a whole part of an identifier (`normal_force` names force), or path, that stands in code.
fn offence<'a>(code: &str, words: &[&'a str], paths: &[&'a str]) -> Option<&'a str> {
    let parts: std::collections::HashSet<&str> = code.split(|c: char| !c.is_ascii_alphanumeric()).collect();
    let word = words.iter().find(|word| parts.contains(**word));
    word.or_else(|| paths.iter().find(|path| code.contains(**path))).copied()
}

/// Source text without line comments, and without the lint that forbids unsafe code, which has to name it.
fn without_comments(source: &str) -> String {
    let mut code = String::new();
    for line in source.lines().filter(|line| line.trim() != "#![forbid(unsafe_code)]") {
        let mut in_string = false;
        let mut previous = ' ';
        for (place, c) in line.char_indices() {
            match c {
                '"' if previous != '\\' && !(previous == '\'' && line[place + 1..].starts_with('\'')) => {
                    in_string = !in_string;
                }
                '/' if !in_string && line[place + 1..].starts_with('/') => break,
                _ => {}
            }
            code.push(c);
            previous = if previous == '\\' { ' ' } else { c };
        }
        code.push('\n');
    }
    code
}
