//! One row of the time series: counts, every energy, every term of the ledger and what they leave unexplained.

use tumble_engine::model::CollapseRule;
use tumble_engine::observe::overlap::{Between, LargestOverlaps};
use tumble_engine::observe::{ElasticEnergy, Energies, Partner};
use tumble_engine::state::CollisionTotals;
use tumble_engine::{Model, Simulation, State};
use tumble_geometry::common_plane::PlaneSearches;
use tumble_io::run_report::{OverlapReport, SleepReport};

/// What is known of a run at one moment.
#[derive(Clone, Debug)]
pub struct Sample {
    /// Simulated time [s].
    pub time: f64,
    /// Steps done.
    pub step: u64,
    /// Grains.
    pub grains: u64,
    /// Touching contacts, walls included.
    pub contacts: u64,
    /// Grains inserted so far.
    pub inserted: u64,
    /// Grains that left so far.
    pub removed: u64,
    /// Their mass [kg].
    pub removed_mass: f64,
    /// Every energy and every term of the ledger [J], by the name of its column.
    pub ledger: Vec<(&'static str, f64)>,
    /// What the ledger leaves unexplained [J].
    pub residual: f64,
    /// The same over the energy in play [1].
    pub relative_residual: f64,
    /// Mean number of contacts a grain.
    pub coordination: f64,
    /// Largest overlap at this moment.
    pub overlap: OverlapReport,
    /// Between which kinds of grains, or grain and wall, the relative overlap is largest; `None` where nothing touches.
    pub deepest: Option<Between>,
    /// Searches for common planes so far; `None` unless contacts are found by these.
    pub plane_searches: Option<PlaneSearches>,
    /// Collisions so far; `None` where contacts take time.
    pub collisions: Option<CollisionTotals>,
    /// Grains that sleep; `None` unless a rule lets them.
    pub sleep: Option<SleepReport>,
    /// Number of the stage, from 1; `None` for a run without stages.
    pub stage: Option<u64>,
}

/// Of grains that sleep, where the rule lets them.
fn sleep(model: &Model, state: &State) -> Option<SleepReport> {
    let events = state.solver.events().filter(|_| matches!(model.hard.collapse, CollapseRule::Sleep { .. }))?;
    Some(SleepReport { fell_asleep: events.n_fallen_asleep, woken: events.n_woken, asleep: events.n_asleep() })
}

impl Sample {
    /// Reads a moment of a run that has searched so often for common planes and is in such a stage.
    pub fn of(simulation: &Simulation, plane_searches: Option<PlaneSearches>, stage: Option<u64>) -> Sample {
        let state = simulation.state();
        let (mut elastic, mut overlaps) = (ElasticEnergy::default(), LargestOverlaps::default());
        let (mut n_contacts, mut n_touches) = (0u64, 0u64);
        simulation.visit_contacts(&mut |contact, energy| {
            elastic += energy;
            overlaps.add(simulation.model(), state, contact);
            n_contacts += 1;
            // A contact between grains counts for both.
            n_touches += if matches!(contact.partner, Partner::Particle(_)) { 2 } else { 1 };
        });
        let energies = Energies::of(simulation.model(), state, elastic);
        let ledger = &state.ledger;
        Sample {
            time: state.time,
            step: state.step,
            grains: state.particles.len() as u64,
            contacts: n_contacts,
            inserted: state.inserters.iter().map(|inserter| inserter.inserted).sum(),
            removed: state.n_removed,
            removed_mass: state.removed_mass,
            ledger: vec![
                ("kinetic_translation_J", energies.translation),
                ("kinetic_rotation_J", energies.rotation),
                ("potential_J", energies.potential),
                ("elastic_normal_J", energies.elastic.normal),
                ("elastic_tangential_J", energies.elastic.tangential),
                ("elastic_rolling_J", energies.elastic.rolling),
                ("initial_J", ledger.initial),
                ("lost_normal_dashpot_J", ledger.normal_dashpot),
                ("lost_tangential_dashpot_J", ledger.tangential_dashpot),
                ("lost_slip_J", ledger.slip),
                ("lost_rolling_J", ledger.rolling),
                ("lost_contact_end_J", ledger.contact_end),
                ("lost_stiffness_change_J", ledger.stiffness_change),
                ("lost_drag_J", ledger.drag),
                ("wall_work_J", ledger.wall_work),
                ("changed_J", ledger.changed),
                ("inserted_J", ledger.inserted),
                ("removed_J", ledger.removed),
            ],
            residual: ledger.imbalance(&energies),
            relative_residual: ledger.residual(&energies),
            coordination: n_touches as f64 / state.particles.len() as f64,
            overlap: OverlapReport {
                length: overlaps.longest.map_or(0.0, |overlap| overlap.length),
                relative: overlaps.deepest.map_or(0.0, |overlap| overlap.ratio),
            },
            deepest: overlaps.deepest.map(|overlap| overlap.between),
            plane_searches,
            collisions: state.solver.collisions().copied(),
            sleep: sleep(simulation.model(), state),
            stage,
        }
    }

    /// Names of the columns, with units.
    pub fn columns(&self) -> Vec<&'static str> {
        self.entries().into_iter().map(|(name, _)| name).collect()
    }

    /// The row.
    pub fn row(&self) -> Vec<f64> {
        self.entries().into_iter().map(|(_, value)| value).collect()
    }

    fn entries(&self) -> Vec<(&'static str, f64)> {
        let mut entries = vec![
            ("time_s", self.time),
            ("step", self.step as f64),
            ("grains", self.grains as f64),
            ("contacts", self.contacts as f64),
            ("inserted", self.inserted as f64),
            ("removed", self.removed as f64),
            ("removed_kg", self.removed_mass),
        ];
        entries.extend(&self.ledger);
        entries.extend([
            ("residual_J", self.residual),
            ("relative_residual", self.relative_residual),
            ("coordination", self.coordination),
            ("largest_overlap_m", self.overlap.length),
            ("largest_relative_overlap", self.overlap.relative),
        ]);
        entries.extend(self.stage.map(|stage| ("stage", stage as f64)));
        if let Some(searches) = self.plane_searches {
            entries.extend([
                ("plane_searches", searches.n_searches as f64),
                ("plane_iterations", searches.n_iterations as f64),
                ("plane_most_iterations", searches.most_iterations as f64),
                ("plane_cut_short", searches.n_cut_short as f64),
            ]);
        }
        if let Some(totals) = self.collisions {
            entries.extend([
                ("pair_collisions", totals.n_pairs as f64),
                ("wall_collisions", totals.n_walls as f64),
                ("collapsing_collisions", totals.n_collapsing as f64),
                ("stale_events", totals.n_stale as f64),
                ("transfers", totals.n_transfers as f64),
            ]);
        }
        if let Some(SleepReport { fell_asleep, woken, asleep }) = self.sleep {
            let counts = [("fell_asleep", fell_asleep), ("woken", woken), ("asleep", asleep)];
            entries.extend(counts.map(|(name, count)| (name, count as f64)));
        }
        entries
    }
}
