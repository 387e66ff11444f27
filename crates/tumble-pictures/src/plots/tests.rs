use super::*;
use glam::DVec3;
use std::fs;
use std::path::Path;
use tumble_engine::State;
use tumble_engine::observe::{ContactRecord, Partner};
use tumble_io::table::TableWriter;
use tumble_io::trajectory::{DomainMetadata, ShapeMetadata, SpeciesMetadata, TrajectoryMetadata, TrajectoryWriter};

fn table(path: &Path, names: &[&str], rows: &[Vec<f64>]) {
    let mut writer = TableWriter::create(path, names).unwrap();
    rows.iter().for_each(|row| writer.row(row).unwrap());
    writer.flush_and_sync().unwrap();
}

fn names(plots: &Plots) -> Vec<&str> {
    plots.plots.iter().map(|plot| plot.name.as_str()).collect()
}

fn metadata(contacts: bool) -> TrajectoryMetadata {
    let kind = |name: &str, shape: ShapeMetadata| SpeciesMetadata {
        name: name.to_owned(),
        shape,
        given_frame: Default::default(),
        bounding_radius: 1.0,
    };
    TrajectoryMetadata {
        title: String::new(),
        tumble_version: String::new(),
        species: vec![
            kind("ball", ShapeMetadata::Sphere { radius: 1.0 }),
            kind("rod", ShapeMetadata::Cylinder { radius: 0.1, height: 2.0 }),
        ],
        walls: Vec::new(),
        domain: DomainMetadata { lower: [None; 3], upper: [None; 3], periodic: [false; 3] },
        contacts,
    }
}

/// Two balls and two rods in a row, each touching the next.
fn state() -> State {
    let mut state = State { step: 7, time: 7e-3, time_step: 1e-3, ..State::default() };
    for i in 0..4u16 {
        let particles = &mut state.particles;
        particles.id.push(u32::from(i));
        particles.species.push(i / 2);
        particles.scale.push(1.0);
        particles.position.push(DVec3::X * f64::from(i));
        particles.velocity.push(DVec3::Y * f64::from(i));
        particles.angular_velocity.push(DVec3::ZERO);
        particles.orientation.push(glam::DQuat::IDENTITY);
    }
    state
}

fn contact(a: usize, b: usize) -> ContactRecord {
    let force = DVec3::X * 3.0;
    ContactRecord {
        a,
        partner: Partner::Particle(b),
        point: DVec3::ZERO,
        normal: DVec3::X,
        overlap: 0.0,
        branch: DVec3::X,
        force,
        couple: DVec3::ZERO,
    }
}

#[test]
fn an_empty_run_says_what_would_make_each_plot() {
    let root = tempfile::tempdir().unwrap();
    let directory = RunDirectory::create(root.path(), false).unwrap();
    let plots = Plots::of(&directory);
    assert!(plots.plots.is_empty());
    let why = |kind: PlotKind| plots.missing.iter().find(|missing| missing.kind == kind).unwrap().why.clone();
    assert!(why(PlotKind::Energies).contains("series.csv"), "{}", why(PlotKind::Energies));
    assert!(why(PlotKind::Packing).contains("`output.probes`"));
    assert!(why(PlotKind::Profiles).contains("`output.probes`"));
    assert!(why(PlotKind::Histograms).contains("`output.trajectory`"));
}

