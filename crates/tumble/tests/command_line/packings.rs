//! The packings of cylinders of `validation/feng-packing`, small: the driver runs them and checks what it checks.

use crate::workshop::Workshop;
use std::path::Path;
use std::process::Command;

/// A packing, and few grains of other proportions, so that they take seconds.
const FEW: &str = "8";
const HUNDRED: &str = "100";

#[test]
fn stubby_cylinders_settle_and_none_escapes() {
    check("2", HUNDRED);
}

#[test]
fn long_rods_settle_and_none_escapes() {
    check("4", FEW);
}

#[test]
fn cylinders_of_every_proportion_settle_and_none_escapes() {
    check("6", FEW);
}

fn check(case: &str, n_grains: &str) {
    let driver = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../validation/feng-packing/run");
    let workshop = Workshop::new();
    let mut command = Command::new("python3");
    command.arg(&driver).args([case, "--reduced", "--count", n_grains, "--threads", "1", "--no-pictures"]);
    command.env("TUMBLE", env!("CARGO_BIN_EXE_tumble")).current_dir(workshop.path("."));
    let Ok(output) = command.output() else {
        eprintln!("python3 was not found: the packings are left out");
        return;
    };
    let said = String::from_utf8_lossy(&output.stdout);
    let complained = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "case {case}:\n{said}\n{complained}");
    assert!(said.contains("no grain escaped") && said.contains("ledger residual"), "{said}");
}
