//! Reads regions and the domain, and holds one against the other.

use super::planar::Plane;
use super::reader::Reader;
use glam::DVec3;
use tumble_engine::model::{Domain, Edge};
use tumble_engine::region::Region;

const AXES: [&str; 3] = ["x", "y", "z"];

/// Reads `from` and `to` of a box and refuses one without a volume; in the planar mode it may be flat.
pub(crate) fn read_box(reader: &Reader, plane: Plane) -> Option<(DVec3, DVec3)> {
    let (from, to) = (reader.vector("from"), reader.vector("to"));
    let (from, to) = (from?, to?);
    for (axis, name) in AXES.iter().enumerate() {
        let may_be_flat = plane.is_on && axis == 2;
        if from[axis] > to[axis] || from[axis] == to[axis] && !may_be_flat {
            reader.report_at(
                "to",
                format!("along {name} the box goes from {} m to {} m", from[axis], to[axis]),
                "every coordinate of `to` must be larger than that of `from`",
            );
            return None;
        }
    }
    Some((from, to))
}

/// Reads `from` and `to` of an axis and refuses one without a length.
pub(crate) fn read_axis(reader: &Reader) -> Option<(DVec3, DVec3)> {
    let (from, to) = (reader.vector("from"), reader.vector("to"));
    let (from, to) = (from?, to?);
    if from == to {
        reader.report_at("to", "`from` and `to` are the same point", "the two ends must lie apart");
        return None;
    }
    Some((from, to))
}

/// Reads the region at the key `region`.
pub(crate) fn read_region(reader: &Reader, plane: Plane) -> Option<Region> {
    let region = reader.table("region")?;
    let read = [
        region.table("box").and_then(|t| read_box(&t, plane)).map(|(lower, upper)| Region::Box { lower, upper }),
        region.table("cylinder").and_then(|t| {
            let (axis, radius) = (read_axis(&t), t.quantity("radius"));
            let (from, to) = axis?;
            Some(Region::Cylinder { from, to, radius: radius? })
        }),
        region.table("ball").and_then(|t| {
            let (centre, radius) = (t.vector("centre"), t.quantity("radius"));
            Some(Region::Ball { centre: centre?, radius: radius? })
        }),
    ];
    read.into_iter().flatten().next()
}

/// Reports a region that reaches out of the domain, where leaving it means something.
pub(crate) fn check_inside(reader: &Reader, region: &Region, domain: &Domain) {
    let bounds = region.bounds();
    for (axis, name) in AXES.iter().enumerate() {
        if domain.edges[axis] == Edge::Open {
            continue;
        }
        let (low, high) = (domain.lower[axis], domain.upper[axis]);
        // The reach of a slanted cylinder is rounded; a region that fills the domain must pass.
        let slack = 1e-12 * (high - low);
        if bounds.lower[axis] < low - slack || bounds.upper[axis] > high + slack {
            reader.report_at(
                "region",
                format!(
                    "along {name} the region goes from {} m to {} m, out of the domain ({low} m to {high} m)",
                    short(bounds.lower[axis]),
                    short(bounds.upper[axis])
                ),
                "grains must come in inside the domain",
            );
        }
    }
}

/// A computed number without the dust of its last digits, for messages.
fn short(x: f64) -> f64 {
    format!("{x:.12e}").parse().unwrap_or(x)
}

/// Where a point lies outside of the domain, in words; `None` if it is inside.
pub(crate) fn outside(point: DVec3, domain: &Domain) -> Option<String> {
    (0..3).find_map(|axis| {
        let (low, high) = (domain.lower[axis], domain.upper[axis]);
        (domain.edges[axis] != Edge::Open && !(low..=high).contains(&point[axis])).then(|| {
            let name = AXES[axis];
            format!("{name} = {} m lies outside the domain, which goes from {low} m to {high} m", point[axis])
        })
    })
}

/// The domain, and the rate at which its edges shear it [1/s].
pub(crate) fn read_domain(scene: &Reader, plane: Plane) -> (Domain, f64) {
    let Some(reader) = scene.table("domain") else { return (Domain::UNBOUNDED, 0.0) };
    let shear_rate = reader.quantity("shear_rate").unwrap_or(0.0);
    let corners = read_box(&reader, plane);
    let mut edges = [Edge::Open; 3];
    if let Some(table) = reader.table("edges") {
        for (edge, axis) in edges.iter_mut().zip(AXES) {
            if let Some(word) = table.word(axis) {
                *edge = [Edge::Open, Edge::Remove, Edge::Periodic][word];
            }
        }
        if plane.is_on && edges[2] != Edge::Open {
            table.report_at("z", "grains never reach an edge across z", "the scene is planar: leave `z` open");
        }
    }
    if edges == [Edge::Open; 3] {
        scene.context.warning(
            &reader.path,
            Some(reader.at),
            "the domain has no effect: all its edges are open",
            "give `edges`, such as edges = { z = \"remove\" }",
        );
    }
    let domain = match corners {
        Some((lower, upper)) => Domain { lower, upper, edges },
        None => Domain::UNBOUNDED,
    };
    (domain, shear_rate)
}
