//! Stress tensor of the grains in a region, contact and kinetic parts.
//!
//! sigma = -(1/V) sum over contacts of s l (x) f  +  (1/V) sum over grains of m (v - u) (x) (v - u)
//!
//! with f the force on grain a, l the branch from the centre of a to that of its partner (a wall: to the contact point),
//! s the share of the branch that lies in the region, and u the mean velocity by mass of the grains whose centres lie in
//! it. The first index is that of the branch, the second that of the force. **Compression is positive**: f points against
//! l where grains press on each other. References: Christoffersen, Mehrabadi & Nemat-Nasser (1981), J. Appl. Mech. 48:339,
//! for the contact part; the share of the branch is the line form of coarse graining (Goldhirsch 2010, Granular Matter
//! 12:239) with a weight that is constant inside the region.
//!
//! Cutting the branches at the surface makes the answer that of the region itself: the parts of a tiled space, weighted
//! with their volumes, add up to the whole. In a periodic domain the images of branches and grains count.
//!
//! Known limits. The contact part of a static assembly is symmetric up to the torques of friction that are out of balance
//! on single grains. Where the mean velocity varies across the region, that variation is counted as kinetic stress: use
//! regions that are small against the flow. A region that is not large against a grain gives strongly fluctuating values.

use super::{ContactRecord, clip};
use crate::region::Region;
use crate::{Model, State};
use glam::{DMat3, DVec3};
use tumble_geometry::Aabb;

/// Stress tensor in a region; entry (row, column) is (direction of the branch, direction of the force).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stress {
    /// Part carried by contacts [Pa], compression positive.
    pub contact: DMat3,
    /// Part carried by the fluctuating motion of the grains [Pa], compression positive.
    pub kinetic: DMat3,
}

impl Stress {
    /// Both parts together [Pa].
    pub fn total(&self) -> DMat3 {
        self.contact + self.kinetic
    }

    /// Pressure: a third of the trace of both parts [Pa].
    pub fn pressure(&self) -> f64 {
        trace(&self.total()) / 3.0
    }
}

fn trace(matrix: &DMat3) -> f64 {
    matrix.x_axis.x + matrix.y_axis.y + matrix.z_axis.z
}

/// The dyad a (x) b: row i, column j is a_i b_j.
pub(super) fn dyad(a: DVec3, b: DVec3) -> DMat3 {
    DMat3::from_cols(a * b.x, a * b.y, a * b.z)
}

/// Stress tensor in a region. A region without volume gives NaN.
pub fn stress(model: &Model, state: &State, contacts: &[ContactRecord], region: &Region) -> Stress {
    let volume = clip::volume(region);
    Stress {
        contact: contact_sum(model, state, contacts, region) * (-1.0 / volume),
        kinetic: kinetic_sum(model, state, region) * (1.0 / volume),
    }
}

/// Sum over contacts of share, branch and force [N m].
fn contact_sum(model: &Model, state: &State, contacts: &[ContactRecord], region: &Region) -> DMat3 {
    let bounds = clip::bounds(region);
    let mut sum = DMat3::ZERO;
    for contact in contacts {
        let start = state.particles.position[contact.a];
        let end = start + contact.branch;
        let mut share = 0.0;
        clip::for_each_image(&model.domain, &Aabb { lower: start.min(end), upper: start.max(end) }, &bounds, |shift| {
            share += clip::share_of_segment(region, start + shift, contact.branch)
        });
        if share > 0.0 {
            sum += dyad(contact.branch * share, contact.force);
        }
    }
    sum
}

