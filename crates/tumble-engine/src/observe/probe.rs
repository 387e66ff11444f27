//! Measurements that a scene asks for: each gives named columns and one row of numbers a sample (profiles and alignment: several).

use super::alignment::{AlignedSlice, alignment};
use super::contact_kinds::{CONTACT_KINDS, contact_kinds};
use super::coordination::{coordination, coordination_of};
use super::fabric::fabric;
use super::packing::packing_fraction;
use super::profile::{Slice, profile};
use super::selection::Selection;
use super::stress::stress;
use super::tracks::{MOTION, TRACK, motion, track};
use super::walls::{total_wall_load, wall_loads};
use super::{ContactRecord, clip, collisions, flow};
use crate::groups::members;
use crate::region::Region;
use crate::{EngineError, Model, State};
use glam::DMat3;

/// A measurement with the name of its output file.
///
/// ```
/// use tumble_engine::{DVec3, Material, Model, Probe, ProbeQuantity, Simulation};
/// use tumble_geometry::{Pose, Shape, Sphere, Surface};
///
/// let mut builder = Model::builder();
/// let glass = Material { name: "glass".into(), density: 2500.0, young_modulus: 5e6, poisson_ratio: 0.25 };
/// let glass = builder.material(glass);
/// let bead = builder.species("bead", &Shape::Sphere(Sphere { radius: 0.005 }), glass);
/// builder.wall("floor", Surface::HalfSpace, Pose::IDENTITY, glass).grain(bead, DVec3::Z * 0.00499);
/// let simulation = Simulation::new(builder.build()?)?;
///
/// let probe = Probe { name: "coordination".into(), quantity: ProbeQuantity::Coordination, group: None };
/// probe.check(simulation.model())?;
/// let columns = probe.columns(simulation.model());
/// let rows = probe.rows(simulation.model(), simulation.state(), &simulation.contacts());
/// let place = columns.iter().position(|name| name == "coordination").unwrap();
/// assert_eq!(rows[0][place], 1.0);
/// # Ok::<(), tumble_engine::EngineError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Probe {
    /// The name it has in the scene; its table is called after it.
    pub name: String,
    /// What is measured.
    pub quantity: ProbeQuantity,
    /// Of which of [`Model::groups`]; `None`: of all grains.
    pub group: Option<usize>,
}

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ProbeQuantity {
    /// Mean number of contacts a grain, with and without walls, and the share of grains with fewer than two.
    Coordination,
    /// Volume of the grains inside a region over its volume.
    PackingFraction {
        /// Where.
        region: Region,
    },
    /// Stress tensor in a region, contact and kinetic parts.
    Stress {
        /// Where.
        region: Region,
    },
    /// Fabric tensor of the contacts whose points lie in a region (`None`: all).
    Fabric {
        /// Where.
        region: Option<Region>,
    },
    /// Solid fraction, bulk density and mean velocity in slices of a box along an axis.
    Profile {
        /// The box that is sliced.
        region: Region,
        /// Axis of the slices: 0, 1, 2 for x, y, z.
        axis: usize,
        /// Number of slices.
        bins: usize,
    },
    /// Order parameter of the grains' axes about an axis, in slices of a box along it.
    Alignment {
        /// The box that is sliced.
        region: Region,
        /// Axis of the slices: 0, 1, 2 for x, y, z.
        axis: usize,
        /// Number of slices.
        bins: usize,
    },
    /// Contacts by the parts of the bodies that touch: side, rim, end.
    ContactKinds,
    /// Rate of collisions, granular temperature and stress of a run whose collisions take no time.
    Collisions,
    /// Grains that went through a plane of [`Model::planes`], by kind.
    Flow {
        /// Which plane.
        plane: usize,
    },
    /// Grains that left through edges, by kind.
    Removed,
    /// Place, orientation, motion and force of every single grain.
    Track,
    /// Number and mass, centre of mass, mean velocity, kinetic energies and temperature of all grains together.
    Motion,
    /// Force and torque of the grains on every wall, the power of its motion, and where it is and how it moves.
    WallLoads,
}

const AXES: [&str; 3] = ["x", "y", "z"];

/// More rows than this a sample is a slip of the pen rather than a profile, and would fill memory and disk.
const MAX_BINS: usize = 1_000_000;

