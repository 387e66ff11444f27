//! What contacts of shapes do, four at a time, pairs and walls alike.

use super::Context;
use super::bodies::{Body, Frame};
use super::found::Found;
use super::respond::{Answered, Answers, Chunk, Law, Parties, Place};
use crate::law::shaped::{Patch, ShapedContact, evaluate_shaped};
use crate::law::{Kinematics, LawTable, Losses, Memory};
use crate::state::Groups;
use tumble_geometry::lanes::{Lanes, Vector, head, row};

/// A body of any shape in each lane.
pub(super) struct ShapedParties<L> {
    pub(super) body: Parties<L>,
    /// One over the tensor of inertia in the world's frame [1/(kg m^2)]: diagonal, and xy, xz, yz.
    diagonal: Vector<L>,
    products: Vector<L>,
    contact_radius: L,
    half_width: L,
}

impl<L: Lanes> ShapedParties<L> {
    #[inline(always)]
    pub(super) fn gather<'b>(body: impl Fn(usize) -> &'b Body, frame: impl Fn(usize) -> &'b Frame) -> ShapedParties<L> {
        let (diagonal, contact_radius) = L::gather_rows(|k| frame(k).inertia);
        let (products, half_width) = L::gather_rows(|k| frame(k).products);
        ShapedParties { body: Parties::gather(body), diagonal, products, contact_radius, half_width }
    }

    /// The work of a torque on the turning it causes: t . I^-1 t.
    #[inline(always)]
    fn turned_by(&self, t: Vector<L>) -> L {
        let (d, p) = (self.diagonal, self.products);
        let mixed = p.x * t.x * t.y + p.y * t.x * t.z + p.z * t.y * t.z;
        d.x * t.x * t.x + d.y * t.y * t.y + d.z * t.z * t.z + mixed + mixed
    }

    /// The turning that a torque causes: I^-1 t.
    #[inline(always)]
    fn turning(&self, t: Vector<L>) -> Vector<L> {
        let (d, p) = (self.diagonal, self.products);
        Vector {
            x: d.x * t.x + p.x * t.y + p.y * t.z,
            y: p.x * t.x + d.y * t.y + p.z * t.z,
            z: p.y * t.x + p.z * t.y + d.z * t.z,
        }
    }
}

/// A contact of shapes in each lane.
pub(super) struct ShapedPlace<L> {
    pub(super) place: Place<L>,
    overlap: L,
    /// See [`Found::region`].
    pitch: L,
    patch_radius: L,
    volume: L,
    area: L,
    /// Where it was in the last step: normal, and from a's centre to the point [m].
    normal_before: Vector<L>,
    arm_before: Vector<L>,
}

impl<L: Lanes> ShapedPlace<L> {
    #[inline(always)]
    pub(super) fn gather<'f>(
        found: impl Fn(usize) -> &'f Found,
        normal_before: Vector<L>,
        arm_before: Vector<L>,
    ) -> ShapedPlace<L> {
        let (normal, separation) = L::gather_rows(|k| found(k).normal);
        let (arm, overlap) = L::gather_rows(|k| found(k).arm);
        let (region, area) = L::gather_rows(|k| found(k).region);
        ShapedPlace {
            place: Place { normal, depth: -separation, arm },
            overlap,
            pitch: region.x,
            patch_radius: region.y,
            volume: region.z,
            area,
            normal_before,
            arm_before,
        }
    }

    /// The depth that the law has [m]; under the laws of regions there is none, and it is the overlap.
    #[inline(always)]
    fn law_depth(&self, table: &LawTable) -> L {
        if table.volume.is_some() { self.overlap } else { self.overlap * self.area }
    }

    /// What the law needs to know, and from b's centre to the contact point.
    #[inline(always)]
    pub(super) fn contact(
        &self,
        table: &LawTable,
        a: &ShapedParties<L>,
        b: &ShapedParties<L>,
    ) -> (ShapedContact<L>, Vector<L>) {
        let (zero, one) = (L::splat(0.0), L::splat(1.0));
        let (normal, arm, pitch) = (self.place.normal, self.place.arm, self.pitch);
        let offset = b.body.position - a.body.position;
        let arm_b = arm - offset;
        let spin = a.body.spin - b.body.spin;
        let (lever_a, lever_b) = (lever(arm, normal, pitch), lever(arm_b, normal, pitch));
        let compliance = a.body.inverse_mass + b.body.inverse_mass + a.turned_by(lever_a) + b.turned_by(lever_b);
        let of_sizes = a.contact_radius / (one + a.contact_radius / b.contact_radius);
        // Where the curvatures that touch count, a depth law has their radius in the place of the volume.
        let effective_radius =
            if table.local_curvature { L::select(self.volume.greater(zero), self.volume, of_sizes) } else { of_sizes };
        let (sideways, sideways_compliance) = if table.volume.is_some() {
            let moves = a.turning(lever_a).cross(arm) + b.turning(lever_b).cross(arm_b);
            let across = moves - normal * moves.dot(normal);
            let size = across.dot(across).sqrt();
            // A direction where there is none does no harm: nothing moves along it.
            let along = across * (one / size.max(L::splat(1e-200)));
            let turned = a.turned_by(arm.cross(along)) + b.turned_by(arm_b.cross(along));
            (size, a.body.inverse_mass + b.body.inverse_mass + turned)
        } else {
            (L::splat(0.0), one)
        };
        let velocity_before = slide(&a.body, &b.body, self.arm_before, offset);
        let contact = ShapedContact {
            kinematics: Kinematics {
                normal,
                overlap: self.overlap,
                relative_velocity: slide(&a.body, &b.body, arm, offset) + normal * (pitch * spin.dot(normal)),
                relative_spin: spin,
                mean_twist: L::splat(0.5) * (a.body.spin + b.body.spin).dot(normal),
                effective_mass: one / compliance,
                effective_radius,
            },
            pitch,
            patch_radius: L::select(
                self.patch_radius.greater(zero),
                self.patch_radius,
                (effective_radius * self.place.depth.max(zero)).sqrt(),
            ),
            slope: self.area,
            twist_inertia: one / (a.turned_by(normal) + b.turned_by(normal)),
            velocity_before,
            approach_before: velocity_before.dot(self.normal_before) + pitch * spin.dot(self.normal_before),
            sideways,
            sideways_compliance,
            volume: self.volume,
            area: self.area,
        };
        (contact, arm_b)
    }
}

