//! The region in one half-plane through the polar axis: who bounds it at which polar angle, and its integrals.
//!
//! In 1 / distance every plane is a sinusoid, alpha sin + beta cos, so the bound by all planes is the upper envelope of
//! sinusoids: the convex hull of the points (alpha, beta), walked around. Where a plane of that envelope lies inside all
//! curved constraints it bounds the region; each curved body covers one interval of it, in closed form for quadrics. On
//! what is left a curved surface bounds the region; two of them are told apart by sampling the difference of their
//! distances, with every sign change and every near miss followed up.
//!
//! Integrals over a triangle with a corner in the origin are exact. Curved arcs are taken by Gauss's rule, those of
//! superquadrics by adaptive Gauss-Kronrod.

use super::curved::{Chord, Section};
use super::pieces::Pieces;
use super::rules::GAUSS_7;
use super::sums::Sums;
use glam::{DMat3, DVec3};

/// Arcs shorter than this [rad] are left out.
const SHORTEST_ARC: f64 = 1e-13;

/// Angles closer than this [rad] may come in either order.
const ROUNDING_OF_ANGLES: f64 = 1e-12;

/// How far on either side of an edge [rad] it is looked which surface is nearer.
const BESIDE_EDGE: f64 = 1e-10;

/// Who bounds the region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bound {
    Plane(u32),
    Curved {
        index: u8,
        piece: u8,
    },
    /// A curved surface, not yet known which.
    AnyCurved,
}

/// A range of polar angles with one bound.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arc {
    pub bound: Bound,
    pub from: f64,
    pub to: f64,
    /// Distance near its beginning, or zero if not known.
    pub hint: f64,
}

/// How finely to look.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fineness {
    /// Widest panel of Gauss's rule [rad].
    pub panel: f64,
    /// Widest step when two curved surfaces are compared [rad].
    pub step: f64,
    /// Relative error allowed to an adaptive arc.
    pub arc_error: f64,
    /// Error allowed to an angle where one curved surface takes over from another [rad].
    pub angle_error: f64,
    /// Azimuths closer than this count as one [rad].
    pub same_azimuth: f64,
    /// Relative size of the last step of an iteration along a ray.
    pub last_step: f64,
}

impl Fineness {
    /// What a tolerance needs at least.
    pub fn for_tolerance(tolerance: f64) -> Fineness {
        if tolerance <= 1e-6 {
            return Fineness {
                panel: 0.9,
                step: 0.3,
                arc_error: 0.01 * tolerance,
                angle_error: 1e-14,
                same_azimuth: 1e-6,
                last_step: 1e-8,
            };
        }
        Fineness {
            // Wide enough for a quarter turn in one panel, which is the usual arc of a lens.
            panel: if tolerance > 1e-5 { 1.9 } else { 1.3 },
            step: 0.5,
            arc_error: 0.01 * tolerance,
            // Areas change by the angle.
            angle_error: 0.01 * tolerance,
            // An integral that begins like a square root loses its 3/2 power.
            same_azimuth: (0.2 * tolerance.powf(2.0 / 3.0)).clamp(1e-6, 1e-3),
            // Newton's iteration squares it.
            last_step: (0.1 * tolerance.sqrt()).max(1e-4),
        }
    }

    /// Everything finer.
    pub fn refined(&self) -> Fineness {
        Fineness {
            panel: 0.4 * self.panel,
            step: 0.4 * self.step,
            arc_error: 0.1 * self.arc_error,
            angle_error: 0.1 * self.angle_error,
            same_azimuth: (0.1 * self.same_azimuth).max(1e-7),
            last_step: 0.1 * self.last_step,
        }
    }
}

/// The curved surfaces along one ray.
#[derive(Clone, Copy, Debug)]
struct Sample {
    angle: f64,
    /// Which is nearer, and which piece of it.
    index: u8,
    piece: u8,
    /// (Distance of the first - of the second) / sum.
    difference: f64,
    /// Both distances.
    t: [f64; 2],
}

