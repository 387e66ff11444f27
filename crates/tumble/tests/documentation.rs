//! Holds README.md, ARCHITECTURE.md and the book to the code.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// All files with an ending below a directory, in order.
fn files(directory: &Path, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut entries: Vec<PathBuf> = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            found.extend(files(&path, ending));
        } else if path.extension().is_some_and(|extension| extension == ending) {
            found.push(path);
        }
    }
    found
}

/// The pages people read.
fn pages() -> Vec<PathBuf> {
    let root = workspace();
    let mut pages = files(&root.join("docs"), "md");
    pages.extend(["README.md", "ARCHITECTURE.md", "CHANGELOG.md"].map(|name| root.join(name)));
    pages
}

/// A fenced block of a page.
struct Fence {
    /// What stands after the fence.
    language: String,
    text: String,
    line: usize,
}

/// The fenced blocks of a page, and the rest of it.
fn split(page: &str) -> (Vec<Fence>, String) {
    let (mut fences, mut prose, mut open) = (Vec::<Fence>::new(), String::new(), false);
    for (index, line) in page.lines().enumerate() {
        match (line.strip_prefix("```"), open) {
            (Some(language), false) => {
                fences.push(Fence { language: language.to_string(), text: String::new(), line: index + 1 });
                open = true;
            }
            (Some(_), true) => open = false,
            (None, true) => {
                let text = &mut fences.last_mut().unwrap().text;
                text.push_str(line);
                text.push('\n');
            }
            (None, false) => {
                prose.push_str(line);
                prose.push('\n');
            }
        }
    }
    assert!(!open, "a block is not closed");
    (fences, prose)
}

/// The least scene: parts of scenes are laid beside it.
const LEAST: &str = include_str!("../../../scenes/minimal.toml");

#[test]
fn every_scene_in_the_documentation_can_be_run() {
    let directory = tempfile::tempdir().unwrap();
    // A run that others begin with.
    fs::write(directory.path().join("least.toml"), LEAST).unwrap();
    let settled = ["run", "least.toml", "--out", "settled-run", "--set", "time.end=10 us", "--quiet"];
    let made = Command::new(env!("CARGO_BIN_EXE_tumble")).args(settled).current_dir(directory.path()).status();
    assert!(made.unwrap().success());
    let mut n_scenes = 0;
    for page in pages() {
        for fence in split(&fs::read_to_string(&page).unwrap()).0 {
            let place = format!("{}:{}", page.display(), fence.line);
            match fence.language.as_str() {
                // A table that the scene after it names.
                "csv" => fs::write(directory.path().join("grains.csv"), &fence.text).unwrap(),
                "obj" => fs::write(directory.path().join("bracket.obj"), &fence.text).unwrap(),
                "toml" => {
                    let scene = match fence.text.lines().next() {
                        Some("# scene") => fence.text,
                        Some("# part of a scene") => beside_the_least(&fence.text),
                        _ => panic!("{place}: begin it with `# scene` or `# part of a scene`"),
                    };
                    fs::write(directory.path().join("scene.toml"), scene).unwrap();
                    let output = Command::new(env!("CARGO_BIN_EXE_tumble"))
                        .args(["check", "scene.toml"])
                        .current_dir(directory.path())
                        .output()
                        .unwrap();
                    assert!(output.status.success(), "{place}:\n{}", String::from_utf8_lossy(&output.stderr));
                    n_scenes += 1;
                }
                _ => {}
            }
        }
    }
    assert!(n_scenes >= 5, "only {n_scenes} scenes were found");
}

/// A part of a scene with the rest of the least one: a list of tables takes the place of the line with that key.
fn beside_the_least(part: &str) -> String {
    let replaces = |line: &str| {
        let key = line.split([' ', '.']).next().unwrap();
        part.lines().any(|own| own == format!("[[{key}]]"))
    };
    let rest: Vec<&str> = LEAST.lines().filter(|line| !replaces(line)).collect();
    format!("{}\n{part}", rest.join("\n"))
}

#[test]
fn the_scene_of_the_readme_is_five_lines() {
    let readme = fs::read_to_string(workspace().join("README.md")).unwrap();
    let (fences, _) = split(&readme);
    let scene = fences.iter().find(|fence| fence.language == "toml").unwrap();
    assert_eq!(scene.text.lines().skip(1).collect::<Vec<_>>(), LEAST.lines().collect::<Vec<_>>());
}

