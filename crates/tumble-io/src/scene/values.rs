//! Reads single values: quantities, directions, unit vectors.

use super::context::Context;
use super::tree::{Node, Value};
use crate::diagnostic::{Diagnostic, Severity};
use crate::schema::{Bound, FieldSpec, Kind, Presence, TableSpec, components_in_words};
use crate::units::{Dimension, parse_quantity, parse_vector};
use glam::DVec3;

pub(super) const PLAIN_NUMBER: Kind = Kind::Quantity(Dimension::NUMBER, Bound::ANY);

/// The table form of a rotation; declared here because [`Kind::Rotation`] speaks for it everywhere else.
pub(super) static AXIS_ANGLE: TableSpec = TableSpec {
    name: "axis and angle",
    doc: "A rotation about an axis.",
    fields: &[
        FieldSpec {
            key: "axis",
            kind: Kind::Direction,
            presence: Presence::Required,
            doc: "Direction of the axis.",
            example: "[0, 0, 1]",
        },
        FieldSpec {
            key: "angle",
            kind: Kind::Quantity(Dimension::ANGLE, Bound::ANY),
            presence: Presence::Required,
            doc: "Angle by the right-hand rule.",
            example: "\"30 deg\"",
        },
    ],
    alternatives: &[],
};

/// Numbers divided by their length, without overflow or underflow on the way; `None` if they are all zero.
pub(crate) fn normalised<const N: usize>(numbers: [f64; N]) -> Option<[f64; N]> {
    let largest = numbers.iter().fold(0.0f64, |m, x| m.max(x.abs()));
    if largest == 0.0 || !largest.is_finite() {
        return None;
    }
    let scaled = numbers.map(|x| x / largest);
    let length = scaled.iter().map(|x| x * x).sum::<f64>().sqrt();
    Some(scaled.map(|x| x / length))
}

pub(super) fn direction_of(context: &Context, kind: &Kind, node: &Node, path: &str) -> Option<DVec3> {
    let Value::Array(items) = &node.value else {
        context.error(path, &node.at, format!("found {}", node.value.shown()), format!("wants {}", kind.in_words()));
        return None;
    };
    if items.len() != 3 {
        context.error(path, &node.at, format!("found {}", node.value.shown()), format!("wants {}", kind.in_words()));
        return None;
    }
    let read: Vec<_> =
        items.iter().enumerate().map(|(i, n)| quantity_of(context, &PLAIN_NUMBER, n, &format!("{path}.{i}"))).collect();
    let read: Option<Vec<f64>> = read.into_iter().collect();
    let read = read?;
    match normalised([read[0], read[1], read[2]]) {
        Some(unit) => Some(DVec3::from_array(unit)),
        None => {
            context.error(path, &node.at, "the zero vector has no direction", format!("wants {}", kind.in_words()));
            None
        }
    }
}

/// Two or three quantities of a list, or three of a text with one unit.
pub(super) fn components_of<const N: usize>(
    context: &Context,
    dimension: Dimension,
    node: &Node,
    path: &str,
) -> Option<[f64; N]> {
    let wants = || format!("wants {}", components_in_words(dimension, N));
    match &node.value {
        Value::Text(text) if N == 3 => match parse_vector(text, dimension) {
            Ok(vector) => Some(std::array::from_fn(|i| vector[i])),
            Err(error) => {
                context.error(path, &node.at, error.to_string(), wants());
                None
            }
        },
        Value::Array(items) if items.len() == N => {
            let one = Kind::Quantity(dimension, Bound::ANY);
            let read: Vec<_> =
                items.iter().enumerate().map(|(i, n)| quantity_of(context, &one, n, &format!("{path}.{i}"))).collect();
            let read: Option<Vec<f64>> = read.into_iter().collect();
            read?.try_into().ok()
        }
        other => {
            context.error(path, &node.at, format!("found {}", other.shown_with_kind()), wants());
            None
        }
    }
}

pub(super) fn quantity_of(context: &Context, kind: &Kind, node: &Node, path: &str) -> Option<f64> {
    let Kind::Quantity(dimension, bound) = kind else { return None };
    let wants = || format!("wants {}", kind.in_words());
    let value = match &node.value {
        Value::Float(number) => *number,
        Value::Integer(Some(number)) => *number as f64,
        Value::Text(text) => match parse_quantity(text, *dimension) {
            Ok(value) => value,
            Err(error) => {
                context.error(path, &node.at, error.to_string(), wants());
                return None;
            }
        },
        other => {
            context.error(path, &node.at, format!("found {}", other.shown()), wants());
            return None;
        }
    };
    if !value.is_finite() {
        context.error(path, &node.at, format!("found {value}, which is not a finite number"), wants());
        return None;
    }
    if !bound.allows(value) {
        context.report(Diagnostic {
            severity: Severity::Error,
            key: path.to_string(),
            message: format!("found {}", node.value.shown()),
            at: Some(node.at.clone()),
            expected: format!("must be {}", bound.in_words()),
            help: (!bound.reason.is_empty()).then(|| bound.reason.to_string()),
            also: None,
        });
        return None;
    }
    Some(value)
}
