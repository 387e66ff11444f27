//! Counts, overlaps, shares and messages of all plans.

use super::*;
use crate::model::Edge;
use crate::observe::fixture;

const BOX: Region = Region::Box { lower: DVec3::ZERO, upper: DVec3::ONE };

fn species() -> Vec<Species> {
    // One of radius 1 m, whose size comes from the distribution, and one whose shape is given in another size.
    [1.0, 0.25].map(|radius| Species::new("ball", &Shape::Sphere(Sphere { radius }), 0)).to_vec()
}

fn insertion(plan: Plan, size: SizeDistribution) -> Insertion {
    Insertion {
        name: "feed".into(),
        plan,
        species: vec![(0, 1.0)],
        size,
        velocity: DVec3::new(0.0, 0.0, -1.0),
        velocity_spread: 0.0,
        angular_velocity: DVec3::ZERO,
        orientation: None,
        active: true,
    }
}

fn fill(amount: Amount, radius: f64) -> Insertion {
    insertion(Plan::Fill { region: BOX, amount }, SizeDistribution::Fixed(radius))
}

fn periodic() -> Domain {
    Domain { lower: DVec3::ZERO, upper: DVec3::ONE, edges: [Edge::Periodic; 3] }
}

/// Where grains go in a test; all that is not said is empty space.
struct Place {
    domain: Domain,
    gravity: DVec3,
    positions: Vec<DVec3>,
    radii: Vec<f64>,
    floor: f64,
}

impl Default for Place {
    fn default() -> Place {
        let gravity = DVec3::new(0.0, 0.0, -9.81);
        Place { domain: Domain::UNBOUNDED, gravity, positions: vec![], radii: vec![], floor: f64::NEG_INFINITY }
    }
}

impl Place {
    fn with<T>(&self, task: impl FnOnce(&Surroundings) -> T) -> T {
        let clear_of_walls = |shape: &Shape, pose: &Pose, gap: f64| shape.bounds(pose).lower.z - gap >= self.floor;
        let species = species();
        let existing: Vec<(DVec3, f64)> = self.positions.iter().copied().zip(self.radii.iter().copied()).collect();
        let existing = fixture::state(&existing).particles;
        task(&Surroundings {
            domain: &self.domain,
            species: &species,
            planar: false,
            gravity: self.gravity,
            is_hard: false,
            seed: 7,
            existing: &existing,
            clear_of_walls: &clear_of_walls,
        })
    }

    fn initial(&self, insertion: &Insertion, seed: u64) -> Result<Vec<NewGrain>, String> {
        let random = &mut Random::from_seed(seed);
        let go_on = &mut |_: &Placing| ControlFlow::Continue(());
        self.with(|surroundings| initial_grains_among(surroundings, insertion, random, go_on)).map_err(
            |halt| match halt {
                Halt::Fault(fault) => fault,
                Halt::Stopped => panic!("nobody stopped it"),
            },
        )
    }

    fn stream(&self, insertion: &Insertion, inserter: &mut InserterState, time: f64) -> Vec<NewGrain> {
        let mut random = Random::from_seed((time * 1e6) as u64);
        self.with(|surroundings| stream::grains(surroundings, insertion, inserter, time, &mut random))
    }

    fn keep(&mut self, grains: &[NewGrain]) {
        self.positions.extend(grains.iter().map(|grain| grain.position));
        self.radii.extend(grains.iter().map(|grain| grain.radius));
    }

    /// Largest overlap of any two balls relative to the smaller radius, by brute force over all pairs and images.
    fn worst_overlap(&self) -> f64 {
        let periods = self.domain.periods();
        let mut worst = f64::NEG_INFINITY;
        for a in 0..self.positions.len() {
            for b in 0..a {
                let mut offset = self.positions[b] - self.positions[a];
                for axis in 0..3 {
                    if let Some(period) = periods[axis] {
                        offset[axis] -= period * (offset[axis] / period).round();
                    }
                }
                let overlap = self.radii[a] + self.radii[b] - offset.length();
                worst = f64::max(worst, overlap / self.radii[a].min(self.radii[b]));
            }
        }
        worst
    }
}