/// One half-plane, with lists that are used again for the next.
#[derive(Clone, Debug, Default)]
pub(super) struct HalfPlane {
    /// E and N: directions are s E + c N.
    e: DVec3,
    n: DVec3,
    /// (alpha, beta) of each plane.
    duals: Vec<[f64; 2]>,
    sections: [Option<Section>; 2],
    rough: Vec<Arc>,
    /// The bounds in order of the polar angle.
    pub arcs: Vec<Arc>,
    /// Angles at which a curved surface has an edge.
    edges: Vec<f64>,
    /// Distances of the curved surfaces along the polar axis, which all half-planes share; zero if not known yet.
    pole: [f64; 2],
}

impl HalfPlane {
    /// Forgets what was known of the last region.
    pub fn begin(&mut self) {
        self.pole = [0.0; 2];
    }

    /// Finds the arcs at an azimuth.
    pub fn look(&mut self, pieces: &Pieces, map: &DMat3, azimuth: f64, fineness: &Fineness) {
        let (sine, cosine) = azimuth.sin_cos();
        self.e = map.x_axis * cosine + map.y_axis * sine;
        self.n = map.z_axis;
        self.duals.clear();
        for plane in &pieces.planes {
            self.duals.push([plane.normal.dot(self.e) / plane.depth, plane.normal.dot(self.n) / plane.depth]);
        }
        for (section, curved) in self.sections.iter_mut().zip(&pieces.curved) {
            *section = curved.map(|(curved, _)| curved.section(self.e, self.n));
        }
        self.rough.clear();
        self.walk_planes();
        self.arcs.clear();
        for k in 0..self.rough.len() {
            let arc = self.rough[k];
            if arc.bound == Bound::AnyCurved {
                self.split_curved(arc.from, arc.to, fineness);
            } else {
                self.arcs.push(arc);
            }
        }
    }

    /// A number that changes when the sequence of bounds does.
    pub fn signature(&self, fineness: &Fineness) -> u64 {
        let shortest = (10.0 * fineness.angle_error).max(1e-9);
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        for arc in self.arcs.iter().filter(|arc| arc.to - arc.from > shortest) {
            let label = match arc.bound {
                Bound::Plane(index) => 32 + u64::from(index),
                Bound::Curved { index, piece } => 1 + 8 * u64::from(index) + u64::from(piece),
                Bound::AnyCurved => 0,
            };
            hash = (hash ^ label).wrapping_mul(0x0000_0100_0000_01b3);
        }
        hash
    }

    /// Walks around the hull of the dual points (and zero, which stands for "no plane").
    fn walk_planes(&mut self) {
        let none = self.duals.len();
        let mut current = none;
        let mut here = [0.0, 0.0];
        for (index, dual) in self.duals.iter().enumerate() {
            if dual[1] > here[1] || (dual[1] == here[1] && dual[0] > here[0]) {
                (current, here) = (index, *dual);
            }
        }
        let mut from = [0.0, 1.0];
        for _ in 0..=none + 1 {
            let mut next: Option<(usize, [f64; 2], [f64; 2], f64)> = None;
            for index in 0..=none {
                if index == current {
                    continue;
                }
                let dual = self.duals.get(index).copied().unwrap_or([0.0, 0.0]);
                let difference = [dual[0] - here[0], dual[1] - here[1]];
                let length = (difference[0] * difference[0] + difference[1] * difference[1]).sqrt();
                if length.is_nan() || length <= 0.0 {
                    continue;
                }
                // Overtakes where alpha s + beta c of the difference rises through zero.
                let at = [-difference[1] / length, difference[0] / length];
                // Dual points in one line (parallel planes) overtake at one angle, up to rounding on either side.
                if at[0] <= 0.0 || cross(from, at) <= -ROUNDING_OF_ANGLES {
                    continue;
                }
                let is_sooner = match &next {
                    None => true,
                    Some((_, _, sooner, farther)) => {
                        let turn = cross(at, *sooner);
                        turn > 0.0 || (turn == 0.0 && length > *farther)
                    }
                };
                if is_sooner {
                    next = Some((index, dual, at, length));
                }
            }
            let mut to = next.map_or([0.0, -1.0], |(_, _, at, _)| at);
            if cross(from, to) > 0.0 || next.is_none() {
                self.cover(current, here, from, to);
            } else {
                to = from;
            }
            let Some((index, dual, _, _)) = next else { return };
            (current, here, from) = (index, dual, to);
        }
    }

