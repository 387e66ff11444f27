//! How often the published method for two cylinders errs, against the exact one, as a Markdown table.
//!
//!     cargo run --release -p tumble-geometry --example feng_errors [PAIRS]
//!
//! Each row has that many random pairs (6000 unless told) of one or two ratios of height to diameter, all of about one
//! size, at random distances up to where they cannot touch. What overlaps is taken a second time as it would be in a run:
//! moved apart along the line of the centres until the depth is between 0.2 % and 5 % of the smallest half width. Truth is the depth of the general pair and the region by layers
//! to a tolerance of 1e-7.

use tumble_geometry::feng::{
    Axis, FengContact, FengOptions, Layers, OverlapMeasure, Representation, Verdict, contact_feng,
    contact_normal_forms, leading_frame, non_overlap_checks, non_overlap_checks_as_published,
};
use tumble_geometry::narrow::contact_general;
use tumble_geometry::oracle::Sequence;
use tumble_geometry::{Contact, Cylinder, Pose, Shape};

const ROWS: [(f64, f64); 10] = [
    (0.025, 0.025),
    (0.1, 0.1),
    (0.5, 0.5),
    (1.0, 1.0),
    (5.0, 5.0),
    (10.0, 10.0),
    (50.0, 50.0),
    (0.025, 5.0),
    (0.5, 10.0),
    (0.025, 50.0),
];

/// A cylinder of a ratio of height to diameter, its half diagonal 1.
fn cylinder(ratio: f64) -> Cylinder {
    let radius = 1.0 / (1.0 + ratio * ratio).sqrt();
    Cylinder { radius, half_height: ratio * radius }
}

/// The pose moved along the line of the centres until the depth is about what is asked for.
fn shallow(a: &Shape, b: &Shape, pose: &Pose, depth: f64) -> Option<Pose> {
    let at = |distance: f64| Pose::new(pose.position.normalize() * distance, pose.orientation);
    let (mut near, mut far) = (pose.position.length(), 2.0);
    for _ in 0..40 {
        let middle = at(0.5 * (near + far));
        let found = contact_general(a, b, &middle, None, f64::INFINITY).ok()??;
        if (found.separation + depth).abs() < 0.1 * depth {
            return Some(middle);
        }
        if found.separation < -depth { near = middle.position.length() } else { far = middle.position.length() }
    }
    None
}

/// What was counted over a row.
#[derive(Default)]
struct Counts {
    n_apart: usize,
    n_overlapping: usize,
    n_missed: usize,
    n_undecided: usize,
    n_edge_missing: usize,
    n_with_forms: usize,
    n_against: usize,
    /// Depth of an interior contact over the true depth.
    interior: Vec<f64>,
    /// Relative errors of the volume.
    layered_volume: Vec<f64>,
    edge_volume: Vec<f64>,
    /// Overlap over the true depth, contacts that are not interior.
    box_overlap: Vec<f64>,
    radial_overlap: Vec<f64>,
    /// Angle between the normals [degrees], all contacts.
    angle: Vec<f64>,
}

impl Counts {
    fn take(&mut self, a: &Cylinder, b: &Cylinder, pose: &Pose) {
        let (shape_a, shape_b) = (Shape::Cylinder(*a), Shape::Cylinder(*b));
        let Ok(Some(truth)) = contact_general(&shape_a, &shape_b, pose, None, f64::INFINITY) else { return };
        if truth.separation.abs() < 1e-9 {
            return;
        }
        let (frame, is_led_by_b) = leading_frame(a, b, pose);
        let (first, second) = if is_led_by_b { (b, a) } else { (a, b) };
        let verdict = non_overlap_checks(&frame, first, second, FengOptions::LAYERED.nearest_by);
        if truth.separation > 0.0 {
            self.n_apart += 1;
            self.n_undecided += usize::from(verdict == Verdict::Perhaps);
            return;
        }
        self.n_overlapping += 1;
        let published = non_overlap_checks_as_published(&frame, first, second);
        self.n_missed += usize::from(matches!(published, Verdict::Apart(_)));
        self.take_overlapping(a, b, pose, &truth);
    }

    fn take_overlapping(&mut self, a: &Cylinder, b: &Cylinder, pose: &Pose, truth: &Contact) {
        let depth = -truth.separation;
        let find = |options: FengOptions| contact_feng(a, b, pose, &options);
        let fine =
            FengOptions { representation: Representation::Layered(Layers::Tolerance(1e-7)), ..FengOptions::LAYERED };
        let (Some(fine), Some(layered)) = (find(fine), find(FengOptions::LAYERED)) else { return };
        self.layered_volume.push((layered.volume / fine.volume - 1.0).abs());
        match find(FengOptions::EDGE) {
            Some(edge) => self.edge_volume.push((edge.volume / fine.volume - 1.0).abs()),
            None => self.n_edge_missing += 1,
        }
        self.angle.push(layered.normal.dot(truth.normal).clamp(-1.0, 1.0).acos().to_degrees());
        if layered.is_interior {
            self.interior.push(layered.overlap / depth);
            return;
        }
        self.box_overlap.push(layered.overlap / depth);
        let radial = FengOptions { measure: OverlapMeasure::RadialAxial, ..FengOptions::LAYERED };
        self.radial_overlap.extend(find(radial).map(|contact| contact.overlap / depth));
        self.take_forms(&fine);
    }

