//! What probes count and follow, held against what must come out.

use std::path::Path;
use tumble_run::{Run, StoredRun};

/// The columns of a table by their names.
fn table(path: &Path) -> impl Fn(&str) -> Vec<f64> + use<> {
    let text = std::fs::read_to_string(path).unwrap();
    let names: Vec<String> = text.lines().next().unwrap().split(',').map(str::to_owned).collect();
    let rows: Vec<Vec<f64>> =
        text.lines().skip(1).map(|row| row.split(',').map(|cell| cell.parse().unwrap()).collect()).collect();
    move |name: &str| {
        let place = names.iter().position(|known| known == name).unwrap_or_else(|| panic!("{name} not in {names:?}"));
        rows.iter().map(|row| row[place]).collect()
    }
}

const SOLVERS: [&str; 3] = ["soft", "hard-stepped", "hard-events"];

/// Beads of two kinds that fly through a periodic cell side by side, and the planes they go through.
fn flight(solver: &str) -> String {
    format!(
        "solver = '{solver}'
        materials.glass = {{ preset = 'glass', young = '5 MPa' }}
        particles = {{ large = {{ diameter = '2 mm' }}, small = {{ diameter = '1 mm' }} }}
        gravity = [0, 0, 0]
        domain = {{ from = [0, 0, 0], to = '2 2 2 cm', edges = {{ x = 'periodic', y = 'periodic', z = 'periodic' }} }}
        time = {{ end = '0.1 s', step = '0.1 ms' }}
        [[insert]]
        name = 'large'
        particles = 'large'
        lattice = {{ region = {{ box = {{ from = [0, 0, 0], to = '2 2 1 cm' }} }}, spacing = '4 mm' }}
        velocity = [0.7, -0.31, 0.13]
        [[insert]]
        name = 'small'
        particles = 'small'
        lattice = {{ region = {{ box = {{ from = '0 0 1 cm', to = '2 2 2 cm' }} }}, spacing = '3 mm' }}
        velocity = [0.7, -0.31, 0.13]
        [output]
        vtk = false
        report = false
        trajectory = 'off'
        checkpoint = '37 ms'
        [[output.probes]]
        name = 'whole'
        interval = '10 ms'
        flow = {{ point = '5.3 0 0 mm', normal = [-1, 0, 0] }}
        [[output.probes]]
        name = 'edge'
        flow = {{ point = [0, 0, 0], normal = [0, 1, 0] }}
        [[output.probes]]
        name = 'disc'
        flow = {{ point = '5.3 10 10 mm', normal = [1, 0, 0], radius = '6.1 mm' }}
        [[output.probes]]
        name = 'rectangle'
        flow = {{ point = '5.3 10 10 mm', normal = [2, 0, 0], size = ['9.1 mm', '5.3 mm'], along = [0, 0, 1] }}
        [[output.probes]]
        name = 'oblique'
        flow = {{ point = '4 4 4.1 mm', normal = [1, 1, 0] }}
        "
    )
}

