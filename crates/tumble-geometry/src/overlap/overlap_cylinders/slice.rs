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
enum Surface {
    Side(usize),
    End(usize),
    /// Of both bodies.
    SharedSide,
    SharedEnd,
}

const N_CORNERS: usize = 8;

/// A convex polygon, counterclockwise seen against x.
#[derive(Clone, Copy, Debug)]
struct Polygon {
    y: [f64; N_CORNERS],
    z: [f64; N_CORNERS],
    /// Surface of the edge from each corner to the next.
    surface: [Surface; N_CORNERS],
    n_corners: usize,
}

impl Polygon {
    /// What rectangles of the given half widths share.
    #[inline]
    fn shared(pair: &Pair, widths: [f64; 2]) -> Polygon {
        let (w, h) = (widths[0], pair.half_height[0]);
        let (side, end) = (Surface::Side(0), Surface::End(0));
        let mut polygon = Polygon {
            y: [w, w, -w, -w, 0.0, 0.0, 0.0, 0.0],
            z: [-h, h, h, -h, 0.0, 0.0, 0.0, 0.0],
            surface: [side, end, side, end, side, side, side, side],
            n_corners: 4,
        };
        let (c, s, centre) = (pair.cosine, pair.sine, pair.centre);
        polygon.cut(|y, z| s * (y - centre.y) + c * (z - centre.z), pair.half_height[1], Surface::End(1));
        polygon.cut(|y, z| c * (y - centre.y) - s * (z - centre.z), widths[1], Surface::Side(1));
        polygon
    }

    /// Keeps |f| <= limit for a linear function.
    #[inline]
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
    #[inline]
    fn cut_above(&mut self, height: &[f64; N_CORNERS], surface: Surface) {
        let old = *self;
        self.n_corners = 0;
        for k in 0..old.n_corners.min(N_CORNERS) {
            let next = if k + 1 == old.n_corners { 0 } else { k + 1 };
            let (here, there) = (height[k], height[next]);
            if here <= 0.0 {
                let after = match (here == 0.0, there) {
                    // Leaving at this very corner: the edge that follows is the cut.
                    (true, there) if there > 0.0 => surface,
                    (true, 0.0) => old.surface[k].shared_with(surface),
                    _ => old.surface[k],
                };
                self.push(old.y[k], old.z[k], after);
                if here < 0.0 && there > 0.0 {
                    self.push_crossing(&old, [k, next], here / (here - there), surface);
                }
            } else if there < 0.0 {
                self.push_crossing(&old, [k, next], here / (here - there), old.surface[k]);
            }
        }
    }

    #[inline]
    fn push_crossing(&mut self, old: &Polygon, [k, next]: [usize; 2], share: f64, surface: Surface) {
        let between = |p: f64, q: f64| p + share * (q - p);
        self.push(between(old.y[k], old.y[next]), between(old.z[k], old.z[next]), surface);
    }

    #[inline]
    fn push(&mut self, y: f64, z: f64, surface: Surface) {
        // A convex polygon of four corners cut four times has eight at most; rounding may not make it more.
        let k = self.n_corners;
        if k < N_CORNERS {
            (self.y[k], self.z[k], self.surface[k]) = (y, z, surface);
            self.n_corners += 1;
        }
    }
}

impl Surface {
    fn shared_with(self, other: Surface) -> Surface {
        match (self, other) {
            (Surface::Side(_), Surface::Side(_)) => Surface::SharedSide,
            (Surface::End(_), Surface::End(_)) => Surface::SharedEnd,
            _ => self,
        }
    }
}

/// Whose sides bound what rectangles of the given half widths share, if they share anything.
pub(super) fn sides_met(pair: &Pair, widths: [f64; 2]) -> Option<[bool; 2]> {
    let polygon = Polygon::shared(pair, widths);
    let edges = polygon.surface.get(..polygon.n_corners).filter(|edges| edges.len() >= 3)?;
    let meets = |body| edges.iter().any(|edge| matches!(edge, Surface::SharedSide) || *edge == Surface::Side(body));
    Some([meets(0), meets(1)])
}

/// Integrals over the region and its surface. Outward normals n, places (x, y, z).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sums {
    pub volume: f64,
    /// Of x, y and z over the volume.
    pub moment: [f64; 3],
    pub surface_area: f64,
    /// Of n_y and n_z over the patch of a.
    pub across: [f64; 2],
    /// Of x n_y and x n_z over the patch of a.
    pub lever: [f64; 2],
    /// Of y n_z - z n_y over the patch of a.
    pub twist: f64,
    /// Of n_x, y n_x and z n_x over the patches of a and b.
    pub along: [[f64; 3]; 2],
}

impl Sums {
    /// Adds a slice of a thickness, given the half widths there and the distances along x from either axis.
    #[inline]
    pub fn add(&mut self, pair: &Pair, widths: [f64; 2], from_axis: [f64; 2], thickness: f64) {
        let polygon = Polygon::shared(pair, widths);
        let n = polygon.n_corners;
        if !(3..=N_CORNERS).contains(&n) {
            return;
        }
        let (y0, z0) = (polygon.y[0], polygon.z[0]);
        let (mut area, mut area_y, mut area_z) = (0.0, 0.0, 0.0);
        let (mut normal_y, mut normal_z, mut twist) = (0.0, 0.0, 0.0);
        let mut ends = 0.0;
        let mut sides = [[0.0; 3]; 2];
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
            let length = (dy * dy + dz * dz).sqrt();
            let mut add_side = |body: usize, length: f64| {
                sides[body][0] += length;
                sides[body][1] += length * middle_y;
                sides[body][2] += length * middle_z;
            };
            let share = match polygon.surface[k] {
                Surface::Side(body) => {
                    add_side(body, length);
                    if body == 0 { 1.0 } else { 0.0 }
                }
                Surface::End(body) => {
                    ends += length;
                    if body == 0 { 1.0 } else { 0.0 }
                }
                Surface::SharedSide => {
                    add_side(0, 0.5 * length);
                    add_side(1, 0.5 * length);
                    0.5
                }
                Surface::SharedEnd => {
                    ends += length;
                    0.5
                }
            };
            normal_y += share * dz;
            normal_z -= share * dy;
            twist -= share * (middle_y * dy + middle_z * dz);
        }
        let x = from_axis[0];
        self.across[0] += thickness * normal_y;
        self.across[1] += thickness * normal_z;
        self.lever[0] += thickness * x * normal_y;
        self.lever[1] += thickness * x * normal_z;
        self.twist += thickness * twist;
        self.surface_area += thickness * ends;
        for body in 0..2 {
            // Of the side's normal along x, for a length of one across it; and the area there.
            if widths[body] <= 0.0 {
                continue;
            }
            let per_width = thickness / widths[body];
            let steepness = per_width * from_axis[body];
            for (sum, side) in self.along[body].iter_mut().zip(sides[body]) {
                *sum += steepness * side;
            }
            self.surface_area += per_width * pair.radius[body] * sides[body][0];
        }
        let area = 0.5 * area * thickness;
        self.volume += area;
        self.moment[0] += area * x;
        self.moment[1] += area * y0 + thickness * area_y / 6.0;
        self.moment[2] += area * z0 + thickness * area_z / 6.0;
    }
}
