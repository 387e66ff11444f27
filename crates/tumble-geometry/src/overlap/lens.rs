//! The region that two smooth bodies share where their surfaces are graphs over a plane: a lens.
//!
//! Across the contact's normal, in polar coordinates about a point inside, the lens has the rim R(phi), and between its two sides the
//! thickness t(r, phi). Its volume and moments are integrals of t over the shadow, and vector area and first moment are integrals
//! along the rim alone (Stokes),
//!
//! V = int int_0^R t r dr dphi,  S = 1/2 int x cross dx,  G = -1/2 int |x|^2 dx.
//!
//! Lengths across are measured in half widths of the shadow, so that the rim is nearly a circle, and lengths along in thicknesses.
//! Around the rim the trapezoidal rule converges faster than any power for smooth bodies: 4, 8, 16 ... directions, four side by side,
//! until the answer no longer changes. Along a ray t is nearly a polynomial, and Gauss's rule of two to twelve nodes does. It is checked
//! by the integral by parts, -1/2 int r^2 dt/dr dr, which errs the other way and by more. The rim is found by Newton's method, the sides to
//! third order (`side.rs`), each from its neighbours, so that a direction costs two or three looks at the rim and one at each node.
//!
//! Volume, vector area and first moment belong to the same two surfaces to rounding however thin the lens is, since nothing large is
//! subtracted (`body.rs`): they are those of a pose that differs by 1e-16 of the size.
//!
//! For superquadrics, ellipsoids and balls among them, with each other and with half-spaces. It gives no answer where the rim passes the
//! outline of a body as seen along the normal, where one body is inside the other, or where 512 directions do not do, as near the
//! outline and over the flat faces of large exponents: then rays from a point inside serve (`quadrature.rs`).

mod body;
mod frame;
mod rules;
mod side;
mod sums;

use super::OverlapRegion;
use crate::lanes::{Kernel, Lanes, dispatch};
use crate::{Contact, Pose, Shape, Superquadric};
use body::Body;
use frame::{Centre, Frame};
use glam::DVec3;
use rules::{FIRST_OF_FOUR, MOST_DOUBLINGS, RULES, four_at};
use side::{OnRim, SideInLanes};
use std::f64::consts::FRAC_PI_2;
use sums::{Measures, Nodes, RimLanes, RimSums, ShadowLanes, ShadowSums};

/// Lists that are used again: the rim so far, four directions in each entry.
#[derive(Clone, Debug, Default)]
pub(super) struct LensWorkspace {
    rim: Vec<Four>,
}

/// The rim in four directions, a quarter turn apart.
#[derive(Clone, Copy, Debug)]
struct Four {
    radius: [f64; 4],
    height: [f64; 4],
    radius_change: [f64; 4],
    height_change: [f64; 4],
    slopes: [[f64; 4]; 2],
}

/// What is wanted of a region.
#[derive(Clone, Copy, Debug)]
pub(super) struct Accuracy {
    /// Relative error allowed [1].
    pub tolerance: f64,
    /// Whether the area of the surface is wanted.
    pub surface_area: bool,
}

/// The region of two shapes that are superquadrics or balls; `None` if it is no lens or does not reach the tolerance.
pub(super) fn overlap_lens(
    a: &Shape,
    b: &Shape,
    pose_ab: &Pose,
    contact: &Contact,
    accuracy: Accuracy,
    workspace: &mut LensWorkspace,
) -> Option<OverlapRegion> {
    let (a, b) = (as_superquadric(a)?, as_superquadric(b)?);
    let origin = 0.5 * (contact.point_a + contact.point_b);
    let bodies = [Body::superquadric(&a, &Pose::IDENTITY, origin), Body::superquadric(&b, pose_ab, origin)];
    lens(&bodies, origin, contact.normal, -contact.separation, accuracy, workspace)
}

/// The part of a superquadric in the half-space z <= 0; `None` if it is no lens or does not reach the tolerance.
pub(super) fn lens_half_space(
    shape: &Superquadric,
    pose: &Pose,
    accuracy: Accuracy,
    workspace: &mut LensWorkspace,
) -> Option<OverlapRegion> {
    let down = pose.inverse_transform_vector(DVec3::NEG_Z);
    let lowest = pose.transform_point(shape.support(down));
    let origin = DVec3::new(lowest.x, lowest.y, 0.5 * lowest.z);
    let bodies = [Body::superquadric(shape, pose, origin), Body::half_space(origin)];
    lens(&bodies, origin, DVec3::NEG_Z, -lowest.z, accuracy, workspace)
}