    /// Adds a stretch of the planes' envelope, less what the curved constraints take from it.
    fn cover(&mut self, plane: usize, dual: [f64; 2], from: [f64; 2], to: [f64; 2]) {
        if plane >= self.duals.len() {
            self.push(Bound::AnyCurved, angle(from), angle(to));
            return;
        }
        // Chords of a right angle or less keep the shares well conditioned.
        if dot(from, to) < 0.0 {
            let middle = [from[1] - to[1], to[0] - from[0]];
            let length = (middle[0] * middle[0] + middle[1] * middle[1]).sqrt();
            let middle = [middle[0] / length, middle[1] / length];
            self.cover_chord(plane, dual, from, middle);
            self.cover_chord(plane, dual, middle, to);
        } else {
            self.cover_chord(plane, dual, from, to);
        }
    }

    fn cover_chord(&mut self, plane: usize, dual: [f64; 2], from: [f64; 2], to: [f64; 2]) {
        let chord = Chord { from, to, inverse: [dot(dual, from), dot(dual, to)] };
        let (mut lower, mut upper) = (0.0_f64, 1.0_f64);
        for section in self.sections.iter().flatten() {
            match section.inside(&chord) {
                Some([first, last]) => (lower, upper) = (lower.max(first), upper.min(last)),
                None => upper = -1.0,
            }
        }
        let at = |share: f64| {
            if share <= 0.0 {
                angle(from)
            } else if share >= 1.0 {
                angle(to)
            } else {
                angle([from[0] + share * (to[0] - from[0]), from[1] + share * (to[1] - from[1])])
            }
        };
        if lower >= upper {
            self.push(Bound::AnyCurved, at(0.0), at(1.0));
            return;
        }
        self.push(Bound::AnyCurved, at(0.0), at(lower));
        self.push(Bound::Plane(plane as u32), at(lower), at(upper));
        self.push(Bound::AnyCurved, at(upper), at(1.0));
    }

    fn push(&mut self, bound: Bound, from: f64, to: f64) {
        if let Some(last) = self.rough.last_mut()
            && last.bound == bound
        {
            last.to = to;
            return;
        }
        if to - from > SHORTEST_ARC {
            // Joins up with what is there, so that nothing is lost between.
            let from = self.rough.last().map_or(0.0, |last| last.to);
            self.rough.push(Arc { bound, from, to, hint: 0.0 });
        }
    }

    /// The curved surfaces along a ray; `hints` are distances that are thought to be near.
    fn nearer(&self, angle: f64, hints: [f64; 2], last_step: f64) -> Sample {
        let (s, c) = angle.sin_cos();
        let exit = |k: usize| {
            let hint = if hints[k].is_finite() { hints[k] } else { 0.0 };
            self.sections[k].as_ref().map_or((f64::INFINITY, 0), |section| section.exit(s, c, hint, last_step))
        };
        let ((t1, piece1), (t2, piece2)) = (exit(0), exit(1));
        let difference = if t1.is_finite() && t2.is_finite() {
            (t1 - t2) / (t1 + t2)
        } else if t1.is_finite() || self.sections[1].is_none() {
            -1.0
        } else {
            1.0
        };
        let (index, piece) = if difference <= 0.0 { (0, piece1) } else { (1, piece2) };
        Sample { angle, index, piece, difference, t: [t1, t2] }
    }

