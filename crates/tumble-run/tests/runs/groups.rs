//! Probes of groups of grains, and the paths of single ones.

use std::path::Path;
use tumble_run::{DVec3, Partner, Run, StoredRun};

/// Large and small beads that settle in a box.
fn scene(more: &str) -> String {
    format!(
        "materials.glass = {{ preset = 'glass', young = '2 MPa', friction = 0.4 }}
        particles = {{ large = {{ diameter = '5 mm' }}, small = {{ diameter = '3 mm' }} }}
        insert = [{{ particles = {{ large = 1, small = 2 }},
                     fill = {{ region = {{ box = {{ from = [0, 0, 0], to = '2 2 5 cm' }} }}, count = 60 }} }}]
        walls = [{{ box = {{ from = [0, 0, 0], to = '2 2 9 cm', open = ['top'] }} }}]
        time.end = '0.12 s'
        groups.large = {{ particles = ['large'] }}
        groups.small = {{ particles = ['small'] }}
        groups.low = {{ region = {{ box = {{ from = [0, 0, 0], to = '2 2 1 cm' }} }} }}
        groups.high = {{ region = {{ box = {{ from = '0 0 3 cm', to = '2 2 9 cm' }} }}, at = 0 }}
        groups.few = {{ ids = [3, 17, 5] }}
        groups.later = {{ region = {{ box = {{ from = [0, 0, 0], to = '1 2 9 cm' }} }}, particles = ['small'], at = '50 ms' }}
        groups.nobody = {{ region = {{ ball = {{ centre = [5, 5, 5], radius = 1 }} }}, at = '10 ms' }}
        [output]
        vtk = false
        report = false
        trajectory = 'off'
        interval = '10 ms'
        checkpoint = '35 ms'
        {more}"
    )
}

const REGION: &str = "{ region = { box = { from = '2 2 0 mm', to = '18 18 12 mm' } } }";

/// A probe of all grains and the same of each kind.
fn by_kind(what: &str) -> String {
    ["", "large", "small"]
        .map(|group| {
            let of = if group.is_empty() { String::new() } else { format!("group = '{group}'") };
            format!("[[output.probes]]\nname = 'of {group}'\n{of}\n{what}\n")
        })
        .concat()
}

/// The last rows of a probe of all grains and of both kinds.
fn last_rows(what: &str) -> (Run, [Vec<f64>; 3]) {
    let mut run = Run::from_text(&scene(&by_kind(what))).unwrap();
    run.run(&mut ()).unwrap();
    let probes: Vec<_> = run.output_plan().unwrap().probes.iter().map(|planned| planned.probe.clone()).collect();
    let rows = [0, 1, 2].map(|probe| run.measure(&probes[probe]).unwrap().remove(0));
    (run, rows)
}

#[test]
fn what_kinds_have_adds_up_to_what_all_have() {
    // Volumes, and the stress that contacts carry with half of what is between kinds.
    let (_, [all, large, small]) = last_rows(&format!("packing_fraction = {REGION}"));
    assert!(large[2] > 0.0 && small[2] > 0.0);
    assert!((large[2] + small[2] - all[2]).abs() < 1e-12);
    let (_, [all, large, small]) = last_rows(&format!("stress = {REGION}"));
    for entry in 2..11 {
        let pressure = all[20].abs();
        assert!((large[entry] + small[entry] - all[entry]).abs() < 1e-9 * pressure, "{entry}");
    }
    let (run, [all, large, small]) = last_rows("motion = {}");
    assert_eq!((all[2], large[2], small[2]), (60.0, 20.0, 40.0));
    for (extensive, name) in [(3, "mass"), (10, "translation"), (11, "rotation")] {
        assert!((large[extensive] + small[extensive] - all[extensive]).abs() < 1e-12 * all[extensive], "{name}");
    }
    let p = &run.state().particles;
    let mass: f64 = p.mass.iter().sum();
    let centre: DVec3 = p.mass.iter().zip(&p.position).map(|(&m, &x)| m * x).sum::<DVec3>() / mass;
    assert!((DVec3::from_slice(&all[4..7]) - centre).length() < 1e-12);
    let of_kinds = (DVec3::from_slice(&large[4..7]) * large[3] + DVec3::from_slice(&small[4..7]) * small[3]) / mass;
    assert!((of_kinds - centre).length() < 1e-12);
    // Walls carry what each kind presses with.
    let (run, [all, large, small]) = last_rows("wall_loads = {}");
    let n_columns = 7 * (run.model().walls.len() + 1);
    let scale = all[2..2 + n_columns].iter().fold(0.0f64, |most, x| most.max(x.abs()));
    for column in 2..2 + n_columns {
        assert!((large[column] + small[column] - all[column]).abs() < 1e-9 * scale, "{column}");
    }
}