fn as_superquadric(shape: &Shape) -> Option<Superquadric> {
    match shape {
        Shape::Superquadric(superquadric) => Some(*superquadric),
        Shape::Sphere(sphere) => Some(Superquadric { semi_axes: DVec3::splat(sphere.radius), n1: 2.0, n2: 2.0 }),
        _ => None,
    }
}

fn lens(
    bodies: &[Body; 2],
    origin: DVec3,
    normal: DVec3,
    depth: f64,
    accuracy: Accuracy,
    workspace: &mut LensWorkspace,
) -> Option<OverlapRegion> {
    let usual = depth > 0.0 && normal.is_finite() && origin.is_finite();
    if !usual {
        None
    } else if bodies.iter().all(Body::has_products) {
        dispatch(Lens::<false> { bodies, origin, normal, depth, accuracy, workspace })
    } else {
        dispatch(Lens::<true> { bodies, origin, normal, depth, accuracy, workspace })
    }
}

/// A lens to be measured; of bodies of any exponents, or of powers of two.
struct Lens<'w, const ANY: bool> {
    bodies: &'w [Body; 2],
    /// A point in it, or near it.
    origin: DVec3,
    /// From a to b.
    normal: DVec3,
    /// About how thick it is.
    depth: f64,
    accuracy: Accuracy,
    workspace: &'w mut LensWorkspace,
}

impl<const ANY: bool> Kernel for Lens<'_, ANY> {
    type Output = Option<OverlapRegion>;

    #[inline(always)]
    fn run<L: Lanes>(self) -> Option<OverlapRegion> {
        let Lens { bodies, origin, normal, depth, accuracy, workspace: LensWorkspace { rim } } = self;
        let Accuracy { tolerance, surface_area } = accuracy;
        let mut frame = Frame::new(bodies, normal, depth)?;
        let close = (0.5 * tolerance).max(1e-12);
        rim.clear();
        let first = frame.settle::<L, ANY>(bodies, close)?;
        let sides = frame.sides(bodies);
        let in_lanes = [sides[0].in_lanes::<L, ANY>(), sides[1].in_lanes::<L, ANY>()];
        let centre = frame.centre();
        rim.push(Four::new(first));

        let is_uneven = bodies.iter().any(Body::is_uneven);
        let is_smooth = bodies.iter().all(Body::is_smooth);
        let mut rule = usize::from(tolerance < 1e-5);
        let mut nodes = Nodes::new(RULES[rule], &sides, tolerance, surface_area);
        // Sums over the directions before the last doubling, and with them.
        let (mut around_before, mut within_before) = (RimSums::default(), ShadowSums::default());
        let mut before: Option<Measures> = None;
        // Around two ellipsoids what four directions do not see falls with the width of the lens, and so do all further errors; over flat
        // spots four could see nothing by chance.
        let mut change_before = if is_uneven { 0.0 } else { 0.1 };
        for doubling in 0..=MOST_DOUBLINGS {
            let mut lanes = RimLanes::<L>::default();
            for four in fours(doubling) {
                let (cosine, sine) = directions::<L>(four);
                if doubling > 0 {
                    let guess = guess::<L>(rim, four, doubling);
                    rim.push(Four::new(side::rim(&in_lanes, cosine, sine, guess, close)?));
                }
                lanes.add(&rim[four], (cosine, sine), frame.units);
            }
            let around = around_before + lanes.sums();
            let mut is_new_rule = false;
            let (within, radial) = loop {
                if is_new_rule {
                    within_before = ShadowSums::default();
                    for level in 0..doubling {
                        within_before = within_before + shadow::<L, ANY>(level, rim, &in_lanes, &centre, &nodes)?;
                    }
                    before = None;
                }
                let within = within_before + shadow::<L, ANY>(doubling, rim, &in_lanes, &centre, &nodes)?;
                // What the integral by parts differs by is at least as many times the error as the rule has nodes, if t is smooth.
                let overstated = if is_smooth { RULES[rule].len() as f64 } else { 1.0 };
                let radial = (within.volume - within.by_parts).abs() / (within.volume * overstated);
                if radial <= 0.3 * tolerance {
                    break (within, radial);
                }
                // A further node makes it tens of times less.
                let further = if radial > 30.0 * tolerance { 2 } else { 1 };
                if rule + 1 == RULES.len() {
                    return None;
                }
                (rule, is_new_rule) = ((rule + further).min(RULES.len() - 1), true);
                nodes = Nodes::new(RULES[rule], &sides, tolerance, surface_area);
            };
            let now = Measures::new(doubling, &around, &within, frame.units);
            let smaller = before.replace(now);
            let sums_before = (around_before, within_before);
            (around_before, within_before) = (around, within);
            if doubling == 0 {
                continue;
            }
            let smaller =
                smaller.unwrap_or_else(|| Measures::new(doubling - 1, &sums_before.0, &sums_before.1, frame.units));
            let change = now.difference(&smaller, frame.units);
            // Half as many directions were off by that. What is left is less by as much again, if it falls as it did, and three times that
            // to be safe. Over flat spots it falls by the square of that, but unevenly: of thousands of rims, one in a hundred fell by no more than
            // sixteen, and with 64 directions thirty times. Where a rim is not smooth it falls by powers, and by chance not at all
            // as directions come to lie beside the seams: one small change alone says nothing.
            let least_fall = if doubling < 4 { 0.06 } else { 0.03 };
            let left = match (is_uneven, is_smooth) {
                (false, _) => change * (3.0 * change / change_before).min(1.0),
                (true, true) => change * (10.0 * (change / change_before).powi(2)).clamp(least_fall, 1.0),
                (true, false) => 0.5 * change.max(0.2 * change_before),
            };
            if left + radial <= tolerance && doubling > usize::from(is_uneven) {
                return now.region(&frame, origin, surface_area);
            }
            change_before = change;
        }
        None
    }
}