fn solid_fraction(grains: &[NewGrain]) -> f64 {
    grains.iter().map(|grain| 4.0 / 3.0 * std::f64::consts::PI * grain.radius.powi(3)).sum()
}

#[test]
fn a_fill_by_count_is_exact_inside_and_without_overlap() {
    let mut place = Place { floor: 0.3, ..Place::default() };
    let grains = place.initial(&fill(Amount::Count(1500), 0.03), 1).unwrap();
    assert_eq!(grains.len(), 1500);
    place.keep(&grains);
    assert!(place.worst_overlap() < 0.0, "{}", place.worst_overlap());
    for grain in &grains {
        assert!(BOX.contains_ball(grain.position, grain.radius) && grain.position.z - grain.radius >= 0.3);
        assert_eq!(grain.velocity, DVec3::new(0.0, 0.0, -1.0));
    }
    // A second fill goes in between the first.
    let more = place.initial(&fill(Amount::Count(300), 0.03), 2).unwrap();
    place.keep(&more);
    assert!(place.worst_overlap() < 0.0);
}

#[test]
fn a_fill_by_fraction_comes_as_near_as_one_grain_can() {
    let mut place = Place::default();
    let grains = place.initial(&fill(Amount::Fraction(0.34), 0.025), 3).unwrap();
    let one = solid_fraction(&grains) / grains.len() as f64;
    assert!((solid_fraction(&grains) - 0.34).abs() <= 0.5 * one * (1.0 + 1e-9));
    place.keep(&grains);
    assert!(place.worst_overlap() < 0.0);
    assert!(grains.iter().all(|grain| BOX.contains_ball(grain.position, grain.radius)));
}

#[test]
fn a_third_of_a_periodic_box_is_filled_through_its_edges() {
    let mut place = Place { domain: periodic(), ..Place::default() };
    let grains = place.initial(&fill(Amount::Fraction(0.34), 0.05), 4).unwrap();
    place.keep(&grains);
    assert!(place.worst_overlap() < 0.0);
    for axis in 0..3 {
        assert!(grains.iter().all(|grain| (0.0..1.0).contains(&grain.position[axis])));
        // Through an edge a tenth of the centres lie within a radius of it; kept inside, none would.
        let near = grains.iter().filter(|grain| (grain.position[axis] - 0.5).abs() > 0.45).count();
        assert!(near > grains.len() / 20, "{near} of {}", grains.len());
    }
}

#[test]
fn wide_size_ranges_fill_without_overlap_and_keep_their_distribution() {
    let sizes = SizeDistribution::Table { radii: vec![0.2, 0.02, 0.005], shares: vec![0.001, 0.1, 0.899] };
    let mut place = Place { domain: periodic(), ..Place::default() };
    let plan = Plan::Fill { region: BOX, amount: Amount::Count(4000) };
    let grains = place.initial(&insertion(plan, sizes.clone()), 5).unwrap();
    place.keep(&grains);
    assert!(place.worst_overlap() < 0.0);
    // 400 of the middle size, four standard errors.
    let middle = grains.iter().filter(|grain| grain.radius == 0.02).count();
    assert!(middle.abs_diff(400) < 4 * 19, "{middle}");
    // A boulder into dust that is already there: compared with the dust, not with millions of cells.
    let boulder = insertion(Plan::Fill { region: BOX, amount: Amount::Count(1) }, SizeDistribution::Fixed(0.05));
    let mut dust = Place { domain: periodic(), ..Place::default() };
    dust.keep(&dust.initial(&fill(Amount::Count(2000), 1e-3), 6).unwrap());
    dust.keep(&dust.initial(&boulder, 7).unwrap());
    assert!(dust.worst_overlap() < 0.0);
}

