//! Fabric tensor: how the directions of contacts are distributed.
//!
//! F = (1/N) sum of n (x) n over the N contacts (Satake 1982). Its trace is 1; without a preferred direction it is a third
//! of the identity. Contacts with walls count like those between grains. In a region, contacts count whose points lie in it.
//!
//! The anisotropy is sqrt(3/2 F':F') with F' = F - 1/3: 0 for an isotropic set, 1 if all contacts have one direction, and
//! the difference of the principal values if two of them are equal. The coefficients of the usual density
//! (1 + a_ij n_i n_j) / (4 pi) are a = 15/2 F'. A finite set of N isotropic contacts has an anisotropy of about 1/sqrt(N).

use super::stress::dyad;
use super::{ContactRecord, clip};
use crate::Model;
use crate::region::Region;
use glam::DMat3;
use tumble_geometry::Aabb;

/// Distribution of contact directions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fabric {
    /// Mean of n (x) n [1]; NaN without contacts.
    pub tensor: DMat3,
    /// Number of contacts it is taken over.
    pub n_contacts: usize,
}

impl Fabric {
    /// Anisotropy, from 0 (isotropic) to 1 (all contacts in one direction) [1]; NaN without contacts.
    pub fn anisotropy(&self) -> f64 {
        let deviator = self.tensor - DMat3::from_diagonal(glam::DVec3::splat(1.0 / 3.0));
        let square: f64 = deviator.to_cols_array().iter().map(|x| x * x).sum();
        (1.5 * square).sqrt()
    }
}

/// Fabric tensor of the contacts whose points lie in a region (`None`: of all contacts).
pub fn fabric(model: &Model, contacts: &[ContactRecord], region: Option<&Region>) -> Fabric {
    let (mut sum, mut n_contacts) = (DMat3::ZERO, 0);
    for contact in contacts {
        let times = region.map_or(1, |region| times_inside(model, contact, region));
        for _ in 0..times {
            sum += dyad(contact.normal, contact.normal);
        }
        n_contacts += times;
    }
    Fabric { tensor: sum * (1.0 / n_contacts as f64), n_contacts }
}

/// How many periodic images of a contact's point lie in a region.
fn times_inside(model: &Model, contact: &ContactRecord, region: &Region) -> usize {
    let point = Aabb { lower: contact.point, upper: contact.point };
    let mut times = 0;
    clip::for_each_image(&model.domain, &point, &clip::bounds(region), |shift| {
        times += usize::from(clip::holds(region, contact.point + shift));
    });
    times
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observe::fixture;
    use crate::random::Random;
    use glam::DVec3;

    fn contacts_along(normals: impl Iterator<Item = DVec3>) -> Vec<ContactRecord> {
        let state = fixture::state(&[(DVec3::ZERO, 1.0), (DVec3::X, 1.0)]);
        normals.map(|n| fixture::pair(&state, 0, 1, n, -n)).collect()
    }

    #[test]
    fn an_isotropic_set_gives_a_third_of_the_identity() {
        let mut random = Random::from_seed(61);
        let n = 40_000;
        let contacts = contacts_along((0..n).map(|_| random.direction()));
        let found = fabric(&fixture::model(), &contacts, None);
        // Standard deviations over the sphere: n_x^2 has sqrt(4/45), n_x n_y has sqrt(1/15). Four standard errors.
        let (diagonal, off) = (4.0 * (4.0 / 45.0 / n as f64).sqrt(), 4.0 * (1.0 / 15.0 / n as f64).sqrt());
        for row in 0..3 {
            for column in 0..3 {
                let (ideal, bound) = if row == column { (1.0 / 3.0, diagonal) } else { (0.0, off) };
                assert!((found.tensor.col(column)[row] - ideal).abs() < bound);
            }
        }
        assert!((found.tensor.x_axis.x + found.tensor.y_axis.y + found.tensor.z_axis.z - 1.0).abs() < 1e-12);
        // sqrt(1.5 * (3 * 4/45 + 6 * 1/15) / N) = 1 / sqrt(N) is its root mean square.
        assert!(found.anisotropy() < 4.0 / (n as f64).sqrt());
    }

    #[test]
    fn known_sets_have_their_known_anisotropy() {
        let model = fixture::model();
        let line = fabric(&model, &contacts_along([DVec3::Z, -DVec3::Z].into_iter()), None);
        assert!((line.anisotropy() - 1.0).abs() < 1e-15);
        let cube = fabric(&model, &contacts_along(DVec3::AXES.into_iter()), None);
        assert!(cube.anisotropy() < 1e-15);
        // Principal values 2/4, 1/4, 1/4.
        let stretched = [DVec3::X, DVec3::X, DVec3::Y, DVec3::Z];
        let found = fabric(&model, &contacts_along(stretched.into_iter()), None);
        assert!((found.anisotropy() - 0.25).abs() < 1e-15);
        assert!(fabric(&model, &[], None).anisotropy().is_nan());
    }

    #[test]
    fn only_contacts_with_their_points_in_the_region_count() {
        // The points are at the unit normals from the origin.
        let contacts = contacts_along([DVec3::X, DVec3::Y, DVec3::Z].into_iter());
        let region = Region::Ball { centre: DVec3::new(1.0, 1.0, 0.0), radius: 1.1 };
        let found = fabric(&fixture::model(), &contacts, Some(&region));
        assert_eq!(found.n_contacts, 2);
        assert_eq!(found.tensor, DMat3::from_diagonal(DVec3::new(0.5, 0.5, 0.0)));
    }
}