impl Probe {
    /// Whether the probe can be measured in this model; the message says what is wrong and what would be right.
    pub fn check(&self, model: &Model) -> Result<(), EngineError> {
        let refuse = |what: String| Err(EngineError::Model(format!("probe `{}`: {what}", self.name)));
        if let Some(group) = self.group {
            if group >= model.groups.len() {
                return refuse(format!("there is no group number {group}"));
            }
            match &self.quantity {
                ProbeQuantity::Flow { .. } | ProbeQuantity::Removed => {
                    return refuse("what it counts is told by kind, and not of a group".into());
                }
                ProbeQuantity::Collisions => return refuse("collisions are not told of a group".into()),
                ProbeQuantity::WallLoads if model.solver.is_hard() => {
                    return refuse("where contacts take no time, loads are not told of a group".into());
                }
                ProbeQuantity::WallLoads if model.domain.periods().iter().any(Option::is_some) => {
                    return refuse("in a periodic domain, loads are not told of a group".into());
                }
                _ => {}
            }
        }
        let region = match &self.quantity {
            ProbeQuantity::Coordination
            | ProbeQuantity::ContactKinds
            | ProbeQuantity::Collisions
            | ProbeQuantity::WallLoads
            | ProbeQuantity::Removed
            | ProbeQuantity::Track
            | ProbeQuantity::Motion
            | ProbeQuantity::Fabric { region: None } => return Ok(()),
            ProbeQuantity::Flow { plane } => {
                return match model.planes.get(*plane) {
                    Some(plane) => plane.check(model).or_else(refuse),
                    None => refuse(format!("there is no plane number {plane}")),
                };
            }
            ProbeQuantity::PackingFraction { region }
            | ProbeQuantity::Stress { region }
            | ProbeQuantity::Fabric { region: Some(region) } => region,
            ProbeQuantity::Profile { region, axis, bins } | ProbeQuantity::Alignment { region, axis, bins } => {
                if !matches!(region, Region::Box { .. }) {
                    return refuse("a profile needs a box as its region".into());
                }
                if *axis > 2 {
                    return refuse(format!("axis {axis} does not exist; 0, 1, 2 stand for x, y, z"));
                }
                if *bins == 0 {
                    return refuse("a profile needs at least 1 bin".into());
                }
                if *bins > MAX_BINS {
                    return refuse(format!("{bins} bins are too many; at most {MAX_BINS} are kept for each sample"));
                }
                region
            }
        };
        let volume = clip::volume(region);
        if !(volume > 0.0 && volume.is_finite()) {
            return refuse(format!(
                "its region has the volume {volume} m^3; a finite volume above 0 is needed (is a lower bound above the \
                 upper one, or a radius not positive?)"
            ));
        }
        // Beyond one period the region would hold the same grains again and again.
        let extent = clip::bounds(region).extent();
        for (axis, period) in model.domain.periods().into_iter().enumerate() {
            if let Some(period) = period
                && extent[axis] > period * (1.0 + 1e-9)
            {
                return refuse(format!(
                    "its region is {} m wide along {}, wider than the period of the domain, {period} m",
                    extent[axis], AXES[axis]
                ));
            }
        }
        Ok(())
    }

    /// Names of the columns, with their units; every row has as many numbers.
    pub fn columns(&self, model: &Model) -> Vec<String> {
        let mut names = vec!["time_s".to_string(), "step".to_string()];
        match &self.quantity {
            ProbeQuantity::Coordination => names
                .extend(["grains", "coordination", "coordination_without_walls", "rattler_share"].map(String::from)),
            ProbeQuantity::PackingFraction { .. } => names.push("packing_fraction".into()),
            ProbeQuantity::Stress { .. } => {
                names.extend(tensor_columns("stress", "_contact_Pa"));
                names.extend(tensor_columns("stress", "_kinetic_Pa"));
                names.push("pressure_Pa".into());
            }
            ProbeQuantity::Fabric { .. } => {
                names.push("contacts".into());
                names.extend(tensor_columns("fabric", ""));
                names.push("anisotropy".into());
            }
            ProbeQuantity::Profile { axis, .. } => {
                names.push(format!("{}_m", AXES.get(*axis).unwrap_or(&"position")));
                names.extend(["grains", "solid_fraction", "bulk_density_kg_per_m3"].map(String::from));
                names.extend(AXES.map(|a| format!("velocity_{a}_m_per_s")));
                names.push("temperature_m2_per_s2".into());
            }
            ProbeQuantity::Alignment { axis, .. } => {
                names.push(format!("{}_m", AXES.get(*axis).unwrap_or(&"position")));
                names.extend(["grains", "order_parameter"].map(String::from));
            }
            ProbeQuantity::ContactKinds => names.extend(CONTACT_KINDS.map(String::from)),
            ProbeQuantity::Collisions => names.extend(collisions::columns(model)),
            ProbeQuantity::Flow { .. } => names.extend(flow::flow_columns(model)),
            ProbeQuantity::Removed => names.extend(flow::removed_columns(model)),
            ProbeQuantity::Track => names.extend(TRACK.map(String::from)),
            ProbeQuantity::Motion => names.extend(MOTION.map(String::from)),
            ProbeQuantity::WallLoads => {
                for name in model.walls.iter().map(|w| w.name.as_str()).chain(["total"]) {
                    names.extend(AXES.map(|a| format!("{name}_force_{a}_N")));
                    names.extend(AXES.map(|a| format!("{name}_torque_{a}_N_m")));
                    names.push(format!("{name}_power_W"));
                }
                for wall in &model.walls {
                    let name = &wall.name;
                    names.extend(AXES.map(|a| format!("{name}_{a}_m")));
                    names.extend(AXES.map(|a| format!("{name}_velocity_{a}_m_per_s")));
                    names.extend(AXES.map(|a| format!("{name}_spin_{a}_rad_per_s")));
                    names.extend(AXES.map(|a| format!("{name}_turned_{a}_rad")));
                }
            }
        }
        names
    }

