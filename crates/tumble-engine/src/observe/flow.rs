//! What goes through planes and leaves through edges, as tables: numbers and masses so far, by kind, and how fast since the row
//! before.

use super::kinds::{Kind, kinds};
use crate::crossings::{Crossed, Departed};
use crate::{Model, State};

/// Names of the columns of what goes through a plane.
pub(super) fn flow_columns(model: &Model) -> Vec<String> {
    let mut names = ["forward", "backward", "net", "forward_kg", "backward_kg", "net_kg"].map(String::from).to_vec();
    names.extend(["net_per_s", "net_kg_per_s"].map(String::from));
    names.extend(
        of_kinds(model)
            .iter()
            .flat_map(|kind| ["forward", "backward", "net_kg"].map(|what| format!("{}_{what}", kind.name))),
    );
    names
}

/// What has gone through a plane so far. `before` is what is kept from row to row.
pub(super) fn flow_row(model: &Model, state: &State, plane: usize, before: &mut Vec<f64>) -> Vec<f64> {
    let n_species = model.species.len();
    let crossed = &state.crossed[plane * n_species..(plane + 1) * n_species];
    let sum = |species: &mut dyn Iterator<Item = usize>| {
        species.fold(Crossed::default(), |mut sum, species| {
            sum += crossed[species];
            sum
        })
    };
    let net = |c: &Crossed| (c.n_forward as f64 - c.n_backward as f64, c.mass_forward - c.mass_backward);
    let all = sum(&mut (0..n_species));
    let (n, mass) = net(&all);
    let mut row = vec![all.n_forward as f64, all.n_backward as f64, n, all.mass_forward, all.mass_backward, mass];
    row.extend(rates(state.time, [n, mass], before));
    row.extend(of_kinds(model).iter().flat_map(|kind| {
        let of_kind = sum(&mut kind.species.iter().map(|&species| usize::from(species)));
        [of_kind.n_forward as f64, of_kind.n_backward as f64, net(&of_kind).1]
    }));
    row
}

/// Names of the columns of what has left through edges.
pub(super) fn removed_columns(model: &Model) -> Vec<String> {
    let mut names = ["removed", "removed_kg", "removed_per_s", "removed_kg_per_s"].map(String::from).to_vec();
    names.extend(
        of_kinds(model).iter().flat_map(|kind| [format!("{}_removed", kind.name), format!("{}_removed_kg", kind.name)]),
    );
    names
}

/// What has left through edges so far. `before` is what is kept from row to row.
pub(super) fn removed_row(model: &Model, state: &State, before: &mut Vec<f64>) -> Vec<f64> {
    let sum = |species: &mut dyn Iterator<Item = usize>| {
        species.fold((0, 0.0), |(n, mass), species| {
            let Departed { n: more, mass: heavier } = state.departed[species];
            (n + more, mass + heavier)
        })
    };
    let (n, mass) = sum(&mut (0..model.species.len()));
    let mut row = vec![n as f64, mass];
    row.extend(rates(state.time, [n as f64, mass], before));
    row.extend(of_kinds(model).iter().flat_map(|kind| {
        let (n, mass) = sum(&mut kind.species.iter().map(|&species| usize::from(species)));
        [n as f64, mass]
    }));
    row
}

/// The kinds that have columns of their own: none where there is only one.
fn of_kinds(model: &Model) -> Vec<Kind> {
    let kinds = kinds(model);
    if kinds.len() > 1 { kinds } else { Vec::new() }
}

/// How fast two sums have grown since the row before; not a number in the first.
fn rates(time: f64, sums: [f64; 2], before: &mut Vec<f64>) -> [f64; 2] {
    let rates = match before[..] {
        [then, a, b] if time > then => [(sums[0] - a) / (time - then), (sums[1] - b) / (time - then)],
        _ => [f64::NAN; 2],
    };
    *before = vec![time, sums[0], sums[1]];
    rates
}
