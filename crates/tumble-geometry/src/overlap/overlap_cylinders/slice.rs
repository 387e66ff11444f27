//! One slice: the polygon that the rectangles of two cylinders share in a plane x = const, and what it adds to the
//! integrals.
//!
//! The rectangle of a is cut by the four lines of b's. Each edge remembers the surface it lies on. The polygon is closed
//! whatever the rounding, so that the edges' normals times lengths always sum to zero. An edge on surfaces of both bodies
//! counts half for each.

use super::Pair;

/// Gauss's rule with 8 nodes on [-1, 1]: nodes right of the middle, and weights.
pub(super) const GAUSS_8: [(f64, f64); 4] = [
    (0.183_434_642_495_649_8, 0.362_683_783_378_362),
    (0.525_532_409_916_329, 0.313_706_645_877_887_27),
    (0.796_666_477_413_626_7, 0.222_381_034_453_374_48),
    (0.960_289_856_497_536_3, 0.101_228_536_290_376_26),
];

/// Gauss's rule with 16 nodes.
pub(super) const GAUSS_16: [(f64, f64); 8] = [
    (0.095_012_509_837_637_44, 0.189_450_610_455_068_5),
    (0.281_603_550_779_258_9, 0.182_603_415_044_923_58),
    (0.458_016_777_657_227_37, 0.169_156_519_395_002_54),
    (0.617_876_244_402_643_8, 0.149_595_988_816_576_74),
    (0.755_404_408_355_003, 0.124_628_971_255_533_88),
    (0.865_631_202_387_831_8, 0.095_158_511_682_492_79),
    (0.944_575_023_073_232_6, 0.062_253_523_938_647_894),
    (0.989_400_934_991_649_9, 0.027_152_459_411_754_096),
];

/// The surface an edge lies on.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Surface {
    /// How much of the edge a and b own.
    share: [f64; 2],
    is_side: bool,
}

impl Surface {
    const fn of(body: usize, is_side: bool) -> Surface {
        Surface { share: if body == 0 { [1.0, 0.0] } else { [0.0, 1.0] }, is_side }
    }
}

const N_CORNERS: usize = 8;

/// A convex polygon, counterclockwise seen against x.
#[derive(Clone, Copy, Debug)]
pub(super) struct Polygon {
    y: [f64; N_CORNERS],
    z: [f64; N_CORNERS],
    /// Surface of the edge from each corner to the next.
    surface: [Surface; N_CORNERS],
    pub n_corners: usize,
}

impl Polygon {
    /// What rectangles of the given half widths share.
    pub fn shared(pair: &Pair, widths: [f64; 2]) -> Polygon {
        let (w, h) = (widths[0], pair.half_height[0]);
        let (side, end) = (Surface::of(0, true), Surface::of(0, false));
        let mut polygon = Polygon {
            y: [w, w, -w, -w, 0.0, 0.0, 0.0, 0.0],
            z: [-h, h, h, -h, 0.0, 0.0, 0.0, 0.0],
            surface: [side, end, side, end, side, side, side, side],
            n_corners: 4,
        };
        let (c, s, centre) = (pair.cosine, pair.sine, pair.centre);
        polygon.cut(|y, z| s * (y - centre.y) + c * (z - centre.z), pair.half_height[1], Surface::of(1, false));
        polygon.cut(|y, z| c * (y - centre.y) - s * (z - centre.z), widths[1], Surface::of(1, true));
        polygon
    }

    /// Keeps |f| <= limit for a linear function.
    fn cut(&mut self, f: impl Fn(f64, f64) -> f64, limit: f64, surface: Surface) {
        for sign in [1.0, -1.0] {
            let mut height = [0.0; N_CORNERS];
            let mut highest = f64::NEG_INFINITY;
            for (k, height) in height.iter_mut().enumerate().take(self.n_corners) {
                *height = sign * f(self.y[k], self.z[k]) - limit;
                highest = highest.max(*height);
            }
            if highest >= 0.0 {
                self.cut_above(&height, surface);
            }
        }
    }