#[test]
fn every_grain_that_goes_through_a_plane_is_counted_once_each_time() {
    let directory = tempfile::tempdir().unwrap();
    for solver in SOLVERS {
        let root = directory.path().join(solver);
        let mut run = Run::from_text(&flight(solver)).unwrap();
        run.record_in(&root, false).unwrap();
        let start = run.state().particles.clone();
        run.run(&mut ()).unwrap();
        let (period, time, velocity) = (0.02, run.time(), [0.7, -0.31, 0.13]);
        let is_large = |grain: usize| run.model().species[start.species[grain] as usize].name == "large";
        assert!((0..start.len()).any(is_large) && !(0..start.len()).all(is_large));
        // How often each goes through images of a plane across an axis, and where on it.
        let ways = |grain: usize, axis: usize, at: f64| {
            let (x, v) = (start.position[grain].to_array(), velocity);
            // Who begins on the plane counts as beyond it: all go against the normal, or have not begun there.
            let images = (-20..20).map(move |n| (at + f64::from(n) * period - x[axis]) / v[axis]);
            images
                .filter(move |&moment| moment >= 0.0 && moment <= time)
                .map(move |moment| [0, 1, 2].map(|k| (x[k] + v[k] * moment).rem_euclid(period)))
        };
        let count = |axis: usize, at: f64, holds: &dyn Fn(f64, f64) -> bool, kinds: &dyn Fn(usize) -> bool| {
            let all = (0..start.len()).filter(|&grain| kinds(grain)).map(|grain| {
                let n = ways(grain, axis, at).filter(|x| holds(x[1] - 0.01, x[2] - 0.01)).count();
                (n, n as f64 * start.mass[grain])
            });
            all.fold((0, 0.0), |sum, one| (sum.0 + one.0, sum.1 + one.1))
        };
        let everyone = |_: usize| true;
        let probe = |name: &str| table(&root.join("probes").join(format!("{name}.csv")));
        let last = |name: &str, column: &str| *probe(name)(column).last().unwrap();

        let (n, mass) = count(0, 0.0053, &|_, _| true, &everyone);
        assert!(n > 300, "{n}");
        assert_eq!(
            (last("whole", "forward"), last("whole", "backward"), last("whole", "net")),
            (0.0, n as f64, -(n as f64))
        );
        assert!((last("whole", "net_kg") / -mass - 1.0).abs() < 1e-12, "{solver}");
        for (kind, large) in [("large", true), ("small", false)] {
            let (n, mass) = count(0, 0.0053, &|_, _| true, &|grain| is_large(grain) == large);
            assert_eq!(last("whole", &format!("{kind}_backward")), n as f64, "{solver} {kind}");
            assert!((last("whole", &format!("{kind}_net_kg")) / -mass - 1.0).abs() < 1e-12);
        }
        // Rates are those since the row before.
        let whole = probe("whole");
        let (times, net, rate) = (whole("time_s"), whole("net"), whole("net_per_s"));
        assert!(rate[0].is_nan() && rate.len() == 11);
        for row in 1..rate.len() {
            let expected = (net[row] - net[row - 1]) / (times[row] - times[row - 1]);
            assert!((rate[row] - expected).abs() <= 1e-9 * expected.abs(), "{solver}");
        }

        // The plane is the edge of the cell.
        let (n, _) = count(1, 0.0, &|_, _| true, &everyone);
        assert_eq!((last("edge", "forward"), last("edge", "backward")), (0.0, n as f64), "{solver}");

        let disc = |y: f64, z: f64| y * y + z * z < 0.0061 * 0.0061;
        let (n, _) = count(0, 0.0053, &disc, &everyone);
        assert!(n > 50 && n < count(0, 0.0053, &|_, _| true, &everyone).0);
        assert_eq!(last("disc", "forward"), n as f64, "{solver}");
        let rectangle = |y: f64, z: f64| y.abs() < 0.5 * 0.0053 && z.abs() < 0.5 * 0.0091;
        assert_eq!(last("rectangle", "forward"), count(0, 0.0053, &rectangle, &everyone).0 as f64, "{solver}");

        // Images of an oblique plane are a period apart along x, seen in x + y.
        let through = (0..start.len()).map(|grain| {
            let from = start.position[grain].x + start.position[grain].y - 0.008;
            let to = from + (velocity[0] + velocity[1]) * time;
            ((to / period).floor() - (from / period).floor()) as i64
        });
        assert_eq!(last("oblique", "net"), through.sum::<i64>() as f64, "{solver}");
    }
}

#[test]
fn counts_go_on_to_the_same_bits_when_a_run_is_resumed() {
    let directory = tempfile::tempdir().unwrap();
    let probes = ["whole", "edge", "disc", "rectangle", "oblique"];
    for solver in SOLVERS {
        let (whole, cut) =
            (directory.path().join(format!("{solver}-whole")), directory.path().join(format!("{solver}-cut")));
        let mut run = Run::from_text(&flight(solver)).unwrap();
        run.record_in(&whole, false).unwrap();
        run.run(&mut ()).unwrap();
        let mut stopped = Run::from_text(&flight(solver)).unwrap();
        stopped.record_in(&cut, false).unwrap();
        stopped.run_until(0.0411, &mut ()).unwrap();
        drop(stopped);
        let mut resumed = StoredRun::open(&cut).unwrap().resume(None, &mut ()).unwrap();
        assert!(resumed.time() < 0.04 && resumed.time() > 0.03);
        resumed.run(&mut ()).unwrap();
        assert_eq!(resumed.state_hash(), run.state_hash(), "{solver}");
        for probe in probes {
            let read = |root: &Path| std::fs::read_to_string(root.join(format!("probes/{probe}.csv"))).unwrap();
            assert_eq!(read(&cut), read(&whole), "{solver}: {probe}");
        }
    }
}

