//! Damped grains never gain energy, and what they lose is in the ledger.

use crate::collisions::{CONTACT_TIME, collision};
use crate::samples::{each_on_one_thread, for_each_conserving_law, in_runs, pairs_for};
use crate::support::{interaction, residual, run};
use tumble_engine::Simulation;
use tumble_engine::law::{Law, LawKind};
use tumble_geometry::Shape;

for_each_conserving_law!(damped_shapes_never_gain_energy, check);

pub(crate) fn check(name: &str, law: Law) {
    check_pairs(name, law, &pairs_for(&law));
}

pub(crate) fn check_pairs(name: &str, law: Law, pairs: &[(String, [Shape; 2])]) {
    let law = in_runs(law);
    // On a long lever a contact lasts half as long: a fiftieth of that; and a hundredth under the depth law, whose force
    // jumps where the deepest feature changes.
    let steps = if matches!(law.kind, LawKind::Volume { .. }) { 100.0 } else { 200.0 };
    let results: Vec<(String, f64, f64)> = each_on_one_thread(pairs, |(pair, shapes)| {
        let model = collision(shapes, law, interaction(0.5, 0.3), CONTACT_TIME / steps, 3);
        let mut simulation = Simulation::new(model).unwrap();
        let start = simulation.energies().total();
        let (mut lowest, mut rise): (f64, f64) = (start, 0.0);
        for _ in 0..(3.0 * steps) as usize {
            run(&mut simulation, 10);
            let energy = simulation.energies().total();
            rise = rise.max((energy - lowest) / start);
            lowest = lowest.min(energy);
        }
        (pair.clone(), rise, residual(&simulation))
    });
    let worst = |pick: fn(&(String, f64, f64)) -> f64| results.iter().map(pick).fold(0.0, f64::max);
    println!("{name}: largest rise {:.1e}, largest residual {:.1e}", worst(|r| r.1), worst(|r| r.2));
    for (pair, rise, residual) in results {
        assert!(rise < 1e-6, "{name}: {pair} gained {rise:.2e}");
        assert!(residual < 1e-3, "{name}: {pair}: residual {residual:.2e}");
    }
}