    /// Cuts off what is above zero.
    fn cut_above(&mut self, height: &[f64; N_CORNERS], surface: Surface) {
        let old = *self;
        self.n_corners = 0;
        for k in 0..old.n_corners {
            let next = if k + 1 == old.n_corners { 0 } else { k + 1 };
            let (here, there) = (height[k], height[next]);
            if here <= 0.0 {
                let both = here == 0.0 && there == 0.0 && surface.is_side == old.surface[k].is_side;
                let kept = if both { Surface { share: [0.5, 0.5], ..surface } } else { old.surface[k] };
                // Leaving at this very corner: the edge that follows is the cut.
                let leaves_here = here == 0.0 && there > 0.0;
                self.push(old.y[k], old.z[k], if leaves_here { surface } else { kept });
                if here < 0.0 && there > 0.0 {
                    self.push_crossing(&old, k, next, here, there, surface);
                }
            } else if there < 0.0 {
                self.push_crossing(&old, k, next, here, there, old.surface[k]);
            }
        }
    }

    fn push_crossing(&mut self, old: &Polygon, k: usize, next: usize, here: f64, there: f64, surface: Surface) {
        let share = here / (here - there);
        let between = |p: f64, q: f64| p + share * (q - p);
        self.push(between(old.y[k], old.y[next]), between(old.z[k], old.z[next]), surface);
    }

    fn push(&mut self, y: f64, z: f64, surface: Surface) {
        // A convex polygon of four corners cut four times has eight at most; rounding may not make it more.
        if let (Some(y_place), Some(z_place), Some(surface_place)) =
            (self.y.get_mut(self.n_corners), self.z.get_mut(self.n_corners), self.surface.get_mut(self.n_corners))
        {
            (*y_place, *z_place, *surface_place) = (y, z, surface);
            self.n_corners += 1;
        }
    }
}

/// Integrals over the patch of one body: outward normals n, places (x, y, z).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Patch {
    /// Of n_y and n_z.
    pub across: [f64; 2],
    /// Of x n_y and x n_z.
    pub lever: [f64; 2],
    /// Of y n_z - z n_y.
    pub twist: f64,
    /// Of n_x, y n_x and z n_x.
    pub along: [f64; 3],
}

/// Integrals over the region and its surface.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sums {
    pub volume: f64,
    /// Of x, y and z over the volume.
    pub moment: [f64; 3],
    pub surface_area: f64,
    pub patch: [Patch; 2],
}

impl Sums {
    /// Adds a slice of a thickness, given the half widths there and the distances along x from either axis.
    #[inline]
    pub fn add(&mut self, pair: &Pair, widths: [f64; 2], from_axis: [f64; 2], thickness: f64) {
        let polygon = Polygon::shared(pair, widths);
        let n = polygon.n_corners;
        if n < 3 {
            return;
        }
        let x = from_axis[0];
        // Outward component of the side's normal along x for a length of one across it, and the area there.
        let steepness = [0, 1].map(|k| from_axis[k] / widths[k]);
        let stretch = [0, 1].map(|k| pair.radius[k] / widths[k]);
        let (y0, z0) = (polygon.y[0], polygon.z[0]);
        let (mut area, mut area_y, mut area_z) = (0.0, 0.0, 0.0);
        for k in 0..n {
            let next = if k + 1 == n { 0 } else { k + 1 };
            let (y, z) = (polygon.y[k], polygon.z[k]);
            let (dy, dz) = (polygon.y[next] - y, polygon.z[next] - z);
            // Triangles from the first corner.
            let doubled = (y - y0) * dz - (z - z0) * dy;
            area += doubled;
            area_y += doubled * (2.0 * (y - y0) + dy);
            area_z += doubled * (2.0 * (z - z0) + dz);
            let (middle_y, middle_z) = (y + 0.5 * dy, z + 0.5 * dz);
            let surface = &polygon.surface[k];
            let length = (dy * dy + dz * dz).sqrt() * thickness;
            let (normal_y, normal_z) = (dz * thickness, -dy * thickness);
            for body in 0..2 {
                let share = surface.share[body];
                if share == 0.0 {
                    continue;
                }
                let patch = &mut self.patch[body];
                patch.across[0] += share * normal_y;
                patch.across[1] += share * normal_z;
                patch.lever[0] += share * x * normal_y;
                patch.lever[1] += share * x * normal_z;
                patch.twist += share * (middle_y * normal_z - middle_z * normal_y);
                if surface.is_side {
                    let along = share * steepness[body] * length;
                    patch.along[0] += along;
                    patch.along[1] += along * middle_y;
                    patch.along[2] += along * middle_z;
                    self.surface_area += share * stretch[body] * length;
                } else {
                    self.surface_area += share * length;
                }
            }
        }
        let area = 0.5 * area * thickness;
        self.volume += area;
        self.moment[0] += area * x;
        self.moment[1] += area * y0 + thickness * area_y / 6.0;
        self.moment[2] += area * z0 + thickness * area_z / 6.0;
    }
}
