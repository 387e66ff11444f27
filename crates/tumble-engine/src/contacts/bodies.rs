//! What takes part in contacts, side by side in memory: owned grains, then their images, then walls and images of walls. A wall
//! is a body that nothing moves, unless it is free.

use super::shape_table::ShapeTable;
use crate::Particles;
use crate::boundary::periodic::Ghosts;
use crate::model::{MaterialIndex, Model};
use crate::observe::Partner;
use crate::state::{State, WallState};
use glam::{DMat3, DQuat, DVec3};
use rayon::prelude::*;
use tumble_geometry::lanes::{Instructions, Kernel, Lanes, Row, head, row, tail, vector_row};

/// What every contact needs of a body, in rows of four numbers.
#[derive(Clone, Copy, Debug)]
pub struct Body {
    /// Position, and radius of the bounding ball, infinite for a wall [m].
    pub(super) place: Row,
    /// Velocity [m/s] and one over the mass [1/kg].
    pub(super) motion: Row,
    /// Angular velocity [rad/s] and the place of the material.
    pub(super) spin: Row,
}

impl Body {
    fn of(model: &Model, particles: &Particles, index: usize) -> Body {
        let material = model.species[particles.species[index] as usize].material;
        Body {
            place: row(particles.position[index], particles.radius[index]),
            motion: row(particles.velocity[index], 1.0 / particles.mass[index]),
            spin: row(particles.angular_velocity[index], f64::from(material)),
        }
    }

    fn of_wall(wall: &WallState, shift: DVec3, material: MaterialIndex, inverse_mass: f64) -> Body {
        Body {
            place: row(wall.pose.position + shift, f64::INFINITY),
            motion: row(wall.velocity, inverse_mass),
            spin: row(wall.angular_velocity, f64::from(material)),
        }
    }

    /// Puts the grain somewhere else, moving otherwise.
    #[inline(always)]
    pub fn set(&mut self, position: DVec3, velocity: DVec3, angular_velocity: DVec3) {
        self.place = row(position, tail(self.place));
        self.motion = row(velocity, tail(self.motion));
        self.spin = row(angular_velocity, tail(self.spin));
    }

    pub(super) fn position(&self) -> DVec3 {
        head(self.place)
    }

    pub(super) fn radius(&self) -> f64 {
        tail(self.place)
    }

    pub(super) fn velocity(&self) -> DVec3 {
        head(self.motion)
    }

    pub(super) fn angular_velocity(&self) -> DVec3 {
        head(self.spin)
    }

    pub(super) fn material(&self) -> MaterialIndex {
        tail(self.spin) as MaterialIndex
    }

    /// Velocity of its material at a place from its centre [m/s].
    pub(super) fn velocity_at(&self, arm: DVec3) -> DVec3 {
        self.velocity() + self.angular_velocity().cross(arm)
    }
}

/// What contacts of shapes need of a body besides.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    pub(super) orientation: DQuat,
    /// Its own axes x, y, z, in the world's frame.
    pub(super) axes: [Row; 3],
    /// One over the tensor of inertia in the world's frame [1/(kg m^2)]: xx, yy, zz, then the contact radius [m].
    pub(super) inertia: Row,
    /// xy, xz, yz, then half of the smallest width [m].
    pub(super) products: Row,
    /// Place of the shape in the table.
    pub(super) shape: u32,
}

