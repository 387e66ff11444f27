//! Reads how walls move, and how their surfaces move along themselves.

use super::files::Files;
use super::planar::Plane;
use super::reader::Reader;
use super::walls::Geometry;
use crate::diagnostic::Location;
use crate::motion_file::{MotionColumn, MotionRows, read_motion_rows};
use glam::DVec3;
use std::sync::Arc;
use tumble_engine::boundary::conveyor::Conveyor;
use tumble_engine::boundary::course::{Course, CourseTable};
use tumble_engine::boundary::wall::Motion;

/// A belt's velocity may lean out of its flat surface by so much, as a part of it [1]: what rounding of a direction leaves.
const LEANS: f64 = 1e-6;

/// What motions are read against.
pub(crate) struct Around<'a, 'f> {
    /// The wall that moves; its centre and axis are those of its turns where none are said.
    pub geometry: &'a Geometry,
    pub plane: Plane,
    /// When the run ends [s], if that is known.
    pub end: Option<f64>,
    pub files: &'a mut Files<'f>,
}

/// What a wall's `motion` says.
pub(crate) enum Moves {
    /// It has a motion of its own.
    Itself(Motion),
    /// It moves with another wall, by its name.
    With(String),
}

/// Reads the motion of a wall, one table or a list of them; `None` if something is wrong.
pub(crate) fn read_motion(wall: &Reader, around: &mut Around) -> Option<Moves> {
    let Some(tables) = wall.table_or_tables("motion") else {
        return if wall.has("motion") { None } else { Some(Moves::Itself(Motion::Fixed)) };
    };
    if let [only] = tables.as_slice()
        && let Some(name) = only.text("with")
    {
        return Some(Moves::With(name.to_owned()));
    }
    let (mut parts, mut is_whole) = (Vec::new(), true);
    for table in &tables {
        if tables.len() > 1 && table.text("with").is_some() {
            table.report_at("with", "a wall that moves with another has no motions besides", "leave the others out");
            is_whole = false;
            continue;
        }
        match read_part(table, around) {
            Some(part) => parts.extend(part),
            None => is_whole = false,
        }
    }
    let n_driven = parts.iter().filter(|part| matches!(part, Motion::Servo { .. } | Motion::Free { .. })).count();
    if n_driven > 1 {
        let message = "several parts of the motion go by the load on the wall";
        wall.report_at("motion", message, "at most one `servo` or `free`");
        is_whole = false;
    }
    if n_driven > 0 && around.geometry.parts.len() > 1 {
        wall.report_at(
            "motion",
            "a servo or free wall is a single surface, and this box has several",
            "make the pressing side a `plane` of its own",
        );
        is_whole = false;
    }
    if !is_whole {
        return None;
    }
    Some(Moves::Itself(match parts.len() {
        0 => Motion::Fixed,
        1 => parts.remove(0),
        _ => Motion::Sum(parts),
    }))
}

/// When a motion begins and ends.
fn interval(reader: &Reader) -> Option<(f64, f64)> {
    let (start, stop) = (reader.quantity("start").unwrap_or(0.0), reader.quantity("stop").unwrap_or(f64::INFINITY));
    if start >= stop {
        let expected = "`stop` must be later than `start`";
        reader.report_at("stop", format!("the motion goes from {start} s to {stop} s"), expected);
        return None;
    }
    Some((start, stop))
}

/// Point and direction of the axis of a turn.
fn axis_of_turn(t: &Reader, around: &Around) -> Option<(DVec3, DVec3)> {
    let (axis, point) = (t.direction("axis"), t.vector("point").unwrap_or(around.geometry.centre));
    if axis.is_none() && around.geometry.axis.is_none() && !t.has("axis") {
        t.report_here("`axis` is missing", "this wall has no axis of its own: add axis = [0, 0, 1]");
    }
    let axis = axis.or(around.geometry.axis)?;
    around.plane.check_about(t, "axis", axis);
    Some((point, axis))
}