/// The sums over the shadow in the directions that a doubling adds.
#[inline(always)]
fn shadow<L: Lanes, const ANY: bool>(
    doubling: usize,
    rim: &[Four],
    sides: &[SideInLanes<L, ANY>; 2],
    centre: &Centre,
    nodes: &Nodes,
) -> Option<ShadowSums> {
    let mut lanes = ShadowLanes::<L>::default();
    for four in fours(doubling) {
        lanes.add(&rim[four], directions::<L>(four), sides, centre, nodes)?;
    }
    Some(lanes.sums())
}

/// Which fours of directions a doubling adds.
fn fours(doubling: usize) -> std::ops::Range<usize> {
    (1 << doubling) / 2..1 << doubling
}

/// Cosines and sines of four directions, a quarter turn apart.
#[inline(always)]
fn directions<L: Lanes>(four: usize) -> (L, L) {
    let (c, s) = FIRST_OF_FOUR[four];
    (L::load(&[c, -s, -c, s]), L::load(&[s, c, -s, -c]))
}

/// Radius and height of the rim in new directions, by Hermite's cubic between their neighbours.
#[inline(always)]
fn guess<L: Lanes>(rim: &[Four], four: usize, doubling: usize) -> [L; 2] {
    let place = four - (1 << doubling) / 2;
    let before = &rim[four_at(place, doubling - 1)];
    // Past a right angle the neighbours are the first ones of the next quarter.
    let after = if place + 1 == 1 << (doubling - 1) { rim[0].turned() } else { rim[four_at(place + 1, doubling - 1)] };
    let eighth = FRAC_PI_2 / f64::from(1u32 << (doubling - 1)) / 8.0;
    [
        between::<L>([&before.radius, &after.radius], [&before.radius_change, &after.radius_change], eighth),
        between::<L>([&before.height, &after.height], [&before.height_change, &after.height_change], eighth),
    ]
}

/// Hermite's cubic halfway, from values and slopes, and an eighth of the distance.
#[inline(always)]
fn between<L: Lanes>(values: [&[f64; 4]; 2], slopes: [&[f64; 4]; 2], eighth: f64) -> L {
    let sum = L::load(values[0]) + L::load(values[1]);
    sum * L::splat(0.5) + (L::load(slopes[0]) - L::load(slopes[1])) * L::splat(eighth)
}

impl Four {
    #[inline(always)]
    fn new<L: Lanes>(found: OnRim<L>) -> Four {
        let mut four = Four {
            radius: [0.0; 4],
            height: [0.0; 4],
            radius_change: [0.0; 4],
            height_change: [0.0; 4],
            slopes: [[0.0; 4]; 2],
        };
        found.radius.store(&mut four.radius);
        found.height.store(&mut four.height);
        found.radius_change.store(&mut four.radius_change);
        found.height_change.store(&mut four.height_change);
        found.slopes[0].store(&mut four.slopes[0]);
        found.slopes[1].store(&mut four.slopes[1]);
        four
    }

    /// The same, beginning with the second direction.
    fn turned(&self) -> Four {
        let turned = |[a, b, c, d]: [f64; 4]| [b, c, d, a];
        Four {
            radius: turned(self.radius),
            height: turned(self.height),
            radius_change: turned(self.radius_change),
            height_change: turned(self.height_change),
            slopes: self.slopes.map(turned),
        }
    }
}
