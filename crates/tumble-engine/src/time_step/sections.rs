//! How large an area polyhedra without large faces have at a depth: the largest of their sections behind a face.
//!
//! Many small faces are no plate: what such a body shares with another is a cap, whose area grows with the depth.

use crate::law::shaped::VolumeLaw;
use crate::model::Species;
use tumble_geometry::{DQuat, DVec3, Polyhedron, Pose, overlap_half_space};

/// Depths over the reference length at which bodies are looked at [1]. The first is that of faces.
const DEPTHS: [f64; 6] = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32];

/// Most faces behind which a body is looked at, the largest first: it is flattest there.
const MOST_DIRECTIONS: usize = 40;

/// What of a body lies beyond a plane at some depth, where it is most.
#[derive(Clone, Copy, Debug)]
struct Section {
    /// Area of the section [m^2].
    area: f64,
    /// Volume beyond it [m^3].
    volume: f64,
}

/// The largest sections of a body at depths over a reference length.
#[derive(Clone, Debug)]
pub(super) struct Sections {
    /// Area of the largest face [m^2].
    pub largest_face: f64,
    at_depths: [Section; DEPTHS.len()],
}

impl Sections {
    /// Those of a species at a size, if it is a polyhedron whose faces are all smaller than an area [m^2].
    pub fn of(species: &Species, scale: f64, length: f64, area: f64) -> Option<Sections> {
        let polyhedron = species.shape.as_polyhedron()?;
        let mut faces: Vec<(f64, usize)> =
            (0..polyhedron.faces().len()).map(|k| (face_area(polyhedron, k), k)).collect();
        faces.sort_by(|a, b| b.0.total_cmp(&a.0));
        let largest_face = faces.first()?.0 * scale * scale;
        if largest_face >= area {
            return None;
        }
        faces.truncate(MOST_DIRECTIONS);
        let at_depths = DEPTHS.map(|share| {
            let mut largest = Section { area: 0.0, volume: 0.0 };
            for &(_, face) in &faces {
                let face = &polyhedron.faces()[face];
                let position = DVec3::Z * (face.offset - share * length / scale);
                let pose = Pose::new(position, DQuat::from_rotation_arc(face.normal, DVec3::NEG_Z));
                if let Ok(Some(beyond)) = overlap_half_space(&species.shape, &pose) {
                    largest.area = largest.area.max(beyond.vector_area.length() * scale.powi(2));
                    largest.volume = largest.volume.max(beyond.volume * scale.powi(3));
                }
            }
            Section { area: largest.area.min(area), ..largest }
        });
        Some(Sections { largest_face, at_depths })
    }

    /// What two bodies share at most: no more than either has.
    pub fn smaller(&self, other: &Sections) -> Sections {
        let mut at_depths = self.at_depths;
        for (section, other) in at_depths.iter_mut().zip(&other.at_depths) {
            *section = Section { area: section.area.min(other.area), volume: section.volume.min(other.volume) };
        }
        Sections { largest_face: self.largest_face.min(other.largest_face), at_depths }
    }

    /// The largest stiffness [N/m] that the volume law has on the way to the depth at which an energy [J] is stored: of faces as large as
    /// the sections.
    pub fn stiffness(&self, law: &VolumeLaw, energy: f64) -> f64 {
        let mut stiffest: f64 = 0.0;
        for (share, section) in DEPTHS.iter().zip(&self.at_depths) {
            let depth = share * law.reference.cbrt();
            stiffest = stiffest.max(law.pressure(section.area * depth) * section.area / depth);
            if law.energy(section.volume) >= energy {
                break;
            }
        }
        stiffest
    }
}

/// Area of a face [m^2].
fn face_area(polyhedron: &Polyhedron, face: usize) -> f64 {
    let face = &polyhedron.faces()[face];
    let place = |k: usize| polyhedron.vertices()[face.vertices[k] as usize];
    let twice: DVec3 = (2..face.vertices.len()).map(|k| (place(k - 1) - place(0)).cross(place(k) - place(0))).sum();
    0.5 * twice.length()
}
