//! Groups of grains: those of some kinds, with some ids, in a region. A group either goes by what is so now, or by what was so at a
//! moment; then its members are kept in the state, and the group follows them wherever they go.

use crate::model::{Model, SpeciesIndex};
use crate::region::Region;
use crate::{Particles, State};

/// What a frozen group may miss its moment by, as a fraction of a step: none of its numbers is exact in binary.
const SLACK: f64 = 1e-6;

/// Which grains are meant: those for which all holds that is said.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// The name it has in the scene.
    pub name: String,
    /// Of these species; `None`: of any.
    pub species: Option<Vec<SpeciesIndex>>,
    /// With these ids, in order; `None`: with any.
    pub ids: Option<Vec<u32>>,
    /// With their centres in this region; `None`: anywhere.
    pub region: Option<Region>,
    /// When that is looked at [s]; `None`: whenever somebody asks.
    pub at: Option<f64>,
}

/// The members of a group that goes by a moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Members {
    /// Whether the moment has come.
    pub is_known: bool,
    /// Their ids, in order.
    pub ids: Vec<u32>,
}

impl Group {
    /// Whether a grain is meant as things are now.
    fn means(&self, p: &Particles, grain: usize) -> bool {
        self.species.as_ref().is_none_or(|species| species.contains(&p.species[grain]))
            && self.ids.as_ref().is_none_or(|ids| ids.binary_search(&p.id[grain]).is_ok())
            && self.region.is_none_or(|region| region.contains(p.position[grain]))
    }
}

/// Whether each grain belongs to a group, in their order; nobody does before the moment that it goes by.
pub fn members(model: &Model, state: &State, group: usize) -> Vec<bool> {
    let (group, members, p) = (&model.groups[group], &state.groups[group], &state.particles);
    (0..p.len())
        .map(|grain| match group.at {
            None => group.means(p, grain),
            Some(_) => members.is_known && members.ids.binary_search(&p.id[grain]).is_ok(),
        })
        .collect()
}

/// Notes who belongs to the groups whose moments have come.
pub(crate) fn note_members(model: &Model, state: &mut State) {
    for (group, members) in model.groups.iter().zip(&mut state.groups) {
        let Some(at) = group.at else { continue };
        if members.is_known || state.time + SLACK * state.time_step < at {
            continue;
        }
        let p = &state.particles;
        members.is_known = true;
        members.ids = (0..p.len()).filter(|&grain| group.means(p, grain)).map(|grain| p.id[grain]).collect();
        members.ids.sort_unstable();
    }
}