#[test]
fn a_fill_that_does_not_fit_says_how_far_it_came_and_what_to_do() {
    let message = Place::default().initial(&fill(Amount::Count(1000), 0.05), 8).unwrap_err();
    let placed: usize = message.split("only ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
    assert!((500..1000).contains(&placed), "{message}");
    for text in ["of 1000 grains", "solid fraction of 0.3", "0.524 was asked", "larger region", "lattice", "stream"] {
        assert!(message.contains(text), "{text}: {message}");
    }
    let cases = [
        (fill(Amount::Count(1 << 60), 0.05), "4294967295 at most"),
        (fill(Amount::Count(100_000), 0.05), "use a larger region or fewer grains"),
        (fill(Amount::Count(1), 0.6), "radius 6.0000e-1 m does not fit"),
        (fill(Amount::Fraction(1.5), 0.1), "the solid fraction is 1.5"),
        (fill(Amount::Fraction(1e-9), 0.1), "less than half a grain"),
        (fill(Amount::Fraction(0.3), 1e-9), "more than 4294967295 grains"),
        (fill(Amount::Count(1), -1.0), "the radius is -1;"),
        (Insertion { species: vec![], ..fill(Amount::Count(1), 0.1) }, "shares of the species"),
        (Insertion { species: vec![(5, 1.0)], ..fill(Amount::Count(1), 0.1) }, "species number 5"),
    ];
    for (insertion, text) in cases {
        let message = Place::default().initial(&insertion, 1).unwrap_err();
        assert!(message.contains(text), "{text}: {message}");
    }
    assert_eq!(
        fill(Amount::Count(1), 1.0).error("no room").to_string(),
        "insertion \"feed\": no room",
        "the insertion is named"
    );
}

#[test]
fn the_same_seed_gives_the_same_grains() {
    let mut insertion = fill(Amount::Count(300), 0.04);
    insertion.velocity_spread = 0.5;
    insertion.size = SizeDistribution::Uniform { low: 0.02, high: 0.05 };
    let grains = |seed| Place::default().initial(&insertion, seed).unwrap();
    assert_eq!(grains(1), grains(1));
    assert_ne!(grains(1), grains(2));
    assert!(grains(1).iter().all(|g| (g.velocity - insertion.velocity).abs().max_element() <= 0.5));
    assert!(grains(1).iter().any(|g| g.velocity != insertion.velocity));
}

#[test]
fn species_come_in_exact_shares_and_their_volume_counts() {
    let mut insertion = fill(Amount::Count(101), 0.03);
    insertion.species = vec![(0, 3.0), (1, 1.0)];
    let grains = Place::default().initial(&insertion, 1).unwrap();
    assert_eq!(grains.iter().filter(|grain| grain.species == 0).count(), 76);
    insertion.plan = Plan::Fill { region: BOX, amount: Amount::Fraction(0.1) };
    let grains = Place::default().initial(&insertion, 1).unwrap();
    // Both species are balls: however large their shapes are at scale 1, the radius decides.
    assert!((solid_fraction(&grains) - 0.1).abs() < 1e-4);
    let first = grains.iter().filter(|grain| grain.species == 0).count();
    assert!(first.abs_diff(grains.len() * 3 / 4) <= 1);
}

fn lattice(lattice: Lattice, region: Region, radius: f64, count: Option<u64>) -> Insertion {
    insertion(Plan::Lattice { region, lattice, spacing: None, count }, SizeDistribution::Fixed(radius))
}

#[test]
fn a_lattice_fills_a_box_that_it_fits_exactly() {
    // Offsets at which the sums do not come out even.
    for (offset, radius) in [(0.0, 0.05), (0.1, 0.05), (-0.7, 0.05), (1e3, 0.05)] {
        let lower = DVec3::splat(offset);
        let region = Region::Box { lower, upper: lower + 1.0 };
        let mut place = Place { floor: offset, ..Place::default() };
        let grains = place.initial(&lattice(Lattice::Cubic, region, radius, None), 1).unwrap();
        assert_eq!(grains.len(), 1000, "{offset}");
        place.keep(&grains);
        // Touching, but for the gap and rounding of coordinates of this size.
        let rounding = 1e-11 + 4.0 * f64::EPSILON * offset.abs() / radius;
        assert!(place.worst_overlap() < rounding, "{}", place.worst_overlap());
    }
}

#[test]
fn dense_lattices_have_twelve_neighbours_at_the_spacing() {
    for arrangement in [Lattice::FaceCentred, Lattice::Hexagonal] {
        let mut place = Place::default();
        let grains = place.initial(&lattice(arrangement, BOX, 0.05, None), 1).unwrap();
        place.keep(&grains);
        // Rows of the hexagonal lattice fit the box exactly: touching, but for rounding.
        assert!(place.worst_overlap() < 1e-11, "{arrangement:?}: {}", place.worst_overlap());
        let middle = grains.iter().min_by(|a, b| {
            let distance = |g: &NewGrain| g.position.distance(DVec3::splat(0.5));
            distance(a).total_cmp(&distance(b))
        });
        let middle = middle.unwrap().position;
        let near = grains.iter().filter(|grain| grain.position.distance(middle) < 0.1 * (1.0 + 1e-6)).count();
        assert_eq!(near, 13, "{arrangement:?} around {middle}");
        // Layers: bottom-up, the first at a radius above the bottom.
        assert!(grains.is_sorted_by(|a, b| a.position.z <= b.position.z + 1e-12));
        assert!((grains[0].position.z - 0.05).abs() < 1e-12);
    }
}

#[test]
fn a_periodic_lattice_closes_upon_itself() {
    let mut place = Place { domain: periodic(), ..Place::default() };
    let grains = place.initial(&lattice(Lattice::Cubic, BOX, 0.05, None), 1).unwrap();
    assert_eq!(grains.len(), 1000);
    place.keep(&grains);
    assert!(place.worst_overlap() < 1e-11);
}

#[test]
fn a_lattice_counts_exactly_from_the_bottom_or_says_why_not() {
    let place = Place { gravity: DVec3::new(0.0, 5.0, 0.0), ..Place::default() };
    let grains = place.initial(&lattice(Lattice::Cubic, BOX, 0.05, Some(150)), 1).unwrap();
    assert_eq!(grains.len(), 150);
    // Gravity points along +y, so the bottom is there: one layer of 100 and half of the next.
    assert_eq!(grains.iter().filter(|grain| grain.position.y > 0.9).count(), 100);
    assert!(grains.iter().all(|grain| grain.position.y > 0.8));

    let message = place.initial(&lattice(Lattice::Cubic, BOX, 0.05, Some(1001)), 1).unwrap_err();
    assert!(message.contains("room for only 1000 of 1001 grains"), "{message}");
    let plan = Plan::Lattice { region: BOX, lattice: Lattice::Cubic, spacing: Some(0.09), count: None };
    let message = place.initial(&insertion(plan, SizeDistribution::Fixed(0.05)), 1).unwrap_err();
    assert!(message.contains("spacing of the lattice is 9.0000e-2 m"), "{message}");
}

#[test]
fn a_lattice_of_too_many_sites_is_refused_before_it_fills_the_memory() {
    // 8e15 sites: a run once took all the memory there was for the first of them.
    let region = Region::Box { lower: DVec3::ZERO, upper: DVec3::splat(1e3) };
    let message = Place::default().initial(&lattice(Lattice::Cubic, region, 0.0025, None), 1).unwrap_err();
    assert!(message.contains("more than 4294967295 sites") && message.contains("count"), "{message}");
    // With a count only the first of them are looked at.
    assert_eq!(Place::default().initial(&lattice(Lattice::Cubic, region, 0.0025, Some(8)), 1).unwrap().len(), 8);
}

#[test]
fn a_narrow_pipe_takes_a_column_of_grains() {
    let pipe = Region::Cylinder { from: DVec3::ZERO, to: DVec3::Z, radius: 0.06 };
    for arrangement in [Lattice::Cubic, Lattice::FaceCentred, Lattice::Hexagonal] {
        let grains = Place::default().initial(&lattice(arrangement, pipe, 0.05, None), 1).unwrap();
        assert!(grains.iter().all(|grain| pipe.contains_ball(grain.position, grain.radius * (1.0 - 1e-9))));
        assert!(grains.len() >= 5, "{arrangement:?}: {}", grains.len());
    }
}

fn listed(position: DVec3, radius: f64) -> ListedGrain {
    ListedGrain {
        species: 0,
        radius,
        position,
        orientation: DQuat::IDENTITY,
        velocity: DVec3::ZERO,
        angular_velocity: DVec3::ZERO,
    }
}

fn list(grains: Vec<ListedGrain>, max_overlap: f64) -> Insertion {
    insertion(Plan::List { grains: grains.into(), max_overlap }, SizeDistribution::Fixed(1.0))
}

#[test]
fn a_list_is_taken_as_it_is_or_its_overlaps_are_named() {
    let place = Place { floor: 0.0, ..Place::default() };
    let at = |x: f64, z: f64, radius: f64| listed(DVec3::new(x, 0.0, z), radius);
    let good = vec![at(0.0, 0.1, 0.1), at(0.195, 0.1, 0.1), at(5.0, 0.5, 0.5)];
    assert_eq!(place.initial(&list(good.clone(), 0.06), 1).unwrap(), good);
    let message = place.initial(&list(good, 0.01), 1).unwrap_err();
    assert!(message.contains("grain 2 overlaps grain 1 by 5.0000e-3 m (0.05 of the smallest half width)"), "{message}");

    let sunk = vec![at(0.0, 0.1, 0.1), at(1.0, 0.08, 0.1)];
    assert!(place.initial(&list(sunk.clone(), 0.21), 1).is_ok());
    let message = place.initial(&list(sunk, 0.1), 1).unwrap_err();
    assert!(message.contains("grain 2 overlaps a wall by 2.0000e-2 m (0.20 of the smallest half width)"), "{message}");

    // A small grain deep inside a large one, whichever comes first; the overlap counts against the small one.
    for grains in [vec![at(0.0, 1.0, 1.0), at(0.9, 1.0, 0.01)], vec![at(0.9, 1.0, 0.01), at(0.0, 1.0, 1.0)]] {
        let message = place.initial(&list(grains, 0.5), 1).unwrap_err();
        assert!(message.contains("by 1.1000e-1 m (11.00 of the smallest half width)"), "{message}");
    }

    // Many faults: the first five in the order of the list, and how many more.
    let pile: Vec<ListedGrain> = (0..10).map(|i| at(0.1 * i as f64, 1.0, 0.1)).collect();
    let message = place.initial(&list(pile, 0.1), 1).unwrap_err();
    assert!(message.contains("grain 2 overlaps grain 1") && message.contains("and 4 more"), "{message}");
}

#[test]
fn a_list_is_checked_against_earlier_grains_images_and_the_domain() {
    let mut place = Place { domain: periodic(), ..Place::default() };
    let across = vec![listed(DVec3::new(0.05, 0.5, 0.5), 0.1), listed(DVec3::new(0.95, 0.5, 0.5), 0.1)];
    let message = place.initial(&list(across, 0.5), 1).unwrap_err();
    assert!(message.contains("overlaps grain 1 by 1.0000e-1 m"), "{message}");

    place.keep(&[listed(DVec3::splat(0.5), 0.1)]);
    let message = place.initial(&list(vec![listed(DVec3::splat(0.52), 0.1)], 0.1), 1).unwrap_err();
    assert!(message.contains("grain 1 overlaps a grain of an earlier insertion"), "{message}");

    let open = Place { domain: Domain { edges: [Edge::Remove; 3], ..periodic() }, ..Place::default() };
    let message = open.initial(&list(vec![listed(DVec3::splat(1.5), 0.1)], 0.1), 1).unwrap_err();
    assert!(message.contains("grain 1 at [1.5, 1.5, 1.5] m lies outside the domain"), "{message}");

    let mut wrong = listed(DVec3::ONE, 0.1);
    wrong.orientation = DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0);
    let cases = [
        (listed(DVec3::ONE, 0.0), "its radius is 0 m"),
        (listed(DVec3::NAN, 1.0), "its position is"),
        (wrong, "unit quaternion"),
        (ListedGrain { species: 9, ..listed(DVec3::ONE, 1.0) }, "its species has the number 9"),
    ];
    for (grain, text) in cases {
        let message = open.initial(&list(vec![listed(DVec3::splat(0.5), 0.1), grain], 0.1), 1).unwrap_err();
        assert!(message.contains("grain 2 of the list") && message.contains(text), "{message}");
    }
}

