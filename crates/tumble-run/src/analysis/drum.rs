//! How steep the surface of grains is in a drum that turns, and what it takes to turn it.

use super::fit::{Line, mean_of_series};
use super::grains::{self, Frame};
use super::{Analysis, Answer, Shown, named};
use crate::{DVec3, Model, Motion, State, Surface, Wall};
use tumble_engine::boundary::course::Course;
use tumble_io::Table;

/// Share of the radius to either side of the axis in which the surface is looked at: not where it meets the drum.
const MIDDLE: f64 = 0.6;
/// Share of a layer of grains that lies above the surface of a strip: single ones that fly do not count.
const ABOVE: f64 = 0.5;
/// Strips in which the surface is looked at, at least, however large the grains are; one of them may be empty.
const LEAST_STRIPS: usize = 5;
/// Fewer frames than this tell nothing of a mean.
const LEAST_FRAMES: usize = 4;

/// A drum: where its axis is, how large it is and how fast it turns.
pub struct Drum {
    /// Its name in the scene.
    pub name: String,
    /// A point of its axis [m].
    pub point: DVec3,
    /// Unit direction of its axis, about which it turns by the right-hand rule.
    pub axis: DVec3,
    /// Its largest radius [m].
    pub radius: f64,
    /// Angular speed [rad/s].
    pub speed: f64,
    /// When it begins to turn [s].
    pub start: f64,
}

/// The wall that turns about an axis along the ground; with a name that wall.
pub fn find(model: &Model, state: &State, name: Option<&str>) -> Result<Drum, String> {
    let up = grains::up(model, state)?;
    let is_wanted = |wall: &str| name.is_none_or(|name| wall == name || wall.starts_with(&format!("{name}.")));
    let turning = model.walls.iter().filter(|wall| is_wanted(&wall.name)).find_map(|wall| {
        // A ramp has come to its speed when it is over.
        let (point, axis, speed, start) = wall.motion.parts().iter().find_map(|part| match *part {
            Motion::Rotate { point, axis, speed, start, .. } => Some((point, axis, speed, start)),
            Motion::Turn { point, axis, course: Course::Ramp { to, over, start, .. } } => {
                Some((point, axis, to, start + over))
            }
            _ => None,
        })?;
        (axis.dot(up).abs() < 0.1 && speed != 0.0).then_some(())?;
        let radius = match &wall.surface {
            Surface::Revolved(revolved) => revolved.profile().iter().map(|p| p[0]).fold(0.0, f64::max),
            Surface::Mesh(_) => {
                let bounds = wall.surface.bounds(&wall.pose)?;
                bounds.corners().map(|c| axis.cross(c - point).length()).into_iter().fold(0.0, f64::max)
                    / std::f64::consts::SQRT_2
            }
            Surface::HalfSpace => return None,
        };
        Some(Drum { name: wall.name.clone(), point, axis: axis * speed.signum(), radius, speed: speed.abs(), start })
    });
    turning.ok_or_else(|| match name {
        Some(name) => format!("no wall `{name}` turns about an axis along the ground"),
        None => {
            "no wall turns about an axis along the ground: `motion = { rotate = { speed = \"30 rpm\" } }`".to_owned()
        }
    })
}

