//! The packings of `validation/`, small: the drivers run them and check what they check.

use crate::workshop::Workshop;
use std::path::Path;
use std::process::Command;

/// A packing, and few grains of other proportions, so that they take seconds.
const FEW: &str = "8";
const HUNDRED: &str = "100";

#[test]
fn stubby_cylinders_settle_and_none_escapes() {
    cylinders("2", HUNDRED);
}

#[test]
fn long_rods_settle_and_none_escapes() {
    cylinders("4", FEW);
}

#[test]
fn cylinders_of_every_proportion_settle_and_none_escapes() {
    cylinders("6", FEW);
}

#[test]
fn polygons_settle_and_none_escapes() {
    check("liu-packing", &["polygons", "--reduced"], "no grain escaped");
}

/// In the plane a search cannot stall, and the grains come to rest as they do met exactly.
#[test]
fn polygons_settle_by_common_planes_whose_iterations_are_counted() {
    check("liu-packing", &["polygons", "--reduced", "--method", "liu"], "iterations were counted");
}

#[test]
fn rocks_of_the_common_plane_settle_and_none_escapes() {
    check("liu-packing", &["polyhedra", "--reduced"], "no grain escaped");
}

#[test]
fn a_marked_cube_is_followed_to_its_rest() {
    check("liu-packing", &["cubes", "--reduced"], "the marked cube was followed");
}

/// Eighty dice in a box that is periodic to the sides, so that walls do not matter: they must come to rest with a packing fraction between
/// the loosest and the densest of the experiment, 0.54 and 0.67, which leaves room for the few dice that are measured (0.56; 0.62 if they
/// are softer and fall farther). Without friction, or with one that does not hold, it comes to 0.83.
#[test]
fn dice_are_poured_as_densely_as_they_are_measured() {
    check("dice-packing", &["cubes", "--tiny"], "packing fraction between the loosest and the densest");
}

/// Ninety ellipsoids of three different axes without friction, which pack densest of all at random: 0.735 to 0.74, give or take 0.02 for so
/// few. Spheres come to 0.64.
#[test]
fn ellipsoids_pack_as_densely_as_they_are_measured() {
    check("ellipsoid-packing", &["triaxial", "--tiny"], "packing fraction between 0.735 and 0.74");
}

fn cylinders(case: &str, n_grains: &str) {
    check("feng-packing", &[case, "--reduced", "--count", n_grains], "no grain escaped");
}

/// Runs a driver, whose checks must all hold; one of them is named.
fn check(driver: &str, arguments: &[&str], expected: &str) {
    let driver = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../validation").join(driver).join("run");
    let workshop = Workshop::new();
    let mut command = Command::new("python3");
    command.arg(&driver).args(arguments).args(["--threads", "1", "--no-pictures"]);
    command
        .env("TUMBLE", env!("CARGO_BIN_EXE_tumble"))
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .current_dir(workshop.path("."));
    let Ok(output) = command.output() else {
        eprintln!("python3 was not found: the packings are left out");
        return;
    };
    let said = String::from_utf8_lossy(&output.stdout);
    let complained = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}:\n{said}\n{complained}");
    assert!(said.contains(expected), "{said}");
}