fn stream(rate: f64, count: u64, size: SizeDistribution) -> Insertion {
    insertion(Plan::Stream { region: BOX, rate, start: 1.0, count: Some(count) }, size)
}

#[test]
fn a_stream_brings_in_what_is_due() {
    let (one, fresh) = (stream(100.0, 30, SizeDistribution::Fixed(0.01)), InserterState::default());
    for (time, expected) in [(0.0, 0), (1.0, 0), (1.0151, 1), (1.1001, 10), (5.0, 30), (f64::MAX, 30)] {
        assert_eq!(due(&one, &fresh, time), expected, "{time}");
    }
    assert_eq!(due(&fill(Amount::Count(5), 0.1), &fresh, 5.0), 0);
    // Switched on again at 10 s, after 12 have come.
    let again = InserterState { inserted: 12, before: 12, since: 10.0, ..fresh };
    for (time, expected) in [(10.5, 12), (11.1001, 22), (99.0, 42)] {
        assert_eq!(due(&one, &again, time), expected, "{time}");
    }
    assert_eq!(due(&Insertion { active: false, ..one }, &again, 99.0), 0);

    let mut place = Place::default();
    let (insertion, mut inserter) = (stream(100.0, 30, SizeDistribution::Fixed(0.01)), InserterState::default());
    assert!(place.initial(&insertion, 1).unwrap().is_empty());
    for step in 0..60 {
        let time = 1.0 + 0.01 * step as f64;
        let grains = place.stream(&insertion, &mut inserter, time);
        place.keep(&grains);
        assert_eq!(place.positions.len() as u64, due(&insertion, &inserter, time));
        assert_eq!((inserter.inserted, inserter.waiting), (due(&insertion, &inserter, time), 0));
    }
    assert_eq!(place.positions.len(), 30);
    assert!(place.worst_overlap() < 0.0);
}