#[test]
fn contacts_of_a_kind_are_counted_whoever_is_touched() {
    let (run, [all, large, small]) = last_rows("coordination = {}");
    let p = &run.state().particles;
    let is_large = |grain: usize| run.model().species[p.species[grain] as usize].name == "large";
    let mut touches = [0.0, 0.0];
    for contact in run.contacts() {
        touches[usize::from(!is_large(contact.a))] += 1.0;
        if let Partner::Particle(b) = contact.partner {
            touches[usize::from(!is_large(b))] += 1.0;
        }
    }
    assert_eq!((large[2], small[2]), (20.0, 40.0));
    assert!((large[3] - touches[0] / 20.0).abs() < 1e-12 && (small[3] - touches[1] / 40.0).abs() < 1e-12);
    assert!((20.0 * large[4] + 40.0 * small[4] - 60.0 * all[4]).abs() < 1e-9);
    // In the fabric a contact between kinds counts for both.
    let (run, [all, large, small]) = last_rows("fabric = {}");
    let p = &run.state().particles;
    let is_large = |grain: usize| run.model().species[p.species[grain] as usize].name == "large";
    let is_mixed = |contact: &&_| matches!(contact, tumble_run::ContactRecord { a, partner: Partner::Particle(b), .. } if is_large(*a) != is_large(*b));
    let mixed = run.contacts().iter().filter(is_mixed).count() as f64;
    assert!(mixed > 0.0);
    assert_eq!(large[2] + small[2], all[2] + mixed);
}

#[test]
fn groups_of_a_moment_follow_their_grains_and_come_back_from_a_checkpoint() {
    let probes = ["large", "low", "high", "few", "later", "nobody"]
        .map(|group| format!("[[output.probes]]\nname = '{group}'\ngroup = '{group}'\ntrack = {{}}\n"))
        .concat();
    let text = scene(&probes);
    let directory = tempfile::tempdir().unwrap();
    let (whole, cut) = (directory.path().join("whole"), directory.path().join("cut"));
    let mut run = Run::from_text(&text).unwrap();
    run.record_in(&whole, false).unwrap();
    let begins_high: Vec<u32> = {
        let p = &run.state().particles;
        let mut ids: Vec<u32> = (0..p.len()).filter(|&i| p.position[i].z >= 0.03).map(|i| p.id[i]).collect();
        ids.sort();
        ids
    };
    assert!(begins_high.len() > 5);
    run.run(&mut ()).unwrap();
    // Rows of a moment: time, step, grain, place ...
    let rows = |root: &Path, group: &str| -> Vec<Vec<f64>> {
        let text = std::fs::read_to_string(root.join(format!("probes/{group}.csv"))).unwrap();
        text.lines().skip(1).map(|row| row.split(',').map(|cell| cell.parse().unwrap()).collect()).collect()
    };
    let ids_at = |group: &str, moment: usize| -> Vec<u32> {
        let rows = rows(&whole, group);
        let mut times: Vec<f64> = rows.iter().map(|row| row[0]).collect();
        times.dedup();
        rows.iter().filter(|row| row[0] == times[moment]).map(|row| row[2] as u32).collect()
    };
    // They have all come down, and are the same.
    assert_eq!(ids_at("high", 0), begins_high);
    assert_eq!(ids_at("high", 12), begins_high);
    assert!(rows(&whole, "high").iter().rev().take(begins_high.len()).all(|row| row[5] < 0.04));
    assert_eq!(ids_at("few", 0), [3, 5, 17]);
    // One that goes by what is so now changes, and one of a later moment begins there.
    assert_ne!(ids_at("low", 0), ids_at("low", 12));
    assert!((rows(&whole, "later")[0][0] - 0.05).abs() < 1e-4);
    let later = ids_at("later", 0);
    assert!(!later.is_empty() && later == ids_at("later", 7));
    assert!(rows(&whole, "nobody").is_empty());
    let warnings = run.read_report().unwrap().unwrap().warnings;
    assert!(
        warnings.iter().any(|warning| warning.contains("no grain was in the group `nobody` at t = 0.01 s")),
        "{warnings:?}"
    );
    // The last row is the state.
    let (p, row) = (&run.state().particles, rows(&whole, "few").pop().unwrap());
    let grain = p.id.iter().position(|&id| id == 17).unwrap();
    assert_eq!(DVec3::from_slice(&row[3..6]), p.position[grain]);
    assert_eq!(DVec3::from_slice(&row[6..9]), p.velocity[grain]);
    assert_eq!(row[19], p.kinetic_energy(grain));

    for stop in [0.04, 0.08] {
        let mut stopped = Run::from_text(&text).unwrap();
        stopped.record_in(&cut, true).unwrap();
        stopped.run_until(stop, &mut ()).unwrap();
        drop(stopped);
        let mut resumed = StoredRun::open(&cut).unwrap().resume(None, &mut ()).unwrap();
        assert!(resumed.time() < stop);
        resumed.run(&mut ()).unwrap();
        assert_eq!(resumed.state_hash(), run.state_hash());
        for group in ["low", "high", "later"] {
            let read = |root: &Path| std::fs::read_to_string(root.join(format!("probes/{group}.csv"))).unwrap();
            assert_eq!(read(&cut), read(&whole), "{group}");
        }
    }
}

#[test]
fn what_cannot_be_told_of_a_group_is_refused() {
    for (what, says) in [
        ("removed = {}", "is told by kind, and not of a group"),
        ("collisions = {}", "collisions are not told of a group"),
        ("flow = { point = [0, 0, 0], normal = [0, 0, 1] }", "is told by kind, and not of a group"),
    ] {
        let probe = format!("[[output.probes]]\ngroup = 'large'\n{what}\n");
        let error = Run::from_text(&scene(&probe)).unwrap_err().to_string();
        assert!(error.contains(says), "{what}: {error}");
    }
    let hard = scene("[[output.probes]]\ngroup = 'large'\nwall_loads = {}\n");
    let error = Run::from_text(&format!("solver = 'hard-stepped'\n{hard}")).unwrap_err().to_string();
    assert!(error.contains("where contacts take no time, loads are not told of a group"), "{error}");
}
