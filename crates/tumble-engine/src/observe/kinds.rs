//! Kinds of grain as a scene has them: the variants of one count as one.

use crate::Model;
use crate::model::SpeciesIndex;

/// A kind of grain: its name, and the species that are variants of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Kind {
    /// The name.
    pub name: String,
    /// The species, in the order of the model.
    pub species: Vec<SpeciesIndex>,
}

/// The kinds of a model in the order of their first species. Variants have the name of their kind and a number.
pub fn kinds(model: &Model) -> Vec<Kind> {
    let mut kinds: Vec<Kind> = Vec::new();
    for (number, species) in model.species.iter().enumerate() {
        let base = match species.name.rsplit_once(' ') {
            Some((base, number)) if number.parse::<u32>().is_ok() => base,
            _ => &species.name,
        };
        match kinds.iter_mut().find(|kind| kind.name == base) {
            Some(kind) => kind.species.push(number as SpeciesIndex),
            None => kinds.push(Kind { name: base.to_owned(), species: vec![number as SpeciesIndex] }),
        }
    }
    kinds
}