    /// One row of numbers for this moment, a profile one for each bin; none if [`Probe::check`] refuses a profile.
    pub fn rows(&self, model: &Model, state: &State, contacts: &[ContactRecord]) -> Vec<Vec<f64>> {
        self.rows_after(model, state, contacts, &mut Vec::new())
    }

    /// The same in a series of rows: `before` is what is kept from row to row, empty before the first. Numbers that tell how fast
    /// something was since the row before come from it.
    pub fn rows_after(
        &self,
        model: &Model,
        state: &State,
        contacts: &[ContactRecord],
        before: &mut Vec<f64>,
    ) -> Vec<Vec<f64>> {
        let Some(group) = self.group else { return self.measured(model, state, contacts, before) };
        let mut selection = Selection::new(state, contacts, members(model, state, group));
        match &self.quantity {
            ProbeQuantity::Coordination => {
                let n = selection.members.iter().filter(|&&is_member| is_member).count();
                let found = coordination_of(&selection.members, &selection.touching);
                let row = [found.mean, found.mean_without_walls, found.rattler_share];
                vec![[state.time, state.step as f64, n as f64].into_iter().chain(row).collect()]
            }
            // Who touches is told by places in the whole.
            ProbeQuantity::ContactKinds | ProbeQuantity::Fabric { .. } => {
                self.measured(model, state, &selection.touching, before)
            }
            ProbeQuantity::WallLoads => {
                selection.load_walls();
                self.measured(model, &selection.state, &[], before)
            }
            _ => {
                let weighted = selection.weighted();
                self.measured(model, &selection.state, &weighted, before)
            }
        }
    }