#[test]
fn every_table_and_the_last_frame_are_drawn() {
    let root = tempfile::tempdir().unwrap();
    let directory = RunDirectory::create(root.path(), false).unwrap();
    let series = [
        "time_s",
        "step",
        "grains",
        "contacts",
        "inserted",
        "removed",
        "kinetic_translation_J",
        "kinetic_rotation_J",
        "potential_J",
        "elastic_normal_J",
        "lost_slip_J",
        "wall_work_J",
        "relative_residual",
        "coordination",
        "largest_overlap_m",
        "largest_relative_overlap",
        "plane_searches",
        "plane_iterations",
        "plane_most_iterations",
        "plane_cut_short",
    ];
    let row = |i: f64| {
        let mut row = vec![i * 0.1, i, 5.0, i, 5.0, 0.0, i, 0.0, 9.0 - i, i, i, 0.0, 1e-6 * i, 2.0, 1e-6 * i, 1e-3 * i];
        row.extend([10.0 * i, 300.0 * i * i, 40.0, 0.0]);
        row
    };
    table(&directory.series_path(), &series, &[row(0.0), row(1.0), row(2.0)]);
    // A run that is killed leaves a row that is cut.
    let mut bytes = fs::read(directory.series_path()).unwrap();
    bytes.extend(b"0.3,3,5,");
    fs::write(directory.series_path(), bytes).unwrap();
    let rows = [vec![0.0, 0.0, 0.5], vec![0.1, 1.0, 0.6]];
    table(&directory.probe_path("my bed"), &["time_s", "step", "packing_fraction"], &rows);
    let profile = ["time_s", "step", "z_m", "grains", "solid_fraction", "velocity_x_m_per_s", "temperature_m2_per_s2"];
    let slice = |step: f64, z: f64| vec![0.1 * step, step, z, 3.0, 0.6, 0.1, 0.0];
    let rows = [slice(0.0, 0.1), slice(0.0, 0.2), slice(1.0, 0.1), slice(1.0, 0.2), slice(2.0, 0.1)];
    table(&directory.probe_path("column"), &profile, &rows);
    let rows = [vec![0.0, 0.0, 0.1, 3.0, -0.5], vec![0.0, 0.0, 0.2, 0.0, f64::NAN]];
    table(&directory.probe_path("axes"), &["time_s", "step", "z_m", "grains", "order_parameter"], &rows);
    let rows = [vec![0.0, 0.0, 1.0, 0.0], vec![0.1, 1.0, 5.0, 0.0]];
    table(&directory.probe_path("touching"), &["time_s", "step", "side_rim", "rim_rim"], &rows);
    let mut writer = TrajectoryWriter::create(&directory.trajectory_path(), &metadata(true)).unwrap();
    writer.write_frame(&state(), &[contact(0, 1), contact(1, 2), contact(2, 3)]).unwrap();

    let plots = Plots::of(&directory);
    let expected = [
        "energies",
        "ledger-residual",
        "number-of-contacts",
        "coordination",
        "iterations",
        "overlap",
        "packing",
        "grains",
        "contact-kinds-touching",
        "profile-axes-order",
        "profile-column-solid-fraction",
        "profile-column-temperature",
        "profile-column-velocity",
        "histogram-speed",
        "histogram-coordination",
        "histogram-force",
        "histogram-orientation",
    ];
    assert_eq!(names(&plots), expected);
    assert_eq!(plots.missing, []);
    let chart = |name: &str| &plots.plots.iter().find(|plot| plot.name == name).unwrap().chart;
    // Rotation and the walls do nothing here, so that there are five lines, with the three whole rows.
    let energies = &chart("energies").series;
    assert_eq!(
        energies.iter().map(|series| series.name.as_str()).collect::<Vec<_>>(),
        ["kinetic, moving", "potential", "elastic", "total", "lost"]
    );
    assert!(energies.iter().all(|series| series.points.len() == 3));
    // Of the counts that grow, what came between two moments.
    let mean = &chart("iterations").series[0].points;
    assert_eq!(mean.iter().map(|point| point[1]).collect::<Vec<_>>(), [30.0, 90.0]);
    // A kind of contact that never came is not there.
    assert_eq!(chart("contact-kinds-touching").series.len(), 1);
    // The moment of which only one slice was written is left out.
    assert_eq!(chart("profile-column-solid-fraction").series.len(), 2);
    assert!(chart("packing").title.contains("my bed"));
    let counts = |name: &str| chart(name).series[0].points.iter().map(|point| point[1]).sum::<f64>();
    assert_eq!(counts("histogram-speed"), 4.0);
    assert_eq!(counts("histogram-force"), 3.0);
    assert_eq!(chart("histogram-coordination").series[0].points, [[-0.5, 0.0], [0.5, 2.0], [1.5, 2.0], [2.5, 0.0]]);
    // Both rods are upright, the balls have no long axis.
    assert_eq!(counts("histogram-orientation"), 2.0);
    assert_eq!(chart("histogram-orientation").series[0].points[19][1], 2.0);
    for plot in &plots.plots {
        crate::raster::rasterise(&plot.chart.to_svg(), 200).unwrap();
    }
}

#[test]
fn a_profile_without_times_is_told() {
    let root = tempfile::tempdir().unwrap();
    let directory = RunDirectory::create(root.path(), false).unwrap();
    let rows = [vec![0.0, 0.1, 0.6], vec![0.0, 0.2, 0.6]];
    table(&directory.probe_path("column"), &["step", "z_m", "solid_fraction"], &rows);
    let plots = Plots::of(&directory);
    assert!(plots.plots.is_empty());
    let told = "profile `column` has no column `time_s`";
    assert!(plots.missing.iter().any(|missing| missing.why == told && !missing.is_by_choice), "{:?}", plots.missing);
}

#[test]
fn a_trajectory_without_contacts_or_with_damage_is_told() {
    let root = tempfile::tempdir().unwrap();
    let directory = RunDirectory::create(root.path(), false).unwrap();
    let mut writer = TrajectoryWriter::create(&directory.trajectory_path(), &metadata(false)).unwrap();
    writer.write_frame(&state(), &[]).unwrap();
    let offset = writer.flush_and_sync().unwrap() as usize;
    writer.write_frame(&state(), &[]).unwrap();
    drop(writer);
    let mut bytes = fs::read(directory.trajectory_path()).unwrap();
    // The payload of the second frame.
    bytes[offset + 95] ^= 0x55;
    fs::write(directory.trajectory_path(), bytes).unwrap();
    let plots = Plots::of(&directory);
    assert_eq!(names(&plots), ["histogram-speed", "histogram-orientation"]);
    assert!(plots.damage.len() == 1 && plots.damage[0].contains("frame 1 is damaged"), "{:?}", plots.damage);
    let told: Vec<&str> = plots.missing.iter().map(|missing| missing.why.as_str()).collect();
    assert!(told.iter().any(|why| why.contains("`output.trajectory_contacts`")), "{told:?}");
    fs::write(directory.series_path(), "time_s,step\n0,0\n1,x\n").unwrap();
    let plots = Plots::of(&directory);
    assert!(plots.missing.iter().any(|missing| missing.why.contains("line 3: `x` is no number")));
}