impl Frame {
    /// A grain turned so.
    #[inline(always)]
    pub(super) fn of(orientation: DQuat, inverse_moments: DVec3, sizes: [f64; 2], shape: u32) -> Frame {
        let axes = DMat3::from_quat(orientation);
        let (y, z) = (axes.y_axis, axes.z_axis);
        // Sum over the axes of the moment times the axis times itself, without the part that is the same about all.
        let base = inverse_moments.x;
        let (mut diagonal, mut products) = (DVec3::splat(base), DVec3::ZERO);
        if inverse_moments != diagonal {
            let (dy, dz) = (y * (inverse_moments.y - base), z * (inverse_moments.z - base));
            diagonal += dy * y + dz * z;
            products = DVec3::new(dy.x * y.y + dz.x * z.y, dy.x * y.z + dz.x * z.z, dy.y * y.z + dz.y * z.z);
        }
        Frame {
            orientation,
            axes: [axes.x_axis, y, z].map(vector_row),
            inertia: row(diagonal, sizes[0]),
            products: row(products, sizes[1]),
            shape,
        }
    }

    /// Its own z axis.
    #[inline(always)]
    pub(super) fn axis(&self) -> Row {
        self.axes[2]
    }

    /// A direction of the world in its own frame.
    #[inline(always)]
    pub(super) fn own(&self, world: DVec3) -> DVec3 {
        let [x, y, z] = self.axes.map(head);
        DVec3::new(x.dot(world), y.dot(world), z.dot(world))
    }

    /// A direction of its own frame in the world.
    #[inline(always)]
    pub(super) fn world(&self, own: DVec3) -> DVec3 {
        let [x, y, z] = self.axes.map(head);
        x * own.x + y * own.y + z * own.z
    }

    fn of_wall() -> Frame {
        Frame {
            orientation: DQuat::IDENTITY,
            axes: DVec3::AXES.map(vector_row),
            inertia: row(DVec3::ZERO, f64::INFINITY),
            products: row(DVec3::ZERO, f64::INFINITY),
            shape: u32::MAX,
        }
    }
}

/// Makes the frames of a block's grains anew, one at a time: a kernel for the sake of the instructions.
struct TurnFrames<'a> {
    /// The first grain of the block.
    first: usize,
    frames: &'a mut [Frame],
    orientations: &'a [DQuat],
    shapes: &'a ShapeTable,
}

impl Kernel for TurnFrames<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let TurnFrames { first, frames, orientations, shapes } = self;
        for ((frame, &orientation), grain) in frames.iter_mut().zip(orientations).zip(first..) {
            let place = shapes.place(grain);
            let shape = shapes.entry(place);
            *frame = Frame::of(orientation, shape.inverse_moments, [shape.contact_radius, shape.half_width], place);
        }
    }
}

/// A wall or an image of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct WallImage {
    /// The wall.
    pub(super) wall: u32,
    /// From the wall to the image [m].
    pub(super) shift: DVec3,
}

impl WallImage {
    fn body(&self, model: &Model, walls: &[WallState]) -> Body {
        let wall = self.wall as usize;
        let described = &model.walls[wall];
        let inverse_mass = described.motion.free().map_or(0.0, |(_, mass)| 1.0 / mass);
        Body::of_wall(&walls[wall], self.shift, described.material, inverse_mass)
    }
}

/// All bodies.
#[derive(Clone, Debug, Default)]
pub struct Bodies {
    /// Owned grains, images, walls and their images.
    pub rows: Vec<Body>,
    /// The same in the same order; empty if all grains are spheres and the law goes by depth.
    pub(super) frames: Vec<Frame>,
    /// Ids of the grains and images.
    pub(super) ids: Vec<u32>,
    pub(super) n_owned: usize,
    pub(super) ghosts: Ghosts,
    /// The walls themselves, then those of their images that grains can meet.
    pub(super) wall_images: Vec<WallImage>,
}

impl Bodies {
    /// Grains, their images and walls by name. Where they are comes with [`Bodies::place`].
    pub(super) fn named(particles: &Particles, ghosts: Ghosts, wall_images: Vec<WallImage>) -> Bodies {
        let mut ids = Vec::with_capacity(particles.len() + ghosts.len());
        ids.extend_from_slice(&particles.id);
        ids.extend(ghosts.sources().map(|(grain, _)| particles.id[grain]));
        let n_owned = particles.len();
        Bodies { rows: Vec::new(), frames: Vec::new(), ids, n_owned, ghosts, wall_images }
    }