/// Velocity of a relative to b at a place from a's centre.
#[inline(always)]
fn slide<L: Lanes>(a: &Parties<L>, b: &Parties<L>, arm: Vector<L>, offset: Vector<L>) -> Vector<L> {
    a.velocity - b.velocity + a.spin.cross(arm) - b.spin.cross(arm - offset)
}

/// The torque of a unit force along the normal, with its couple.
#[inline(always)]
fn lever<L: Lanes>(arm: Vector<L>, normal: Vector<L>, pitch: L) -> Vector<L> {
    arm.cross(normal) + normal * pitch
}

/// Answers contacts of shapes, with each other and with walls.
pub(super) struct RespondShapes<'a, const HERTZ: bool> {
    pub(super) found: &'a [Found],
}

impl<const HERTZ: bool> Law for RespondShapes<'_, HERTZ> {
    #[inline(always)]
    fn answer<L: Lanes>(
        &self,
        context: &Context,
        chunk: &mut Chunk<L>,
        losses: &mut Losses<L>,
        _: &mut Answers,
    ) -> Answered<L> {
        let Chunk { four, coefficients, columns, groups } = chunk;
        let groups = *groups;
        let a = ShapedParties::<L>::gather(|k| &context.bodies[four.a(k)], |k| &context.frames[four.a(k)]);
        let b = ShapedParties::<L>::gather(|k| &context.bodies[four.b(k)], |k| &context.frames[four.b(k)]);
        let place = ShapedPlace::<L>::gather(
            |k| &self.found[four.contact(k)],
            Vector::load(&columns[Groups::NORMAL..]),
            Vector::load(&columns[Groups::ARM..]),
        );
        let (mut contact, arm_b) = place.contact(context.table, &a, &b);
        if !context.conveyors.are_still() {
            let (conveyed, _) = L::gather_rows(|k| {
                let (found, a) = (&self.found[four.contact(k)], &context.bodies[four.a(k)]);
                let (normal, point) = (head(found.normal), a.position() + head(found.arm));
                row(context.conveyors.along(four.b(k), context.first_wall, point, normal), 0.0)
            });
            contact.kinematics.relative_velocity = contact.kinematics.relative_velocity - conveyed;
            // Where the contact was in the last step the surface moved along itself too.
            let across = place.normal_before * place.normal_before.dot(conveyed);
            contact.velocity_before = contact.velocity_before - (conveyed - across);
        }
        let (memory, patch) = (Memory::<L>::load(columns, groups), Patch::<L>::load(&columns[groups.patch()..]));
        let response =
            evaluate_shaped::<L, HERTZ>(context.table, coefficients, &contact, &memory, &patch, context.dt, losses);
        response.memory.store(columns, groups);
        response.patch.store(&mut columns[groups.patch()..]);
        response.couple.store(&mut columns[groups.couple()..]);
        place.law_depth(context.table).store(&mut columns[groups.law_depth()]);
        place.place.store(columns, response.normal_energy);
        Answered {
            force: response.force,
            couple: Some(response.couple),
            arm_a: place.place.arm,
            arm_b,
            depth: place.place.depth,
            half_width: a.half_width.min(b.half_width),
        }
    }
}