#[test]
fn what_goes_through_an_outlet_is_what_is_removed_below_it_by_kind() {
    let scene = "
        materials.glass = { preset = 'glass', young = '1 MPa' }
        particles = { large = { diameter = '4 mm' }, small = { diameter = '2 mm' } }
        domain = { from = '-10 -10 -5 cm', to = '10 10 10 cm', edges = { z = 'remove' } }
        insert = [{ particles = { large = 1, small = 3 },
                    stream = { region = { box = { from = '-1 -1 3 cm', to = '1 1 4 cm' } }, rate = '1000 1/s', count = 60 } }]
        walls = [{ name = 'plate', plane = { point = [0, 0, 0], normal = [-0.5, 0, 1] }, present = false }]
        time.end = '0.25 s'
        output = { vtk = false, report = false, trajectory = 'off', probes = [
            { name = 'outlet', flow = { point = [0, 0, 0], normal = [0, 0, -1], radius = '2 cm' } },
            { name = 'above', flow = { point = '0 0 2 cm', normal = [0, 0, 1], size = ['2 cm', '2 cm'] } },
            { name = 'left', removed = {} },
        ] }";
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().join("run");
    let mut run = Run::from_text(scene).unwrap();
    run.record_in(&root, false).unwrap();
    run.run(&mut ()).unwrap();
    assert_eq!(run.state().particles.len(), 0);
    let probe = |name: &str| table(&root.join(format!("probes/{name}.csv")));
    let (outlet, above, left) = (probe("outlet"), probe("above"), probe("left"));
    let last = |column: Vec<f64>| *column.last().unwrap();
    for (kind, n, radius) in [("large", 15.0, 0.002f64), ("small", 45.0, 0.001)] {
        assert_eq!(last(outlet(&format!("{kind}_forward"))), n);
        assert_eq!(last(outlet(&format!("{kind}_backward"))), 0.0);
        assert_eq!(last(above(&format!("{kind}_backward"))), n);
        assert_eq!(last(left(&format!("{kind}_removed"))), n);
        let mass = n * 2500.0 * 4.0 / 3.0 * std::f64::consts::PI * radius.powi(3);
        for found in [outlet(&format!("{kind}_net_kg")), left(&format!("{kind}_removed_kg"))] {
            assert!((last(found) / mass - 1.0).abs() < 1e-12, "{kind}");
        }
    }
    assert_eq!((last(left("removed")), run.state().n_removed), (60.0, 60));
    // At any moment what is between the two planes is what has gone through one and not yet through the other.
    assert!(outlet("net").iter().zip(above("net")).all(|(below, above)| *below <= -above));
}

#[test]
fn a_ball_that_comes_back_is_counted_each_way() {
    // It goes up and down again: through a plane of half its height both ways, through one a little above not at all.
    let scene = |solver: &str| {
        format!(
            "solver = '{solver}'
            materials.glass = {{ preset = 'glass' }}
            particles.bead = {{ diameter = '2 mm' }}
            gravity = [0, 0, -10]
            insert = [{{ fill = {{ region = {{ box = {{ from = '-1 -1 -1 mm', to = '1 1 1 mm' }} }}, count = 1 }}, velocity = [0, 0, 1] }}]
            domain = {{ from = [-1, -1, -1], to = [1, 1, 1], edges = {{ z = 'remove' }} }}
            time = {{ end = '0.2 s', step = '0.1 ms' }}"
        )
    };
    for solver in SOLVERS {
        let mut text = scene(solver);
        text += "
            output = { vtk = false, report = false, trajectory = 'off', probes = [
                { name = 'half', flow = { point = '0 0 2.5 cm', normal = [0, 0, 1], radius = '1 mm' } },
                { name = 'over', flow = { point = '0 0 5.01 cm', normal = [0, 0, 1] } },
            ] }";
        let mut run = Run::from_text(&text).unwrap();
        run.run(&mut ()).unwrap();
        let crossed = &run.state().crossed;
        assert_eq!((crossed[0].n_forward, crossed[0].n_backward), (1, 1), "{solver}");
        assert_eq!((crossed[1].n_forward, crossed[1].n_backward), (0, 0), "{solver}");
    }
}