#[test]
fn the_summary_lists_every_page_once() {
    let source = workspace().join("docs/src");
    let summary = fs::read_to_string(source.join("SUMMARY.md")).unwrap();
    let listed: Vec<PathBuf> = links(&summary).iter().map(|target| source.join(target)).collect();
    let unique: BTreeSet<&PathBuf> = listed.iter().collect();
    assert_eq!(unique.len(), listed.len(), "a page is listed twice");
    let there = files(&source, "md");
    let there: BTreeSet<&PathBuf> = there.iter().filter(|page| !page.ends_with("SUMMARY.md")).collect();
    assert_eq!(unique, there);
}

#[test]
fn every_link_leads_somewhere() {
    let mut n_links = 0;
    for page in pages() {
        let text = fs::read_to_string(&page).unwrap();
        let prose = split(&text).1;
        for target in links(&prose) {
            if target.contains("://") {
                continue;
            }
            let (path, anchor) = target.split_once('#').unwrap_or((target.as_str(), ""));
            let file = if path.is_empty() { page.clone() } else { page.parent().unwrap().join(path) };
            assert!(file.exists(), "{}: {target} is not there", page.display());
            if !anchor.is_empty() {
                let headings = fs::read_to_string(&file).unwrap();
                let found = headings
                    .lines()
                    .filter_map(|l| l.trim_start_matches('#').strip_prefix(' '))
                    .any(|h| anchor_of(h) == anchor);
                assert!(found, "{}: no heading for {target}", page.display());
            }
            n_links += 1;
        }
    }
    assert!(n_links > 50, "only {n_links} links were found");
}

/// What stands between `](` and `)`.
fn links(text: &str) -> Vec<String> {
    text.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(target, _)| target.to_string()).collect()
}

/// The anchor that a heading gets.
fn anchor_of(heading: &str) -> String {
    let kept = heading.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.collect::<String>().to_lowercase().replace(' ', "-")
}

#[test]
fn the_key_reference_is_the_schema_s() {
    let page = workspace().join("docs/src/scene-reference.md");
    assert_eq!(
        fs::read_to_string(&page).unwrap(),
        tumble_io::schema::markdown_reference(),
        "\nthe keys have changed; write the page anew:\n  cargo run --release -- schema --markdown > docs/src/scene-reference.md\n"
    );
}

#[test]
fn every_command_is_on_the_page_of_the_command_line() {
    let page = fs::read_to_string(workspace().join("docs/src/command-line.md")).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_tumble")).arg("--help").output().unwrap();
    let help = String::from_utf8(output.stdout).unwrap();
    let (_, rest) = help.split_once("Commands:\n").unwrap();
    let commands: Vec<&str> =
        rest.lines().take_while(|line| !line.is_empty()).filter_map(|line| line.split_whitespace().next()).collect();
    assert!(commands.contains(&"run"));
    for command in commands.iter().filter(|command| **command != "help") {
        assert!(page.contains(&format!("`tumble {command}")), "tumble {command} is not explained");
    }
}

#[test]
fn every_invariant_names_a_test_that_exists() {
    let text = fs::read_to_string(workspace().join("ARCHITECTURE.md")).unwrap();
    let (_, invariants) = text.split_once("## Invariants").unwrap();
    let sources: Vec<String> =
        files(&workspace().join("crates"), "rs").iter().map(|file| fs::read_to_string(file).unwrap()).collect();
    let sources = sources.concat().split_whitespace().collect::<Vec<_>>().join(" ");
    for row in invariants.lines().filter(|line| line.starts_with("| ")).skip(1) {
        let named: Vec<&str> = row.split('`').skip(1).step_by(2).filter(|name| !name.contains(['.', '/'])).collect();
        assert!(!named.is_empty(), "no test holds: {row}");
        for name in named {
            assert!(sources.contains(&format!("#[test] fn {name}() {{")), "there is no test {name}");
        }
    }
}

#[test]
fn equations_survive_markdown() {
    for page in files(&workspace().join("docs/src"), "md") {
        let text = split(&fs::read_to_string(&page).unwrap()).1;
        let parts: Vec<&str> = text.split("$$").collect();
        assert!(parts.len() % 2 == 1, "{}: an equation is not closed", page.display());
        for equation in parts.iter().skip(1).step_by(2) {
            // Markdown takes these for emphasis or escapes before the equation is set.
            for sign in ["}_", "*", "\\\\", "\\_", "\\{"] {
                assert!(!equation.contains(sign), "{}: {sign} in {equation}", page.display());
            }
        }
    }
}