/// The motions that one table stands for.
fn read_part(reader: &Reader, around: &mut Around) -> Option<Vec<Motion>> {
    let plane = around.plane;
    if let Some(t) = reader.table("translate") {
        let (velocity, times) = (t.vector("velocity"), interval(&t));
        let (over, from) = (t.quantity("ramp").unwrap_or(0.0), t.vector("from"));
        check_ramp(&t, over);
        let (start, stop) = times?;
        let velocity = velocity?;
        plane.check_along(&t, "velocity", velocity);
        let from = from.unwrap_or(DVec3::ZERO);
        plane.check_along(&t, "from", from);
        if over == 0.0 {
            return Some(vec![Motion::Translate { velocity, start, stop }]);
        }
        let slide = |direction: DVec3, [from, to]: [f64; 2]| Motion::Slide {
            direction,
            course: Course::Ramp { from, to, over, start, stop },
        };
        let [old, new] = [from, velocity].map(DVec3::normalize_or_zero);
        // Along one line one ramp does; otherwise the one velocity fades while the other grows.
        return Some(if from == DVec3::ZERO || old.cross(new).length() < 1e-12 {
            vec![slide(new, [from.dot(new), velocity.length()])]
        } else {
            vec![slide(old, [from.length(), 0.0]), slide(new, [0.0, velocity.length()])]
        });
    }
    if let Some(t) = reader.table("rotate") {
        let (speed, times, axis) = (t.quantity("speed"), interval(&t), axis_of_turn(&t, around));
        let (over, from) = (t.quantity("ramp").unwrap_or(0.0), t.quantity("from").unwrap_or(0.0));
        check_ramp(&t, over);
        let ((start, stop), (point, axis), speed) = (times?, axis?, speed?);
        return Some(vec![if over == 0.0 {
            Motion::Rotate { point, axis, speed, start, stop }
        } else {
            Motion::Turn { point, axis, course: Course::Ramp { from, to: speed, over, start, stop } }
        }]);
    }
    if let Some(t) = reader.table("vibrate") {
        let (amplitude, frequency, times) = (t.vector("amplitude"), t.quantity("frequency"), interval(&t));
        let phase = t.quantity("phase").unwrap_or(0.0);
        let (start, stop) = times?;
        let (amplitude, frequency) = (amplitude?, frequency?);
        plane.check_along(&t, "amplitude", amplitude);
        let direction = amplitude.normalize_or_zero();
        return Some(vec![if phase == 0.0 || direction == DVec3::ZERO {
            Motion::Vibrate { amplitude, frequency, start, stop }
        } else {
            let amplitude = amplitude.length();
            Motion::Slide { direction, course: Course::Swing { amplitude, frequency, phase, start, stop } }
        }]);
    }
    if let Some(t) = reader.table("swing") {
        let (amplitude, frequency, times) = (t.quantity("amplitude"), t.quantity("frequency"), interval(&t));
        let (phase, axis) = (t.quantity("phase").unwrap_or(0.0), axis_of_turn(&t, around));
        let ((start, stop), (point, axis)) = (times?, axis?);
        let course = Course::Swing { amplitude: amplitude?, frequency: frequency?, phase, start, stop };
        return Some(vec![Motion::Turn { point, axis, course }]);
    }
    if let Some(t) = reader.table("table") {
        return read_table(&t, around).map(|motion| vec![motion]);
    }
    if reader.table("fixed").is_some() {
        return Some(Vec::new());
    }
    if let Some(t) = reader.table("free") {
        let (direction, mass) = (t.direction("direction"), t.quantity("mass"));
        let push = t.quantity("push").unwrap_or(0.0);
        let (direction, mass) = (direction?, mass?);
        plane.check_direction(&t, "direction", direction);
        return Some(vec![Motion::Free { direction, mass, push }]);
    }
    read_servo(&reader.table("servo")?, around).map(|motion| vec![motion])
}

fn check_ramp(t: &Reader, over: f64) {
    if over == 0.0 && t.has("from") {
        t.report_at("from", "there is no ramp", "it goes with `ramp`, the time that the change takes");
    }
}

