//! What a crowned body is: arcs through three points in a half-plane through the axis, tried out over many directions.

use glam::{DVec2, DVec3};
use std::f64::consts::PI;
use tumble_geometry::narrow::contact_body_surface;
use tumble_geometry::{Capsule, ContactBody, Cylinder, Pose, Shape, Surface, SurfaceContact, Tablet, TruncatedCone};

/// Multiplies the size: what a separation may be off. The search for curved bodies ends at 1e-9.
pub const AGREE: f64 = 2e-9;

/// Shapes that have a crown, round and slender.
pub fn crowned_shapes() -> Vec<Shape> {
    let cylinder = |radius: f64, half_height: f64| Shape::Cylinder(Cylinder { radius, half_height });
    let cone = |lower_radius: f64, upper_radius: f64, height: f64| {
        Shape::TruncatedCone(TruncatedCone { lower_radius, upper_radius, height })
    };
    vec![
        cylinder(0.6, 0.5),
        cylinder(0.1, 1.0),
        cylinder(0.9, 0.05),
        Shape::Capsule(Capsule { radius: 0.3, half_height: 0.6 }),
        cone(0.7, 0.3, 0.9),
        cone(0.0, 0.6, 1.2),
        Shape::Tablet(Tablet { radius: 0.6, half_height: 0.3, dome_height: 0.25 }),
        Shape::Tablet(Tablet { radius: 0.6, half_height: 0.3, dome_height: 1e-6 }),
        Shape::Tablet(Tablet { radius: 0.5, half_height: 0.4, dome_height: 0.5 }),
    ]
}

/// Part of a circle through three points of a half-plane (distance from the axis, height), or one point three times.
#[derive(Clone, Copy, Debug)]
pub struct ThreePoints(pub [DVec2; 3]);

impl ThreePoints {
    /// The point that is farthest along a direction.
    pub fn farthest(&self, direction: DVec2) -> DVec2 {
        let [start, middle, end] = self.0;
        let ends = if start.dot(direction) > end.dot(direction) { start } else { end };
        let (chord, rise) = (end - start, middle - 0.5 * (start + end));
        let (half, bulge) = (0.5 * chord.length(), rise.length());
        if bulge == 0.0 {
            return ends;
        }
        let up = rise / bulge;
        let radius = (half * half + bulge * bulge) / (2.0 * bulge);
        // The angle from the middle, and how far the arc goes to either side of it.
        let angle = up.perp_dot(direction).atan2(up.dot(direction));
        let most = 2.0 * (bulge / half).atan();
        if angle.abs() > most {
            return ends;
        }
        let across = if up.perp().dot(chord) > 0.0 { chord } else { -chord }.normalize();
        middle + across * (radius * angle.sin()) - up * (2.0 * radius * (0.5 * angle).sin().powi(2))
    }
}

/// The arcs of a shape whose flat ends and straight sides bulge by a crown times half of the smaller width.
pub fn arcs(shape: &Shape, crown: f64) -> Vec<ThreePoints> {
    let cap = |radius: f64, z: f64, rise: f64| {
        ThreePoints([DVec2::new(-radius, z), DVec2::new(0.0, z + rise), DVec2::new(radius, z)])
    };
    let side = |upper: DVec2, lower: DVec2, bulge: f64| {
        let along = (upper - lower).normalize();
        ThreePoints([upper, 0.5 * (upper + lower) + DVec2::new(along.y, -along.x) * bulge, lower])
    };
    match shape {
        Shape::Cylinder(c) => {
            let (r, h) = (c.radius, c.half_height);
            let bulge = crown * r.min(h);
            vec![cap(r, h, bulge), side(DVec2::new(r, h), DVec2::new(r, -h), bulge), cap(r, -h, -bulge)]
        }
        Shape::TruncatedCone(c) => {
            let (upper, lower) = (DVec2::new(c.upper_radius, c.upper_z()), DVec2::new(c.lower_radius, c.lower_z()));
            let bulge = crown * c.upper_radius.max(c.lower_radius).min(0.5 * c.height);
            let mut arcs = vec![side(upper, lower, bulge)];
            if upper.x > 0.0 {
                arcs.push(cap(upper.x, upper.y, bulge));
            }
            if lower.x > 0.0 {
                arcs.push(cap(lower.x, lower.y, -bulge));
            }
            arcs
        }
        Shape::Tablet(t) if t.dome_height < t.radius => {
            let (r, h) = (t.radius, t.half_height);
            let bulge = crown * r.min(t.half_thickness());
            let rise = t.dome_height.max(bulge);
            vec![cap(r, h, rise), side(DVec2::new(r, h), DVec2::new(r, -h), bulge), cap(r, -h, -rise)]
        }
        Shape::Capsule(Capsule { radius, half_height }) | Shape::Tablet(Tablet { radius, half_height, .. }) => {
            let (r, h) = (*radius, *half_height);
            let bulge = crown * r.min(h + r);
            // The axis bulges, and a ball rolls along it.
            let turn = 2.0 * (bulge / h).atan();
            let (upper, lower) = (DVec2::from_angle(turn) * r, DVec2::from_angle(-turn) * r);
            let (upper, lower) = (upper + DVec2::Y * h, lower - DVec2::Y * h);
            let mirrored = |p: DVec2| DVec2::new(-p.x, p.y);
            vec![
                ThreePoints([mirrored(upper), DVec2::new(0.0, h + r), upper]),
                ThreePoints([upper, DVec2::new(r + bulge, 0.0), lower]),
                ThreePoints([mirrored(lower), DVec2::new(0.0, -h - r), lower]),
            ]
        }
        _ => panic!("{shape:?} has no crown"),
    }
}