/// Angles of the surface and of the centre of mass in one frame [degrees].
fn angles(model: &Model, state: &State, drum: &Drum, up: DVec3) -> Option<[f64; 2]> {
    let grains = &state.particles;
    if grains.is_empty() {
        return None;
    }
    // Where the lowest point of the drum goes, and with it the grains.
    let rising = up.cross(drum.axis).normalize();
    let size = grains::mean_diameter(model, grains);
    let reach = MIDDLE * drum.radius;
    let n_strips = ((reach / size) as usize).max(LEAST_STRIPS);
    let width = 2.0 * reach / n_strips as f64;
    let mut strips = vec![Vec::new(); n_strips];
    let (mut middle, mut mass) = (DVec3::ZERO, 0.0);
    for grain in 0..grains.len() {
        let out = grains.position[grain] - drum.point;
        let (along, height) = (out.dot(rising), out.dot(up));
        middle += grains.mass[grain] * out;
        mass += grains.mass[grain];
        if along.abs() < reach {
            let strip = (((along + reach) / (2.0 * reach) * n_strips as f64) as usize).min(n_strips - 1);
            strips[strip].push(height);
        }
    }
    let along = |grain: usize| (grains.position[grain] - drum.point).dot(drum.axis);
    let ends = (0..grains.len()).map(along).fold([f64::INFINITY, f64::NEG_INFINITY], |[a, b], x| [a.min(x), b.max(x)]);
    let layer = width * (ends[1] - ends[0] + size) / (size * size);
    let n_above = (ABOVE * layer).round() as usize;
    let mut surface = Vec::new();
    for (strip, heights) in strips.iter_mut().enumerate() {
        heights.sort_unstable_by(|a, b| b.total_cmp(a));
        if let Some(&height) = heights.get(n_above).filter(|_| heights.len() > 2 * n_above) {
            surface.push([(strip as f64 + 0.5) / n_strips as f64 * 2.0 * reach - reach, height]);
        }
    }
    if surface.len() < LEAST_STRIPS - 1 {
        return None;
    }
    let (x, y): (Vec<f64>, Vec<f64>) = surface.into_iter().map(|[x, y]| (x, y)).unzip();
    let middle = middle / mass;
    let of_mass = middle.dot(rising).atan2(-middle.dot(up));
    Some([Line::through(&x, &y).slope.atan().to_degrees(), of_mass.to_degrees()])
}

/// The power of a drum with all walls that turn with it, lifters say, in each row of a `wall_loads` probe [W].
fn power(model: &Model, drum: &Drum, loads: &Table) -> Option<Vec<f64>> {
    let group = model.walls.iter().find(|wall| wall.name == drum.name)?.group;
    let turns_with_it = |wall: &&Wall| wall.name == drum.name || group.is_some() && wall.group == group;
    let columns: Option<Vec<&[f64]>> =
        model.walls.iter().filter(turns_with_it).map(|wall| loads.column(&format!("{}_power_W", wall.name))).collect();
    let columns = columns?;
    Some((0..columns.first()?.len()).map(|row| columns.iter().map(|column| column[row]).sum()).collect())
}

/// The dynamic angle in a drum, over the frames in which it turns, and its power.
///
/// Of `frames` the later half is taken as steady. `loads` is the table of a `wall_loads` probe.
pub fn drum(model: &Model, frames: &[State], name: Option<&str>, loads: Option<&Table>) -> Result<Analysis, String> {
    let Some(last) = frames.last() else { return Err("no frames of the trajectory are in this time".to_owned()) };
    let drum = find(model, last, name)?;
    let up = grains::up(model, last)?;
    let turning: Vec<&State> = frames.iter().filter(|state| state.time > drum.start).collect();
    let rows: Vec<Vec<f64>> = turning
        .iter()
        .filter_map(|state| angles(model, state, &drum, up).map(|[surface, mass]| vec![state.time, surface, mass]))
        .collect();
    let steady = &rows[rows.len() / 2..];
    if steady.len() < LEAST_FRAMES {
        return Err(format!("only {} frames show grains in the drum while it turns steadily", steady.len()));
    }
    let of = |column: usize| steady.iter().map(|row| row[column]).collect::<Vec<f64>>();
    let (surface, error) = mean_of_series(&of(1));
    let spread = (of(1).iter().map(|angle| (angle - surface).powi(2)).sum::<f64>() / steady.len() as f64).sqrt();
    let gravity = model.gravity_at(last).length();
    let filled = Frame::of(model, last)?.height() / (2.0 * drum.radius);
    let mut answers = vec![
        Answer::fitted("dynamic angle", (surface, error), "degrees"),
        Answer::counted("it swings by", spread, "degrees"),
        Answer::fitted("angle of the centre of mass", mean_of_series(&of(2)), "degrees"),
        Answer::counted("Froude number", drum.speed * drum.speed * drum.radius / gravity, ""),
        Answer::counted("height of the bed over the diameter", filled, ""),
        Answer::counted("steady from", steady[0][0], "s"),
    ];
    if let Some((times, power)) = loads.and_then(|table| Some((table.column("time_s")?, power(model, &drum, table)?))) {
        let taken: Vec<f64> =
            times.iter().zip(power).filter(|(time, _)| **time >= steady[0][0]).map(|(_, power)| power).collect();
        if !taken.is_empty() {
            answers.push(Answer::fitted("power", mean_of_series(&taken), "W"));
            let mass: f64 = last.particles.mass.iter().sum();
            // A bed whose centre of mass is held aside by an angle takes that torque.
            let lever = lever_of_mass(steady, turning.as_slice(), &drum, up);
            answers.push(Answer::counted("weight times lever times speed", mass * gravity * lever * drum.speed, "W"));
        }
    }
    Ok(Analysis {
        title: "Drum".to_owned(),
        answers,
        columns: named(&["time_s", "surface_degrees", "centre_of_mass_degrees"]),
        rows,
        shown: Shown::lines(0, &[1, 2]),
        note: format!(
            "Surface: a line through the heights above which half a layer of grains lies, in strips two mean diameters wide within {MIDDLE} of \
             the radius, over the later half of the frames in which `{}` turns; errors from four parts of these. The centre of mass lies \
             across a flat surface, so both angles agree where it is flat.",
            drum.name
        ),
    })
}