    /// Finds which curved surface bounds the region between two angles.
    fn split_curved(&mut self, from: f64, to: f64, fineness: &Fineness) {
        let n_sections = self.sections.iter().flatten().count();
        let is_simple = n_sections < 2 && self.sections.iter().flatten().all(Section::is_one_piece);
        if is_simple {
            let index = u8::from(self.sections[0].is_none());
            self.push_curved(index, 0, from, to, 0.0);
            return;
        }
        // At an edge of a surface what is nearer changes at a known place, however short the stretch.
        let mut edges = std::mem::take(&mut self.edges);
        edges.clear();
        for section in self.sections.iter().flatten() {
            section.sharp_seams(&mut edges);
        }
        edges.retain(|edge| from + BESIDE_EDGE < *edge && *edge < to - BESIDE_EDGE);
        edges.sort_unstable_by(f64::total_cmp);
        edges.push(to);
        let mut from = from;
        for edge in &edges {
            if *edge < to {
                let (left, right) = (edge - BESIDE_EDGE, edge + BESIDE_EDGE);
                if left > from {
                    self.split_between_edges(from, left, n_sections, fineness);
                    from = left;
                }
                let ends = [from, right].map(|angle| self.nearer(angle, [0.0; 2], fineness.last_step));
                self.between(&ends[0], &ends[1], fineness);
                from = right;
            } else if to > from {
                self.split_between_edges(from, to, n_sections, fineness);
            }
        }
        self.edges = edges;
    }

    /// The same for a range in which no surface has an edge.
    fn split_between_edges(&mut self, from: f64, to: f64, n_sections: usize, fineness: &Fineness) {
        let n_steps = ((to - from) / fineness.step).ceil().max(2.0) as usize;
        let step = (to - from) / n_steps as f64;
        let mut before: Option<Sample> = None;
        let hints = if from == 0.0 { self.pole } else { [0.0; 2] };
        let mut previous = self.nearer(from, hints, fineness.last_step);
        if from == 0.0 {
            self.pole = previous.t;
        }
        for k in 1..=n_steps {
            let place = if k == n_steps { to } else { from + step * k as f64 };
            let here = self.nearer(place, previous.t, fineness.last_step);
            // A dip towards zero between three samples of one sign: look whether it gets there.
            if let Some(before) = before
                && n_sections == 2
                && let Some(dip) = self.dip(&before, &previous, &here, fineness)
            {
                // The dip lies to one side of the middle sample; the arc up to it is done, or begins anew there.
                if dip.angle > previous.angle {
                    self.between(&previous, &dip, fineness);
                    self.between(&dip, &here, fineness);
                } else {
                    self.undo(before.angle);
                    self.between(&before, &dip, fineness);
                    self.between(&dip, &previous, fineness);
                    self.between(&previous, &here, fineness);
                }
            } else {
                self.between(&previous, &here, fineness);
            }
            before = Some(previous);
            previous = here;
        }
    }

    /// Takes back what was said beyond an angle.
    fn undo(&mut self, angle: f64) {
        while let Some(last) = self.arcs.last_mut() {
            if last.from >= angle {
                self.arcs.pop();
            } else {
                last.to = last.to.min(angle);
                return;
            }
        }
    }

    /// A sample of the other sign near a dip of three samples, if there is one.
    fn dip(&self, left: &Sample, middle: &Sample, right: &Sample, fineness: &Fineness) -> Option<Sample> {
        let sign = middle.difference.signum();
        let [mut l, mut m, mut r] = [left, middle, right].map(|sample| (sample.angle, sign * sample.difference));
        if l.1 <= 0.0 || r.1 <= 0.0 || m.1 > l.1 || m.1 > r.1 {
            return None;
        }
        for _ in 0..8 {
            // Lowest point of the parabola through the three.
            let (a, b) = ((l.1 - m.1) / (l.0 - m.0), (r.1 - m.1) / (r.0 - m.0));
            let curvature = (b - a) / (r.0 - l.0);
            if curvature.is_nan() || curvature <= 0.0 {
                return None;
            }
            let x = 0.5 * (l.0 + m.0) - 0.5 * a / curvature;
            let predicted = m.1 + (x - m.0) * (a + curvature * (x - l.0));
            // Far above zero, a parabola through three samples is trusted to stay there.
            if predicted > 0.5 * m.1 || !(x > l.0 && x < r.0) || (x - m.0).abs() < 1e-9 {
                return None;
            }
            let sample = self.nearer(x, middle.t, fineness.last_step);
            let value = sign * sample.difference;
            if value < 0.0 {
                return Some(sample);
            }
            if x < m.0 {
                if value < m.1 {
                    (r, m) = (m, (x, value));
                } else {
                    l = (x, value);
                }
            } else if value < m.1 {
                (l, m) = (m, (x, value));
            } else {
                r = (x, value);
            }
        }
        None
    }