#[test]
fn a_stream_without_room_waits_in_order_and_never_overlaps() {
    let sizes = SizeDistribution::Uniform { low: 0.02, high: 0.2 };
    let (insertion, mut inserter) = (stream(1000.0, 400, sizes.clone()), InserterState::default());
    let mut place = Place { domain: periodic(), ..Place::default() };
    let (mut radii, mut waited) = (Vec::new(), 0);
    for step in 0..4000 {
        let time = 1.0 + 0.01 * step as f64;
        let grains = place.stream(&insertion, &mut inserter, time);
        radii.extend(grains.iter().map(|grain| grain.radius));
        place.keep(&grains);
        assert_eq!(inserter.inserted, radii.len() as u64);
        assert_eq!(inserter.inserted + inserter.waiting, due(&insertion, &inserter, time));
        if inserter.waiting > 0 {
            waited += 1;
            // The grains move on.
            assert!(place.worst_overlap() < 0.0);
            place.positions.clear();
            place.radii.clear();
        }
    }
    assert!(waited > 3 && radii.len() == 400, "{waited} {}", radii.len());
    // Room or not, the sizes are those of the distribution: what came without waiting is the same.
    let (mut free, mut all) = (Place::default(), InserterState::default());
    free.domain.lower = DVec3::ZERO;
    let mut unhindered = Vec::new();
    while unhindered.len() < 400 {
        // Each time into an empty box.
        unhindered.extend(free.stream(&insertion, &mut all, 100.0).iter().map(|grain| grain.radius));
    }
    assert_eq!(unhindered, radii);
    let mean = radii.iter().sum::<f64>() / 400.0;
    assert!((mean - sizes.mean()).abs() < 4.0 * 0.18 / 12f64.sqrt() / 20.0, "{mean}");
}

#[test]
fn a_stream_that_could_never_come_in_is_refused_at_the_start() {
    let message = Place::default().initial(&stream(1.0, 5, SizeDistribution::Fixed(0.7)), 1).unwrap_err();
    assert!(message.contains("radius 7.0000e-1 m does not fit into the region"), "{message}");
    let message = Place::default().initial(&stream(-1.0, 5, SizeDistribution::Fixed(0.1)), 1).unwrap_err();
    assert!(message.contains("the rate of the stream is -1"), "{message}");
}