/// A convex body by its definition.
pub enum Definition {
    Shape(Shape),
    Arcs(Vec<ThreePoints>),
}

impl Definition {
    pub fn of(body: &ContactBody) -> Definition {
        if body.bulge() > 0.0 {
            Definition::Arcs(arcs(body.shape(), body.crown()))
        } else {
            Definition::Shape(body.shape().clone())
        }
    }

    pub fn support(&self, direction: DVec3) -> DVec3 {
        match self {
            Definition::Shape(shape) => shape.support(direction),
            Definition::Arcs(arcs) => {
                let across = direction.truncate();
                let seen = DVec2::new(across.length(), direction.z);
                let farthest = arcs.iter().map(|arc| arc.farthest(seen));
                let place = farthest.max_by(|p, q| p.dot(seen).total_cmp(&q.dot(seen))).unwrap();
                (across.normalize_or(DVec2::X) * place.x).extend(place.y)
            }
        }
    }

    pub fn reach(&self, direction: DVec3) -> f64 {
        self.support(direction).dot(direction)
    }
}

/// Two bodies by their definitions.
pub struct TwoDefinitions<'a> {
    pub a: &'a Definition,
    pub b: &'a Definition,
    pub pose: &'a Pose,
}

impl TwoDefinitions<'_> {
    pub fn gap(&self, n: DVec3) -> f64 {
        n.dot(self.pose.position) - self.a.reach(n) - self.b.reach(self.pose.inverse_transform_vector(-n))
    }

    /// The largest gap that trying finds, from directions all round and from some that are given.
    pub fn largest_gap(&self, starts: &[DVec3]) -> (f64, DVec3) {
        const N_DIRECTIONS: usize = 300;
        let golden_angle = PI * (3.0 - 5f64.sqrt());
        let spread = (0..N_DIRECTIONS).map(|k| {
            let z = 1.0 - (2 * k + 1) as f64 / N_DIRECTIONS as f64;
            let (sine, cosine) = (golden_angle * k as f64).sin_cos();
            DVec3::new((1.0 - z * z).sqrt() * cosine, (1.0 - z * z).sqrt() * sine, z)
        });
        let mut tried: Vec<(f64, DVec3)> = spread.map(|n| (self.gap(n), n)).collect();
        tried.sort_by(|x, y| y.0.total_cmp(&x.0));
        tried.truncate(3);
        tried.extend(starts.iter().map(|&n| (self.gap(n), n)));
        let mut best = tried[0];
        for mut here in tried {
            let mut step = 0.05;
            let mut n_left = 150;
            while step > 1e-6 && n_left > 0 {
                n_left -= 1;
                let (u, v) = here.1.any_orthonormal_pair();
                let around =
                    [u, -u, v, -v, u + v, u - v, v - u, -u - v].map(|offset| (here.1 + step * offset).normalize());
                match around.map(|n| (self.gap(n), n)).into_iter().max_by(|x, y| x.0.total_cmp(&y.0)) {
                    // Steps that gain next to nothing only creep along a ridge.
                    Some(candidate) if candidate.0 > here.0 + 0.05 * AGREE => here = candidate,
                    _ => step *= 0.5,
                }
            }
            best = if here.0 > best.0 { here } else { best };
        }
        best
    }
}

pub fn inverse(pose: &Pose) -> Pose {
    pose.relative(&Pose::IDENTITY)
}

pub fn contacts(body: &ContactBody, surface: &Surface, pose: &Pose, margin: f64) -> Vec<SurfaceContact> {
    let mut found = Vec::new();
    contact_body_surface(body, surface, pose, margin, &mut found);
    found
}