    /// Adds the arcs between two samples that are close to each other.
    fn between(&mut self, left: &Sample, right: &Sample, fineness: &Fineness) {
        if left.index == right.index && left.piece == right.piece {
            self.push_curved(left.index, left.piece, left.angle, right.angle, left.t[usize::from(left.index)]);
        } else if left.index != right.index {
            let ends = [left, right].map(|sample| (sample.angle, sample.difference));
            let difference = |angle: f64| self.nearer(angle, left.t, fineness.last_step).difference;
            let place = root(ends[0], ends[1], fineness.angle_error, difference);
            let at = self.pieces_at(place, left.t, fineness);
            let own = |sample: &Sample| (at[usize::from(sample.index)], left.t[usize::from(sample.index)]);
            let ((last, near), (first, far)) = (own(left), own(right));
            self.between_pieces((left.index, near), (left.angle, left.piece), (place, last), fineness);
            self.between_pieces((right.index, far), (place, first), (right.angle, right.piece), fineness);
        } else {
            let surface = (left.index, left.t[usize::from(left.index)]);
            self.between_pieces(surface, (left.angle, left.piece), (right.angle, right.piece), fineness);
        }
    }

    fn pieces_at(&self, angle: f64, hints: [f64; 2], fineness: &Fineness) -> [u8; 2] {
        if self.sections.iter().flatten().all(Section::is_one_piece) {
            return [0; 2];
        }
        let (s, c) = angle.sin_cos();
        [0, 1].map(|k| {
            let section = self.sections[k].as_ref();
            section.map_or(0, |section| section.exit(s, c, hints[k], fineness.last_step).1)
        })
    }

    /// Adds the arcs of one surface between two angles, with a seam for each bit in which their pieces differ.
    fn between_pieces(&mut self, (index, hint): (u8, f64), left: (f64, u8), right: (f64, u8), fineness: &Fineness) {
        if left.1 == right.1 {
            self.push_curved(index, right.1, left.0, right.0, hint);
            return;
        }
        let Some(section) = self.sections[usize::from(index)] else { return };
        let mut seams = [(f64::INFINITY, 0_u8); 3];
        for (bit, place) in seams.iter_mut().enumerate().filter(|(bit, _)| (left.1 ^ right.1) >> bit & 1 == 1) {
            let seam = |angle: f64| {
                let (s, c) = angle.sin_cos();
                section.seam(s, c, bit, fineness.last_step)
            };
            let ends = [left.0, right.0].map(|angle| (angle, seam(angle)));
            // The surface is smooth enough at a seam for an angle that is roughly right; sharp seams are between samples that
            // are closer than that.
            *place = (root(ends[0], ends[1], 1e2 * fineness.angle_error, seam), 1 << bit);
        }
        seams.sort_unstable_by(|x, y| x.0.total_cmp(&y.0));
        let (mut from, mut piece) = (left.0, left.1);
        for (place, bit) in seams.into_iter().filter(|(_, bit)| *bit != 0) {
            self.push_curved(index, piece, from, place, hint);
            (from, piece) = (place, piece ^ bit);
        }
        self.push_curved(index, right.1, from, right.0, hint);
    }

    fn push_curved(&mut self, index: u8, piece: u8, from: f64, to: f64, hint: f64) {
        let bound = Bound::Curved { index, piece };
        if let Some(last) = self.arcs.last_mut()
            && last.bound == bound
        {
            last.to = to;
        } else if to - from > SHORTEST_ARC {
            self.arcs.push(Arc { bound, from, to, hint: if hint.is_finite() { hint } else { 0.0 } });
        }
    }