/// Sum over grains of mass and the square of the velocity beyond the mean [J].
fn kinetic_sum(model: &Model, state: &State, region: &Region) -> DMat3 {
    let bounds = clip::bounds(region);
    let particles = &state.particles;
    // Mean and central second moment in one pass (West 1979, Commun. ACM 22:532), free of the cancellation of
    // sum m v v - M u u.
    let (mut mass, mut mean, mut sum) = (0.0, DVec3::ZERO, DMat3::ZERO);
    for grain in 0..particles.len() {
        let centre = particles.position[grain];
        let point = Aabb { lower: centre, upper: centre };
        clip::for_each_image(&model.domain, &point, &bounds, |shift| {
            if clip::holds(region, centre + shift) {
                let m = particles.mass[grain];
                mass += m;
                let before = particles.velocity[grain] - mean;
                mean += before * (m / mass);
                sum += dyad(before * m, particles.velocity[grain] - mean);
            }
        });
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Domain, Edge};
    use crate::observe::fixture;
    use crate::random::Random;

    fn cube(lower: f64, upper: f64) -> Region {
        Region::Box { lower: DVec3::splat(lower), upper: DVec3::splat(upper) }
    }

    #[test]
    fn a_pressed_pair_gives_force_times_branch_over_volume() {
        let model = fixture::model();
        let state = fixture::state(&[(DVec3::ZERO, 1.0), (DVec3::X * 1.9, 1.0)]);
        let contact = fixture::pair(&state, 0, 1, DVec3::X * 1.9, DVec3::new(-3.0, 0.5, 0.0));
        let whole = stress(&model, &state, &[contact], &cube(-2.0, 3.0));
        // Compression is positive; the friction force on a along +y is a shear on the face x, negative likewise.
        assert!((whole.contact.col(0).x - 3.0 * 1.9 / 125.0).abs() < 1e-15);
        assert!((whole.contact.col(1).x + 0.5 * 1.9 / 125.0).abs() < 1e-15);
        assert_eq!(whole.contact.col(0).y, 0.0);
        assert_eq!(whole.kinetic, DMat3::ZERO);
        // A region that ends in the middle of the branch sees half of it in half the volume.
        let half = Region::Box { lower: DVec3::splat(-2.0), upper: DVec3::new(0.95, 3.0, 3.0) };
        let part = stress(&model, &state, &[contact], &half).contact.col(0).x;
        assert!((part - 3.0 * 0.95 / (2.95 * 25.0)).abs() < 1e-15);
    }

    /// A simple cubic lattice of n^3 grains in a periodic cell, pressed along each axis with its own force.
    fn lattice(n: usize, spacing: f64, forces: DVec3) -> (Model, State, Vec<ContactRecord>) {
        let mut model = fixture::model();
        let edge = n as f64 * spacing;
        model.domain = Domain { lower: DVec3::ZERO, upper: DVec3::splat(edge), edges: [Edge::Periodic; 3] };
        let index = |x: usize, y: usize, z: usize| (x % n * n + y % n) * n + z % n;
        let mut grains = Vec::new();
        for x in 0..n {
            for y in 0..n {
                for z in 0..n {
                    grains.push((DVec3::new(x as f64, y as f64, z as f64) * spacing, 0.501 * spacing));
                }
            }
        }
        let state = fixture::state(&grains);
        let mut contacts = Vec::new();
        for x in 0..n {
            for y in 0..n {
                for z in 0..n {
                    let a = index(x, y, z);
                    let next = [index(x + 1, y, z), index(x, y + 1, z), index(x, y, z + 1)];
                    for (axis, direction) in DVec3::AXES.into_iter().enumerate() {
                        let (branch, force) = (direction * spacing, -direction * forces[axis]);
                        contacts.push(fixture::pair(&state, a, next[axis], branch, force));
                    }
                }
            }
        }
        (model, state, contacts)
    }

    #[test]
    fn a_lattice_under_load_carries_force_over_area_in_any_cell() {
        let spacing = 0.02;
        let forces = DVec3::new(5.0, 2.0, 0.0);
        let (model, state, contacts) = lattice(4, spacing, forces);
        let expected = DMat3::from_diagonal(forces / (spacing * spacing));
        // The whole cell with grains on its faces; a part of it in line with the lattice; a part that is not, across
        // the periodic edge. Every one is a whole number of lattice cells wide.
        for lower in [DVec3::ZERO, DVec3::splat(spacing), DVec3::new(0.071, 0.013, 0.068)] {
            for n_cells in [1.0, 2.0, 4.0] {
                let region = Region::Box { lower, upper: lower + n_cells * spacing };
                let found = stress(&model, &state, &contacts, &region).contact;
                assert!(found.abs_diff_eq(expected, 1e-10 * expected.x_axis.x), "{lower} {n_cells} {found}");
            }
        }
    }

    #[test]
    fn a_column_between_two_walls_carries_its_load_through() {
        // Three grains between walls at x = 0 and x = 5.4, pressed with 7 N; cross-section 4 m^2.
        let (model, force) = (fixture::model(), DVec3::X * 7.0);
        let state = fixture::state(&[0.9, 2.7, 4.5].map(|x| (DVec3::new(x, 1.0, 1.0), 1.0)));
        let contacts = [
            fixture::on_wall(&state, 0, 0, DVec3::X * -0.9, force),
            fixture::pair(&state, 0, 1, DVec3::X * 1.8, -force),
            fixture::pair(&state, 1, 2, DVec3::X * 1.8, -force),
            fixture::on_wall(&state, 2, 1, DVec3::X * 0.9, -force),
        ];
        for (x0, x1) in [(0.0, 5.4), (0.2, 0.5), (1.0, 4.8), (5.0, 5.4)] {
            let region = Region::Box { lower: DVec3::new(x0, 0.0, 0.0), upper: DVec3::new(x1, 2.0, 2.0) };
            let found = stress(&model, &state, &contacts, &region).contact.x_axis.x;
            assert!((found - 7.0 / 4.0).abs() < 1e-14, "{x0} {x1} {found}");
        }
    }

    /// Random grains and contacts; the answers need not be in equilibrium to obey the identities.
    fn random_assembly(seed: u64) -> (State, Vec<ContactRecord>) {
        let mut random = Random::from_seed(seed);
        let mut point = || DVec3::from_array(std::array::from_fn(|_| random.between(-1.0, 1.0)));
        let grains: Vec<_> = (0..60).map(|_| (point(), 0.3)).collect();
        let mut state = fixture::state(&grains);
        state.particles.velocity.iter_mut().for_each(|v| *v = point() + DVec3::new(1e3, 0.0, 0.0));
        let contacts =
            (0..59).map(|a| fixture::pair(&state, a, a + 1, grains[a + 1].0 - grains[a].0, point() * 10.0)).collect();
        (state, contacts)
    }

    #[test]
    fn the_traces_are_the_virial_and_twice_the_fluctuation_energy() {
        let model = fixture::model();
        let (state, contacts) = random_assembly(51);
        let found = stress(&model, &state, &contacts, &cube(-2.0, 2.0));
        let virial: f64 = contacts.iter().map(|c| -c.branch.dot(c.force)).sum();
        assert!((trace(&found.contact) * 64.0 - virial).abs() < 1e-11 * virial.abs());
        let particles = &state.particles;
        let mass: f64 = particles.mass.iter().sum();
        let mean = particles.mass.iter().zip(&particles.velocity).map(|(&m, &v)| m * v).sum::<DVec3>() / mass;
        let energy: f64 =
            particles.mass.iter().zip(&particles.velocity).map(|(&m, &v)| 0.5 * m * (v - mean).length_squared()).sum();
        // The mean is a thousand times the fluctuation: the difference of squares would lose six digits.
        assert!((trace(&found.kinetic) * 64.0 / (2.0 * energy) - 1.0).abs() < 1e-12);
        assert!((found.pressure() * 3.0 * 64.0 - virial - 2.0 * energy).abs() < 1e-9 * energy);
    }

    #[test]
    fn tiles_add_up_to_the_whole() {
        let model = fixture::model();
        let (state, contacts) = random_assembly(52);
        let whole = contact_sum(&model, &state, &contacts, &cube(-2.0, 2.0));
        let cuts = [-2.0, -0.4, 0.0, 0.3, 2.0];
        let mut sum = DMat3::ZERO;
        for x in cuts.windows(2) {
            for y in cuts.windows(2) {
                for z in cuts.windows(2) {
                    let (lower, upper) = (DVec3::new(x[0], y[0], z[0]), DVec3::new(x[1], y[1], z[1]));
                    sum += contact_sum(&model, &state, &contacts, &Region::Box { lower, upper });
                }
            }
        }
        assert!(sum.abs_diff_eq(whole, 1e-12), "{sum} {whole}");
    }

    #[test]
    fn stress_turns_with_the_grains() {
        let model = fixture::model();
        let (mut state, contacts) = random_assembly(53);
        let ball = Region::Ball { centre: DVec3::ZERO, radius: 0.8 };
        let (from, to) = (DVec3::new(-0.5, 0.1, 0.0), DVec3::new(0.5, 0.3, 0.6));
        let cylinder = Region::Cylinder { from, to, radius: 0.6 };
        let before = [ball, cylinder].map(|r| stress(&model, &state, &contacts, &r));
        let turn = Random::from_seed(54).orientation();
        for field in [&mut state.particles.position, &mut state.particles.velocity] {
            field.iter_mut().for_each(|v| *v = turn * *v);
        }
        let turned: Vec<_> =
            contacts.iter().map(|c| ContactRecord { branch: turn * c.branch, force: turn * c.force, ..*c }).collect();
        let turned_cylinder = Region::Cylinder { from: turn * from, to: turn * to, radius: 0.6 };
        let matrix = DMat3::from_quat(turn);
        for (region, before) in [ball, turned_cylinder].iter().zip(before) {
            let after = stress(&model, &state, &turned, region);
            for (after, before) in [(after.contact, before.contact), (after.kinetic, before.kinetic)] {
                let expected = matrix * before * matrix.transpose();
                let scale = before.to_cols_array().iter().fold(0.0, |m: f64, x| m.max(x.abs()));
                // Velocities near 1000 with fluctuations of order 1 are turned with an error of 1e-13.
                assert!(scale > 0.0 && after.abs_diff_eq(expected, 1e-11 * scale), "{after} {expected}");
            }
        }
    }
}