    /// Whether the two forms of equation (23) point against each other at the centroid.
    fn take_forms(&mut self, contact: &FengContact) {
        let axis = |centre, direction| Axis { centre, direction };
        let frame = &contact.frame;
        let forms = contact_normal_forms(
            &axis(frame.centre_1, frame.axes_1[2]),
            &axis(frame.centre_2, frame.axes_2[2]),
            contact.centroid,
        );
        let product = forms[0].dot(forms[1]);
        if product.is_finite() {
            self.n_with_forms += 1;
            self.n_against += usize::from(product < 0.0);
        }
    }
}

fn percent(part: usize, whole: usize) -> String {
    if whole == 0 { "-".into() } else { format!("{:.1} %", 100.0 * part as f64 / whole as f64) }
}

/// Median, nine tenths and largest of some numbers.
fn three(values: &mut [f64], digits: usize) -> String {
    values.sort_by(f64::total_cmp);
    match values.len() {
        0 => "-".into(),
        n => {
            let at = |k: usize| format!("{:.*}", digits, values[k.min(n - 1)]);
            format!("{} / {} / {}", at(n / 2), at(n * 9 / 10), at(n - 1))
        }
    }
}

/// The same with exponents.
fn three_small(values: &mut [f64]) -> String {
    values.sort_by(f64::total_cmp);
    match values.len() {
        0 => "-".into(),
        n => {
            let at = |k: usize| format!("{:.0e}", values[k.min(n - 1)]);
            format!("{} / {} / {}", at(n / 2), at(n * 9 / 10), at(n - 1))
        }
    }
}

fn main() {
    let n_pairs = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(6000);
    let mut sequence = Sequence::new(2016);
    let mut rows: Vec<(String, Counts, Counts)> = Vec::new();
    for (p, q) in ROWS {
        let (a, b) = (cylinder(p), cylinder(q));
        let (mut counts, mut in_runs) = (Counts::default(), Counts::default());
        let half_width = a.radius.min(a.half_height).min(b.radius).min(b.half_height);
        for _ in 0..n_pairs {
            let distance = 2.0 * sequence.unit();
            let pose = Pose::new(sequence.direction() * distance, sequence.orientation());
            let n_before = counts.n_overlapping;
            counts.take(&a, &b, &pose);
            let depth = half_width * sequence.between_in_ratio(0.002, 0.05);
            if counts.n_overlapping > n_before
                && let Some(pose) = shallow(&Shape::Cylinder(a), &Shape::Cylinder(b), &pose, depth)
            {
                in_runs.take(&a, &b, &pose);
            }
        }
        rows.push((if p == q { format!("{p}") } else { format!("{p} and {q}") }, counts, in_runs));
    }
    println!(
        "| H/D | overlapping / apart | as published: overlapping told apart | in runs | apart, not decided by stage one | the two \
         forms of (23) against each other |\n|---|---|---|---|---|---|"
    );
    for (name, c, r) in &rows {
        println!(
            "| {name} | {} / {} | {} | {} | {} | {} |",
            c.n_overlapping,
            c.n_apart,
            percent(c.n_missed, c.n_overlapping),
            percent(r.n_missed, r.n_overlapping),
            percent(c.n_undecided, c.n_apart),
            percent(c.n_against + r.n_against, c.n_with_forms + r.n_with_forms),
        );
    }
    for (title, is_in_runs) in [("All depths", false), ("Depths of runs", true)] {
        println!(
            "\n{title}:\n\n| H/D | interior contacts: published over true depth | (21) over true depth | (22) over true depth | \
             angle to the true normal [degrees] |\n|---|---|---|---|---|"
        );
        for (name, all, in_runs) in &mut rows {
            let c = if is_in_runs { in_runs } else { all };
            println!(
                "| {name} | {} ({}) | {} | {} | {} |",
                three(&mut c.interior, 2),
                percent(c.interior.len(), c.n_overlapping),
                three(&mut c.box_overlap, 2),
                three(&mut c.radial_overlap, 2),
                three(&mut c.angle, 1),
            );
        }
        println!(
            "\n| H/D | error of the volume, 8 layers | error of the volume, edges | no hull of edges |\n|---|---|---|---|"
        );
        for (name, all, in_runs) in &mut rows {
            let c = if is_in_runs { in_runs } else { all };
            println!(
                "| {name} | {} | {} | {} |",
                three_small(&mut c.layered_volume),
                three_small(&mut c.edge_volume),
                percent(c.n_edge_missing, c.n_overlapping),
            );
        }
    }
}