    /// Adds the integrals over the half-plane's arcs, times `weight`.
    pub fn integrate(&self, pieces: &Pieces, weight: f64, fineness: &Fineness, sums: &mut Sums) {
        for arc in &self.arcs {
            match arc.bound {
                Bound::Plane(index) => {
                    if let (Some(plane), Some(dual)) =
                        (pieces.planes.get(index as usize), self.duals.get(index as usize))
                    {
                        let [p, q] = [arc.from, arc.to].map(|angle| {
                            let (s, c) = angle.sin_cos();
                            let t = 1.0 / (dual[0] * s + dual[1] * c);
                            [t * s, t * c]
                        });
                        let area = 0.5 * weight * (p[1] * q[0] - p[0] * q[1]);
                        let volume = area * (p[0] + q[0]) / 3.0;
                        let square = area / 12.0 * (p[0] * p[0] + q[0] * q[0] + (p[0] + q[0]).powi(2));
                        let mixed = area / 12.0 * (p[0] * p[1] + q[0] * q[1] + (p[0] + q[0]) * (p[1] + q[1]));
                        sums.add_flat(volume, square * self.e + mixed * self.n, plane.normal, plane.depth, plane.owner);
                    }
                }
                Bound::Curved { index, .. } => {
                    let index = usize::from(index);
                    if let (Some(section), Some((curved, owner))) = (&self.sections[index], &pieces.curved[index]) {
                        let node = |[s, c]: [f64; 2], hint: Hint, w: f64, sums: &mut Sums| {
                            let (t, _) = section.exit(s, c, hint.at([s, c]), fineness.last_step);
                            let direction = s * self.e + c * self.n;
                            let point = t * direction;
                            let gradient = curved.gradient(point);
                            sums.add_curved(w * s * t * t, t, direction, point, gradient, *owner);
                            (t, gradient, point)
                        };
                        match section {
                            Section::Conic(_) | Section::RoundEnded { .. } => {
                                gauss_arc(arc.from, arc.to, weight, fineness.panel, sums, |direction, w, sums| {
                                    node(direction, Hint::Distance(0.0), w, sums);
                                });
                            }
                            Section::Superquadric { .. } => {
                                adaptive_arc(arc, weight, fineness, sums, |direction, hint, w, sums| {
                                    let (t, gradient, point) = node(direction, hint, w, sums);
                                    let slopes = [gradient.dot(self.e), gradient.dot(self.n)];
                                    (t, Hint::Tangent { slopes, level: gradient.dot(point) })
                                });
                            }
                        }
                    }
                }
                Bound::AnyCurved => {}
            }
        }
    }
}

/// Where a ray is thought to leave a surface.
#[derive(Clone, Copy, Debug)]
enum Hint {
    /// At a distance; zero if nothing is known.
    Distance(f64),
    /// Where it leaves the tangent plane of a neighbouring point, g . x = level, g as seen by E and N.
    Tangent { slopes: [f64; 2], level: f64 },
}

impl Hint {
    fn at(self, direction: [f64; 2]) -> f64 {
        match self {
            Hint::Distance(distance) => distance,
            Hint::Tangent { slopes, level } => {
                let slope = dot(slopes, direction);
                // A plane seen at a grazing angle says nothing.
                if slope > 0.2 * level { level / slope } else { 0.0 }
            }
        }
    }
}

/// Sine and cosine at the nodes of Gauss's rule with 7, which lie in pairs about the middle.
#[inline]
fn directions(middle: f64, half: f64) -> [[f64; 2]; 7] {
    let (s, c) = middle.sin_cos();
    let mut all = [[s, c]; 7];
    for k in 4..7 {
        let (ds, dc) = (half * GAUSS_7[k].0).sin_cos();
        all[k] = [s * dc + c * ds, c * dc - s * ds];
        all[6 - k] = [s * dc - c * ds, c * dc + s * ds];
    }
    all
}