    /// Puts them where they are.
    pub(super) fn place(
        &mut self,
        model: &Model,
        state: &State,
        shapes: Option<&ShapeTable>,
        instructions: Instructions,
    ) {
        let particles = &state.particles;
        let mut rows = Vec::with_capacity(self.first_wall() + self.wall_images.len());
        rows.extend((0..self.first_wall()).map(|index| self.grain(model, particles, shapes, index)));
        rows.extend(self.wall_images.iter().map(|image| image.body(model, &state.walls)));
        self.rows = rows;
        self.update_frames(particles, shapes, instructions);
    }

    /// A grain or an image of one.
    pub(super) fn grain(
        &self,
        model: &Model,
        particles: &Particles,
        shapes: Option<&ShapeTable>,
        index: usize,
    ) -> Body {
        let grain = self.ghosts.grain_of(self.n_owned, index);
        let mut body = Body::of(model, particles, grain);
        if let Some(shapes) = shapes {
            body.place = row(body.position(), shapes.get(grain).reach);
        }
        if index >= self.n_owned {
            body.place += row(self.ghosts.shift_of(self.n_owned, index), 0.0);
        }
        body
    }

    /// The first wall's place.
    pub(super) fn first_wall(&self) -> usize {
        self.n_owned + self.ghosts.len()
    }

    /// What a body is to an observer.
    pub(super) fn partner(&self, body: usize) -> Partner {
        match body.checked_sub(self.first_wall()) {
            Some(image) => Partner::Wall(self.wall_images[image].wall as usize),
            None => Partner::Particle(self.ghosts.grain_of(self.n_owned, body)),
        }
    }

    /// Brings images and walls to where their grains and walls are now.
    pub(super) fn refresh(
        &mut self,
        model: &Model,
        walls: &[WallState],
        particles: &Particles,
        shapes: Option<&ShapeTable>,
        instructions: Instructions,
    ) {
        let first_wall = self.first_wall();
        let (owned, others) = self.rows.split_at_mut(self.n_owned);
        for (image, (grain, shift)) in others.iter_mut().zip(self.ghosts.sources()) {
            *image = owned[grain];
            image.place += row(shift, 0.0);
        }
        for (body, image) in self.rows[first_wall..].iter_mut().zip(&self.wall_images) {
            *body = image.body(model, walls);
        }
        self.update_frames(particles, shapes, instructions);
    }

    fn update_frames(&mut self, particles: &Particles, shapes: Option<&ShapeTable>, instructions: Instructions) {
        let Some(shapes) = shapes else { return };
        if self.frames.len() != self.rows.len() {
            self.frames.resize(self.rows.len(), Frame::of_wall());
        }
        let (owned, others) = self.frames.split_at_mut(self.n_owned);
        owned
            .par_chunks_mut(super::LARGEST_BLOCK)
            .zip(particles.orientation.par_chunks(super::LARGEST_BLOCK))
            .enumerate()
            .for_each(|(block, (frames, orientations))| {
                instructions.run(TurnFrames { first: block * super::LARGEST_BLOCK, frames, orientations, shapes });
            });
        for (image, (grain, _)) in others.iter_mut().zip(self.ghosts.sources()) {
            *image = owned[grain];
        }
    }
}

/// The radius of a contact of two bodies [m]; of a wall it is infinite. `frames` are empty unless there are shapes.
pub(super) fn effective_radius(rows: &[Body], frames: &[Frame], bodies: [usize; 2]) -> f64 {
    let radius = |body: usize| frames.get(body).map_or_else(|| rows[body].radius(), |frame| tail(frame.inertia));
    effective(bodies.map(radius))
}

/// The radius of a contact of two bodies with these radii [m].
pub(super) fn effective([a, b]: [f64; 2]) -> f64 {
    a / (1.0 + a / b)
}