    fn measured(
        &self,
        model: &Model,
        state: &State,
        contacts: &[ContactRecord],
        before: &mut Vec<f64>,
    ) -> Vec<Vec<f64>> {
        let start = [state.time, state.step as f64];
        let row = |values: &mut dyn Iterator<Item = f64>| vec![start.iter().copied().chain(values).collect()];
        match &self.quantity {
            ProbeQuantity::Coordination => {
                let n = state.particles.len();
                let found = coordination(n, contacts);
                row(&mut [n as f64, found.mean, found.mean_without_walls, found.rattler_share].into_iter())
            }
            ProbeQuantity::PackingFraction { region } => {
                row(&mut std::iter::once(packing_fraction(model, state, region)))
            }
            ProbeQuantity::Stress { region } => {
                let found = stress(model, state, contacts, region);
                let entries = tensor_entries(&found.contact).chain(tensor_entries(&found.kinetic));
                row(&mut entries.chain([found.pressure()]))
            }
            ProbeQuantity::Fabric { region } => {
                let found = fabric(model, contacts, region.as_ref());
                let entries = std::iter::once(found.n_contacts as f64).chain(tensor_entries(&found.tensor));
                row(&mut entries.chain([found.anisotropy()]))
            }
            ProbeQuantity::Profile { region, axis, bins } => {
                let Region::Box { lower, upper } = *region else { return Vec::new() };
                let slices = profile(model, state, lower, upper, *axis, *bins);
                let values = |s: &Slice| {
                    let first = [s.centre, s.n_grains as f64, s.solid_fraction, s.bulk_density];
                    first.into_iter().chain(s.mean_velocity.to_array()).chain([s.temperature])
                };
                slices.iter().map(|s| start.iter().copied().chain(values(s)).collect()).collect()
            }
            ProbeQuantity::Alignment { region, axis, bins } => {
                let Region::Box { lower, upper } = *region else { return Vec::new() };
                let slices = alignment(model, state, lower, upper, *axis, *bins);
                let values = |s: &AlignedSlice| [s.centre, s.n_grains as f64, s.order];
                slices.iter().map(|s| start.iter().copied().chain(values(s)).collect()).collect()
            }
            ProbeQuantity::ContactKinds => {
                row(&mut contact_kinds(model, state, contacts).into_iter().map(|count| count as f64))
            }
            ProbeQuantity::Collisions => row(&mut collisions::row(model, state).into_iter()),
            ProbeQuantity::Flow { plane } => row(&mut flow::flow_row(model, state, *plane, before).into_iter()),
            ProbeQuantity::Removed => row(&mut flow::removed_row(model, state, before).into_iter()),
            ProbeQuantity::Track => {
                track(model, state).iter().map(|values| start.iter().chain(values).copied().collect()).collect()
            }
            ProbeQuantity::Motion => row(&mut motion(model, state).into_iter()),
            ProbeQuantity::WallLoads => {
                let loads = wall_loads(state).into_iter().chain([total_wall_load(state)]);
                let loads = loads.flat_map(|load| {
                    load.force.to_array().into_iter().chain(load.torque.to_array()).chain([load.power])
                });
                let motions = state.walls.iter().flat_map(|wall| {
                    let turned = wall.pose.orientation * wall.motion_pose.orientation.inverse();
                    // Of the two ways to say a turn, the shorter.
                    let turned = if turned.w < 0.0 { -turned } else { turned }.to_scaled_axis();
                    [wall.pose.position, wall.velocity, wall.angular_velocity, turned]
                        .into_iter()
                        .flat_map(|v| v.to_array())
                });
                row(&mut loads.chain(motions))
            }
        }
    }
}

/// Names of the nine entries of a tensor, row by row.
pub(super) fn tensor_columns(name: &str, ending: &str) -> Vec<String> {
    AXES.iter().flat_map(|row| AXES.map(|column| format!("{name}_{row}{column}{ending}"))).collect()
}