/// How far the centre of mass is held aside in the steady frames [m].
fn lever_of_mass(steady: &[Vec<f64>], frames: &[&State], drum: &Drum, up: DVec3) -> f64 {
    let rising = up.cross(drum.axis).normalize();
    let from = steady.first().map_or(0.0, |row| row[0]);
    let levers: Vec<f64> = frames
        .iter()
        .filter(|state| state.time >= from)
        .map(|state| {
            let grains = &state.particles;
            let mass: f64 = grains.mass.iter().sum();
            let moment: f64 =
                grains.position.iter().zip(&grains.mass).map(|(p, m)| m * (*p - drum.point).dot(rising)).sum();
            moment / mass
        })
        .collect();
    levers.iter().sum::<f64>() / levers.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::grains::sample;
    use crate::{Material, Pose, Shape, Sphere};
    use tumble_geometry::Revolved;

    /// A drum about y with a radius of 10 m and a bed whose surface is inclined.
    fn bed(speed: f64, degrees: f64) -> (Model, Vec<State>) {
        let mut builder = Model::builder();
        let glass = Material { name: "glass".into(), density: 2500.0, young_modulus: 5e6, poisson_ratio: 0.25 };
        let glass = builder.material(glass);
        builder.species("ball", &Shape::Sphere(Sphere { radius: 0.25 }), glass);
        builder.gravity(DVec3::new(0.0, 0.0, -10.0));
        builder.wall("drum", Surface::Revolved(Revolved::tube(10.0, 1.0).unwrap()), Pose::IDENTITY, glass);
        let mut model = builder.build().unwrap();
        model.walls[0].motion =
            Motion::Rotate { point: DVec3::ZERO, axis: DVec3::Y, speed, start: 0.5, stop: f64::INFINITY };
        let slope = degrees.to_radians().tan();
        let mut places = Vec::new();
        for i in -40..=40 {
            for k in -40..=40 {
                let place = DVec3::new(f64::from(i), 0.0, f64::from(k)) * 0.25;
                if place.length() < 9.75 && place.z < slope * place.x - 1.0 {
                    places.push(place);
                }
            }
        }
        let frames =
            (0..20).map(|frame| State { time: 0.1 * f64::from(frame), ..sample::state(&places, 1.0) }).collect();
        (model, frames)
    }

    #[test]
    fn the_angle_is_that_of_the_surface_with_its_sign() {
        // About y by the right-hand rule z goes to x: the lowest point goes to -x, so that a surface that rises there is dragged up.
        for (speed, degrees) in [(2.0, -30.0), (-2.0, 30.0), (2.0, -20.0)] {
            let (model, frames) = bed(speed, degrees);
            let found = drum(&model, &frames, None, None).unwrap();
            let value = |name: &str| found.answers.iter().find(|answer| answer.name == name).unwrap().value;
            assert!((value("dynamic angle") - degrees.abs()).abs() < 1.0, "{:?}", found.answers);
            assert!((value("angle of the centre of mass") - degrees.abs()).abs() < 1.0, "{:?}", found.answers);
            assert!((value("Froude number") - 4.0).abs() < 1e-12);
            assert_eq!(found.rows.len(), 14);
        }
        let (model, frames) = bed(0.0, 20.0);
        assert!(drum(&model, &frames, None, None).unwrap_err().contains("rotate"));
    }
}