fn gauss_arc(from: f64, to: f64, weight: f64, panel: f64, sums: &mut Sums, node: impl Fn([f64; 2], f64, &mut Sums)) {
    let n_panels = ((to - from) / panel).ceil().max(1.0);
    let half = 0.5 * (to - from) / n_panels;
    for k in 0..n_panels as usize {
        let middle = from + half * (2 * k + 1) as f64;
        for ((_, w, _), direction) in GAUSS_7.into_iter().zip(directions(middle, half)) {
            node(direction, weight * half * w, sums);
        }
    }
}

/// Gauss's rule with 7 nodes, halved where the rule with 5 of them differs by more than the root of the error allowed
/// (the better rule has more than twice its order).
fn adaptive_arc(
    arc: &Arc,
    weight: f64,
    fineness: &Fineness,
    sums: &mut Sums,
    node: impl Fn([f64; 2], Hint, f64, &mut Sums) -> (f64, Hint),
) {
    const DEEPEST: usize = 12;
    let mut stack = [(0.0, 0.0); DEEPEST + 2];
    stack[0] = (arc.from, arc.to);
    let mut n_waiting = 1;
    let mut hint = Hint::Distance(arc.hint);
    while n_waiting > 0 {
        n_waiting -= 1;
        let (a, b) = stack[n_waiting];
        let (middle, half) = (0.5 * (a + b), 0.5 * (b - a));
        let mut part = Sums::default();
        let (mut fine, mut coarse) = (0.0, 0.0);
        for ((_, w, v), direction) in GAUSS_7.into_iter().zip(directions(middle, half)) {
            let (t, next) = node(direction, hint, weight * half * w, &mut part);
            fine += w * t * t * t;
            coarse += v * t * t * t;
            hint = next;
        }
        let difference = (fine - coarse) / fine;
        let error = difference * difference * (b - a);
        if (error > fineness.arc_error || b - a > fineness.panel) && n_waiting + 2 < stack.len() && b - a > 1e-4 {
            stack[n_waiting] = (middle, b);
            stack[n_waiting + 1] = (a, middle);
            n_waiting += 2;
        } else {
            sums.add(&part, 1.0);
        }
    }
}

/// A root between two places whose values differ in sign (regula falsi with the Illinois change, Dowell and Jarratt
/// 1971; halving when it is slow).
fn root(left: (f64, f64), right: (f64, f64), error: f64, f: impl Fn(f64) -> f64) -> f64 {
    let (mut l, mut r) = (left, right);
    if l.1 == 0.0 {
        return l.0;
    }
    if (l.1 > 0.0) == (r.1 > 0.0) {
        return if l.1.abs() <= r.1.abs() { l.0 } else { r.0 };
    }
    let (mut side, mut last) = (0, f64::INFINITY);
    for k in 0..80 {
        let width = r.0 - l.0;
        if width <= error.max(1e-14) {
            break;
        }
        let mut x = (l.0 * r.1 - r.0 * l.1) / (r.1 - l.1);
        if k % 8 == 7 || !(x > l.0 && x < r.0) {
            x = 0.5 * (l.0 + r.0);
        }
        let value = f(x);
        // A step this small from the last one is the error itself: the iteration converges faster than halving.
        let is_close = (x - last).abs() <= error;
        if is_close || value.abs() < 1e-16 {
            return x;
        }
        last = x;
        if (value > 0.0) == (r.1 > 0.0) {
            r = (x, value);
            if side == 1 {
                l.1 *= 0.5;
            }
            side = 1;
        } else {
            l = (x, value);
            if side == -1 {
                r.1 *= 0.5;
            }
            side = -1;
        }
    }
    0.5 * (l.0 + r.0)
}

/// Sine of the angle from one direction to another that comes later.
fn cross(from: [f64; 2], to: [f64; 2]) -> f64 {
    to[0] * from[1] - to[1] * from[0]
}

fn dot(a: [f64; 2], b: [f64; 2]) -> f64 {
    a[0] * b[0] + a[1] * b[1]
}

/// Polar angle of (sin, cos).
fn angle(direction: [f64; 2]) -> f64 {
    direction[0].max(0.0).atan2(direction[1])
}