fn read_servo(t: &Reader, around: &Around) -> Option<Motion> {
    let direction = t.direction("direction");
    let (max_speed, gain) = (t.quantity("max_speed"), t.quantity("gain"));
    let (start, ramp) = (t.quantity("start").unwrap_or(0.0), t.quantity("ramp").unwrap_or(0.0));
    let area = t.quantity("area").or(around.geometry.area);
    if t.has("area") && !t.has("stress") {
        t.report_at("area", "a force needs no area", "it goes with `stress`");
    }
    if t.has("stress") && area.is_none() {
        t.report_at("stress", "this wall has no area of its own", "add area = \"100 cm2\", or give a `force`");
    }
    let targets = [("force", "from", 1.0), ("stress", "from_stress", area.unwrap_or(1.0))];
    let mut wanted = None;
    for (key, from_key, factor) in targets {
        let (target, from) = (t.quantity(key), t.quantity(from_key));
        if from.is_some() && (!t.has(key) || ramp == 0.0) {
            t.report_at(from_key, "there is nothing that begins here", format!("it goes with `{key}` and `ramp`"));
        }
        if let Some(target) = target {
            wanted = Some((from.unwrap_or(0.0) * factor, target * factor));
        }
    }
    let (direction, (from, force), max_speed) = (direction?, wanted?, max_speed?);
    around.plane.check_direction(t, "direction", direction);
    let gain = gain.unwrap_or(max_speed / force.max(from));
    Some(Motion::Servo { direction, from, force, ramp, start, max_speed, gain })
}

fn read_table(t: &Reader, around: &mut Around) -> Option<Motion> {
    let (along, start) = (t.direction("along"), t.quantity("start").unwrap_or(0.0));
    let repeats = t.flag("repeat").unwrap_or(false);
    let (name, bytes) = around.files.open(t, "file")?;
    let rows = match read_motion_rows(&bytes) {
        Ok(rows) => rows,
        Err(error) => {
            let source = around.files.as_source(&name, &bytes);
            let at = Location { source, span: error.span.clone() };
            t.context.error(&t.key_path("file"), &at, format!("{name}, {error}"), error.expected);
            return None;
        }
    };
    let MotionRows { column, times, values } = rows;
    let table = match column {
        MotionColumn::Position | MotionColumn::Angle => CourseTable::of_places(&times, &values, repeats),
        MotionColumn::Velocity | MotionColumn::AngularVelocity => CourseTable::of_speeds(&times, &values, repeats),
    }?;
    let ends = start + table.end();
    if let Some(end) = around.end
        && !repeats
        && ends < end
    {
        t.context.warning(
            &t.key_path("file"),
            t.place("file"),
            format!("{name} ends at {ends} s, and the run at {end} s: the wall stands still from there on"),
            "repeat = true begins the table anew",
        );
    }
    let course = Course::Table { table: Arc::new(table), start };
    if column.turns() {
        if along.is_some() {
            t.report_at("along", "the table tells of a turn", "give it an `axis`");
        }
        let (point, axis) = axis_of_turn(t, around)?;
        return Some(Motion::Turn { point, axis, course });
    }
    for key in ["axis", "point"] {
        if t.has(key) {
            t.report_at(key, "the table tells of no turn", "give it a direction: `along`");
        }
    }
    if ["along", "axis", "point"].iter().all(|key| !t.has(key)) {
        t.report_here("`along` is missing", "the direction of the motion, such as along = [0, 0, 1]");
    }
    let direction = along?;
    around.plane.check_direction(t, "along", direction);
    Some(Motion::Slide { direction, course })
}

/// Reads how the surface of a wall moves along itself, in the world's frame.
pub(crate) fn read_conveyor(wall: &Reader, geometry: &Geometry, plane: Plane) -> Option<Conveyor> {
    let t = wall.table("conveyor")?;
    let mut conveyor = Conveyor { point: geometry.centre, ..Conveyor::default() };
    if let Some(velocity) = t.vector("velocity") {
        plane.check_along(&t, "velocity", velocity);
        conveyor.velocity = velocity;
        let normals = geometry.parts.iter().map(|(_, _, pose)| pose.orientation * DVec3::Z);
        if geometry.flat && normals.into_iter().any(|n| n.dot(velocity).abs() > LEANS * velocity.length()) {
            t.report_at(
                "velocity",
                "it does not lie along the surface",
                "a surface moves along itself; a wall that comes towards the grains has a `motion`",
            );
        }
    }
    if let Some(speed) = t.quantity("around") {
        let (axis, point) = (t.direction("axis"), t.vector("point"));
        match axis.or(geometry.axis) {
            Some(axis) => {
                plane.check_about(&t, "axis", axis);
                conveyor.spin = axis * speed;
                conveyor.point = point.unwrap_or(geometry.centre);
            }
            None => t.report_missing("axis"),
        }
    } else {
        for key in ["axis", "point"] {
            if t.has(key) && !t.has("around") {
                t.report_at(key, "nothing turns about it", "it goes with `around`");
            }
        }
    }
    Some(conveyor)
}