/// The nine entries of a tensor, row by row.
fn tensor_entries(tensor: &DMat3) -> impl Iterator<Item = f64> {
    // The transpose's columns are the rows.
    tensor.transpose().to_cols_array().into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Domain, Edge};
    use crate::observe::fixture;
    use glam::DVec3;

    const BOX: Region = Region::Box { lower: DVec3::splat(-2.0), upper: DVec3::splat(2.0) };

    fn probe(quantity: ProbeQuantity) -> Probe {
        Probe { name: "p".into(), quantity, group: None }
    }

    /// The value of a named column in the first row.
    fn value(probe: &Probe, model: &Model, state: &State, contacts: &[ContactRecord], column: &str) -> f64 {
        let names = probe.columns(model);
        let place = names.iter().position(|n| n == column).unwrap_or_else(|| panic!("{column} not in {names:?}"));
        probe.rows(model, state, contacts)[0][place]
    }

    #[test]
    fn every_row_has_a_number_for_every_column() {
        let (mut model, mut state) = (fixture::model(), fixture::state(&[(DVec3::ZERO, 1.0), (DVec3::X * 1.9, 1.0)]));
        fixture::add_wall(&mut model, &mut state, "floor", DVec3::ZERO, DVec3::Z, DVec3::X);
        fixture::add_wall(&mut model, &mut state, "lid", DVec3::ZERO, DVec3::Z, DVec3::X);
        let contacts = [fixture::pair(&state, 0, 1, DVec3::X * 1.9, -DVec3::X)];
        for (quantity, n_rows) in [
            (ProbeQuantity::Coordination, 1),
            (ProbeQuantity::PackingFraction { region: BOX }, 1),
            (ProbeQuantity::Stress { region: BOX }, 1),
            (ProbeQuantity::Fabric { region: None }, 1),
            (ProbeQuantity::Fabric { region: Some(BOX) }, 1),
            (ProbeQuantity::Profile { region: BOX, axis: 1, bins: 5 }, 5),
            (ProbeQuantity::Alignment { region: BOX, axis: 2, bins: 3 }, 3),
            (ProbeQuantity::ContactKinds, 1),
            (ProbeQuantity::Collisions, 1),
            (ProbeQuantity::WallLoads, 1),
        ] {
            let probe = probe(quantity);
            probe.check(&model).unwrap();
            let (columns, rows) = (probe.columns(&model), probe.rows(&model, &state, &contacts));
            assert_eq!(rows.len(), n_rows);
            assert_eq!(columns[..2], ["time_s", "step"]);
            let mut distinct = columns.clone();
            distinct.sort();
            distinct.dedup();
            assert_eq!(distinct.len(), columns.len());
            for row in rows {
                assert_eq!(row.len(), columns.len(), "{quantity:?}");
                assert_eq!(row[..2], [7e-4, 7.0]);
            }
        }
    }

    #[test]
    fn values_stand_under_their_names() {
        let (mut model, mut state) = (fixture::model(), fixture::state(&[(DVec3::ZERO, 1.0), (DVec3::X * 1.9, 1.0)]));
        fixture::add_wall(&mut model, &mut state, "floor", DVec3::X, DVec3::new(1.0, 2.0, 3.0), DVec3::Y * 4.0);
        state.particles.velocity[1] = DVec3::Z;
        // A force with a part across the branch tells rows from columns.
        let contacts = [fixture::pair(&state, 0, 1, DVec3::X * 1.9, DVec3::new(-3.0, 0.5, 0.0))];
        let read = |quantity, column: &str| value(&probe(quantity), &model, &state, &contacts, column);
        let stress = ProbeQuantity::Stress { region: BOX };
        assert!((read(stress, "stress_xx_contact_Pa") - 3.0 * 1.9 / 64.0).abs() < 1e-15);
        assert!((read(stress, "stress_xy_contact_Pa") + 0.5 * 1.9 / 64.0).abs() < 1e-15);
        assert_eq!(read(stress, "stress_yx_contact_Pa"), 0.0);
        assert!(read(stress, "stress_zz_kinetic_Pa") > 0.0);
        assert!((read(ProbeQuantity::Fabric { region: None }, "fabric_xx") - 1.0).abs() < 1e-15);
        assert_eq!(read(ProbeQuantity::Coordination, "coordination"), 1.0);
        assert_eq!(read(ProbeQuantity::WallLoads, "floor_torque_y_N_m"), 4.0);
        // About the world's origin x cross F = (0, -3, 2) is added.
        assert_eq!(read(ProbeQuantity::WallLoads, "total_torque_y_N_m"), 1.0);
        let profile = ProbeQuantity::Profile { region: BOX, axis: 0, bins: 2 };
        assert_eq!(read(profile, "x_m"), -1.0);
        // The second grain does not reach into the first slice.
        assert_eq!(read(profile, "velocity_z_m_per_s"), 0.0);
        assert_eq!(read(profile, "grains"), 0.0);
        assert!(
            (read(profile, "bulk_density_kg_per_m3") - 2000.0 * 2.0 / 3.0 * std::f64::consts::PI / 32.0).abs() < 1e-11
        );
    }

    #[test]
    fn what_cannot_be_measured_is_refused_with_a_reason() {
        let mut model = fixture::model();
        model.domain =
            Domain { lower: DVec3::ZERO, upper: DVec3::ONE, edges: [Edge::Periodic, Edge::Open, Edge::Open] };
        let ball = Region::Ball { centre: DVec3::ZERO, radius: 0.25 };
        let flat = Region::Box { lower: DVec3::ONE, upper: DVec3::ZERO };
        let endless = Region::Box { lower: DVec3::NEG_INFINITY, upper: DVec3::INFINITY };
        for (quantity, reason) in [
            (ProbeQuantity::Profile { region: ball, axis: 0, bins: 3 }, "needs a box"),
            (ProbeQuantity::Profile { region: BOX, axis: 3, bins: 3 }, "axis 3"),
            (ProbeQuantity::Profile { region: BOX, axis: 0, bins: 0 }, "at least 1 bin"),
            (ProbeQuantity::Profile { region: BOX, axis: 0, bins: usize::MAX }, "too many"),
            (ProbeQuantity::Stress { region: flat }, "volume 0"),
            (ProbeQuantity::Stress { region: endless }, "volume inf"),
            (ProbeQuantity::PackingFraction { region: BOX }, "wider than the period"),
        ] {
            let message = probe(quantity).check(&model).unwrap_err().to_string();
            assert!(message.contains("probe `p`") && message.contains(reason), "{message}");
        }
        probe(ProbeQuantity::Stress { region: ball }).check(&model).unwrap();
        let refused = probe(ProbeQuantity::Profile { region: ball, axis: 0, bins: 3 });
        assert!(refused.rows(&model, &fixture::state(&[]), &[]).is_empty());
    }
}
