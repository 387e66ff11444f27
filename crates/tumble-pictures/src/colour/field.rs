//! What grains can be coloured by: a number for each grain of a frame.

use super::map::ColourMap;
use glam::DVec3;
use tumble_geometry::Shape;
use tumble_io::trajectory::{ContactPartner, TrajectoryFrame, TrajectoryMetadata};

/// What grains are coloured by. The names are shared by everything that shows grains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// Kind of grain.
    Species,
    /// Speed of the centre [m/s].
    Speed,
    /// Velocity along x [m/s].
    VelocityX,
    /// Velocity along y [m/s].
    VelocityY,
    /// Velocity along z [m/s].
    VelocityZ,
    /// Angular speed [rad/s].
    AngularSpeed,
    /// Angle between the long axis and the vertical, 0 to 90 [deg].
    Orientation,
    /// Direction of the long axis seen from above, 0 to 180 [deg], as a hue.
    Heading,
    /// Sum of the magnitudes of the contact forces [N].
    Force,
    /// Largest overlap of a grain's contacts [m].
    Overlap,
    /// Number of contacts.
    Coordination,
    /// Diameter of the ball of the same volume [m].
    Size,
    /// Name of the grain.
    Id,
    /// Height of the centre, z [m].
    Height,
    /// All the same.
    Constant,
}

/// A field cannot be had.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum FieldError {
    /// No field has this name.
    #[error("grains cannot be coloured by `{name}`{}; the fields are {}", nearest.map(|n| format!(": did you mean `{n}`?")).unwrap_or_default(), Field::names())]
    Unknown {
        /// What was asked for.
        name: String,
        /// The field with the most similar name, if one is similar.
        nearest: Option<&'static str>,
    },
    /// The trajectory does not hold what the field is made of.
    #[error("colouring by `{}` needs {what}, which this trajectory does not hold: {why}", field.name())]
    Missing {
        /// The field.
        field: Field,
        /// What it needs.
        what: &'static str,
        /// Why it is not there.
        why: &'static str,
    },
}

impl Field {
    /// Every field.
    pub const ALL: [Field; 15] = [
        Field::Species,
        Field::Speed,
        Field::VelocityX,
        Field::VelocityY,
        Field::VelocityZ,
        Field::AngularSpeed,
        Field::Orientation,
        Field::Heading,
        Field::Force,
        Field::Overlap,
        Field::Coordination,
        Field::Size,
        Field::Id,
        Field::Height,
        Field::Constant,
    ];

    /// Its name for users and files.
    pub fn name(self) -> &'static str {
        match self {
            Field::Species => "species",
            Field::Speed => "speed",
            Field::VelocityX => "velocity_x",
            Field::VelocityY => "velocity_y",
            Field::VelocityZ => "velocity_z",
            Field::AngularSpeed => "angular_speed",
            Field::Orientation => "orientation",
            Field::Heading => "heading",
            Field::Force => "force",
            Field::Overlap => "overlap",
            Field::Coordination => "coordination",
            Field::Size => "size",
            Field::Id => "id",
            Field::Height => "height",
            Field::Constant => "constant",
        }
    }

    /// All names in one line.
    pub fn names() -> String {
        Field::ALL.map(Field::name).join(", ")
    }

    /// The field of a name; `velocity` and `angular_velocity` mean their magnitudes.
    pub fn from_name(name: &str) -> Result<Field, FieldError> {
        let plain = name.trim().to_lowercase().replace(['-', ' '], "_");
        let meant = match plain.as_str() {
            "velocity" => "speed",
            "angular_velocity" | "spin" => "angular_speed",
            "kind" | "shape" => "species",
            other => other,
        };
        Field::ALL.into_iter().find(|field| field.name() == meant).ok_or_else(|| {
            let likeness = |field: Field| (strsim::jaro_winkler(field.name(), &plain), field.name());
            let best = Field::ALL.into_iter().map(likeness).max_by(|a, b| a.0.total_cmp(&b.0));
            // Below this two words have little in common.
            FieldError::Unknown { name: name.to_owned(), nearest: best.filter(|b| b.0 > 0.75).map(|b| b.1) }
        })
    }

    /// A title for a colour bar.
    pub fn title(self) -> &'static str {
        match self {
            Field::Species => "kind of grain",
            Field::Speed => "speed",
            Field::VelocityX => "velocity along x",
            Field::VelocityY => "velocity along y",
            Field::VelocityZ => "velocity along z",
            Field::AngularSpeed => "angular speed",
            Field::Orientation => "long axis from vertical",
            Field::Heading => "long axis from x, seen from above",
            Field::Force => "sum of contact forces",
            Field::Overlap => "largest overlap",
            Field::Coordination => "contacts",
            Field::Size => "diameter of equal volume",
            Field::Id => "grain",
            Field::Height => "height",
            Field::Constant => "",
        }
    }

    /// Its SI unit; empty for plain numbers.
    pub fn unit(self) -> &'static str {
        match self {
            Field::Speed | Field::VelocityX | Field::VelocityY | Field::VelocityZ => "m/s",
            Field::AngularSpeed => "rad/s",
            Field::Orientation | Field::Heading => "°",
            Field::Force => "N",
            Field::Overlap | Field::Size | Field::Height => "m",
            Field::Species | Field::Coordination | Field::Id | Field::Constant => "",
        }
    }

    /// The map that suits it.
    pub fn usual_map(self) -> ColourMap {
        match self {
            Field::VelocityX | Field::VelocityY | Field::VelocityZ => ColourMap::Diverging,
            Field::Heading => ColourMap::Wheel,
            Field::Species
            | Field::Speed
            | Field::AngularSpeed
            | Field::Orientation
            | Field::Force
            | Field::Overlap
            | Field::Coordination
            | Field::Size
            | Field::Id
            | Field::Height
            | Field::Constant => ColourMap::Viridis,
        }
    }

    /// The range that its numbers have by their nature.
    pub fn natural_range(self) -> Option<(f64, f64)> {
        match self {
            Field::Orientation => Some((0.0, 90.0)),
            Field::Heading => Some((0.0, 180.0)),
            Field::Species
            | Field::Speed
            | Field::VelocityX
            | Field::VelocityY
            | Field::VelocityZ
            | Field::AngularSpeed
            | Field::Force
            | Field::Overlap
            | Field::Coordination
            | Field::Size
            | Field::Id
            | Field::Height
            | Field::Constant => None,
        }
    }

    /// Whether its numbers are whole.
    pub fn is_whole(self) -> bool {
        matches!(self, Field::Coordination | Field::Id)
    }

    /// What grains are called that have no number of it; `None`: all have one.
    pub fn words_for_none(self) -> Option<&'static str> {
        matches!(self, Field::Orientation | Field::Heading).then_some("no long axis")
    }

    /// What tells the most of a run when nothing is asked for: the kinds, or the speed where there is only one.
    pub fn usual(metadata: &TrajectoryMetadata) -> Field {
        if metadata.species.len() > 1 { Field::Species } else { Field::Speed }
    }

    /// Whether a scale should have its middle at zero.
    pub fn is_signed(self) -> bool {
        matches!(self, Field::VelocityX | Field::VelocityY | Field::VelocityZ)
    }

    /// Refuses what a trajectory does not hold, whatever its frames are.
    pub fn check(self, metadata: &TrajectoryMetadata, has_spins: bool) -> Result<(), FieldError> {
        match self {
            Field::AngularSpeed if !has_spins => Err(self.missing("angular velocities", NO_SPINS)),
            Field::Force | Field::Overlap | Field::Coordination if !metadata.contacts => {
                Err(self.missing("contacts", NO_CONTACTS))
            }
            _ => Ok(()),
        }
    }

    /// Its number for each grain of a frame; NaN where a grain has none (the long axis of a ball). The shapes are those of
    /// the description's kinds of grain, in order.
    pub fn values(
        self,
        frame: &TrajectoryFrame,
        metadata: &TrajectoryMetadata,
        shapes: &[Shape],
    ) -> Result<Vec<f64>, FieldError> {
        let n = frame.id.len();
        let velocity = |axis: usize| frame.velocity.iter().map(|v| f64::from(v[axis])).collect();
        let axis_of = |field: &dyn Fn(DVec3) -> f64| {
            let axes: Vec<Option<DVec3>> = shapes.iter().map(long_axis).collect();
            let places = frame.species.iter().zip(&frame.orientation);
            let value = |(&species, turn): (&u16, &glam::Quat)| {
                let axis = axes.get(usize::from(species)).copied().flatten()?;
                Some(field(turn.as_dquat() * axis))
            };
            places.map(|place| value(place).unwrap_or(f64::NAN)).collect()
        };
        Ok(match self {
            Field::Species => frame.species.iter().map(|&species| f64::from(species)).collect(),
            Field::Speed => frame.velocity.iter().map(|v| f64::from(v.length())).collect(),
            Field::VelocityX => velocity(0),
            Field::VelocityY => velocity(1),
            Field::VelocityZ => velocity(2),
            Field::AngularSpeed => frame.angular_velocity.iter().map(|v| f64::from(v.length())).collect(),
            Field::Orientation => axis_of(&|axis| axis.z.abs().min(1.0).acos().to_degrees()),
            // An axis has no sense: opposite directions are one, so half a turn goes round the wheel.
            Field::Heading => axis_of(&|axis| axis.y.atan2(axis.x).to_degrees().rem_euclid(180.0)),
            Field::Force => self.over_contacts(frame, metadata, |sum, contact| sum + contact.0)?,
            Field::Overlap => self.over_contacts(frame, metadata, |most, contact| contact.1.max(most))?,
            Field::Coordination => self.over_contacts(frame, metadata, |count, _| count + 1.0)?,
            Field::Size => {
                let diameters: Vec<f64> = shapes.iter().map(equal_volume_diameter).collect();
                let sizes = frame.species.iter().zip(&frame.scale);
                let size = |(&species, &scale): (&u16, &f32)| {
                    diameters.get(usize::from(species)).map_or(f64::NAN, |diameter| diameter * f64::from(scale))
                };
                sizes.map(size).collect()
            }
            Field::Id => frame.id.iter().map(|&id| f64::from(id)).collect(),
            Field::Height => frame.position.iter().map(|p| frame.origin.z + f64::from(p.z)).collect(),
            Field::Constant => vec![0.0; n],
        })
    }

    fn missing(self, what: &'static str, why: &'static str) -> FieldError {
        FieldError::Missing { field: self, what, why }
    }

    /// Folds (force, overlap) of each grain's contacts, from zero.
    fn over_contacts(
        self,
        frame: &TrajectoryFrame,
        metadata: &TrajectoryMetadata,
        fold: impl Fn(f64, (f64, f64)) -> f64,
    ) -> Result<Vec<f64>, FieldError> {
        if !metadata.contacts {
            return Err(self.missing("contacts", NO_CONTACTS));
        }
        let mut values = vec![0.0; frame.id.len()];
        for contact in &frame.contacts {
            let figures = (f64::from(contact.force.length()), f64::from(contact.overlap));
            let partner = match contact.b {
                ContactPartner::Grain(b) => Some(b),
                ContactPartner::Wall(_) => None,
            };
            for grain in [Some(contact.a), partner].into_iter().flatten() {
                if let Some(value) = values.get_mut(grain as usize) {
                    *value = fold(*value, figures);
                }
            }
        }
        Ok(values)
    }
}

const NO_SPINS: &str = "it was written in format 1; run the scene again, or take another field";
const NO_CONTACTS: &str = "it was written in format 1, or without contacts; run the scene again, or take another field";

/// Diameter of the ball of the same volume [m].
pub fn equal_volume_diameter(shape: &Shape) -> f64 {
    (6.0 / std::f64::consts::PI * shape.volume()).cbrt()
}

/// The axis by which a shape's orientation is told, in its principal frame: the axis of revolution where two moments of
/// inertia are equal to 1 %, else that of the smallest moment, along which the body is longest. `None` where all three
/// are equal: a ball or a cube has no long axis.
pub fn long_axis(shape: &Shape) -> Option<DVec3> {
    let inertia = shape.mass_properties().inertia;
    let moments = DVec3::new(inertia.x_axis.x, inertia.y_axis.y, inertia.z_axis.z);
    let is_equal = |a: usize, b: usize| (moments[a] - moments[b]).abs() <= 0.01 * moments.max_element();
    let axis = match (is_equal(0, 1), is_equal(1, 2), is_equal(2, 0)) {
        (true, true, _) | (_, true, true) | (true, _, true) => return None,
        (true, false, false) => 2,
        (false, true, false) => 0,
        (false, false, true) => 1,
        (false, false, false) => moments.min_position(),
    };
    Some(DVec3::AXES[axis])
}

/// The part of a map that a range of a field uses, as places from 0 to 1: of a field with a sign that has only one here,
/// the half that belongs to it, so that the middle of the map still means zero and the bar is used as a whole.
pub fn part_of_map(field: Field, (low, high): (f64, f64)) -> (f64, f64) {
    match field.is_signed() {
        true if low >= 0.0 => (0.5, 1.0),
        true if high <= 0.0 => (0.0, 0.5),
        _ => (0.0, 1.0),
    }
}

/// A range for a scale that a few strays do not spoil: from the 1st to the 99th percentile, rounded outwards to values
/// that occur; symmetric about zero for signed fields, or from zero where they have one sign. Something wider than a point even if all values are equal.
pub fn robust_range(field: Field, values: &[f64]) -> (f64, f64) {
    if let Some(range) = field.natural_range() {
        return range;
    }
    let mut sorted: Vec<f64> = values.iter().copied().filter(|value| value.is_finite()).collect();
    sorted.sort_unstable_by(f64::total_cmp);
    let (Some(&first), Some(&last)) = (sorted.first(), sorted.last()) else { return (0.0, 1.0) };
    let at = |share: f64| sorted[((sorted.len() - 1) as f64 * share) as usize];
    let (low, high) = if field.is_whole() {
        (first, last)
    } else {
        (at(0.01), sorted[sorted.len() - 1 - ((sorted.len() - 1) as f64 * 0.01) as usize])
    };
    // Magnitudes are measured from zero.
    let from_zero =
        matches!(field, Field::Speed | Field::AngularSpeed | Field::Force | Field::Overlap | Field::Coordination);
    let low = if from_zero { 0.0 } else { low };
    // What goes both ways is measured alike both ways; what goes one way only, from zero.
    let (low, high) = match field.is_signed() {
        true if low >= 0.0 => (0.0, high),
        true if high <= 0.0 => (low, 0.0),
        true => (-high.max(-low), high.max(-low)),
        false => (low, high),
    };
    if high > low { (low, high) } else { (low - 0.5 * low.abs().max(1e-3), low + 0.5 * low.abs().max(1e-3)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_back_and_near_misses_are_named() {
        for field in Field::ALL {
            assert_eq!(Field::from_name(field.name()), Ok(field));
        }
        assert_eq!(Field::from_name("velocity"), Ok(Field::Speed));
        assert_eq!(Field::from_name("Angular-Speed"), Ok(Field::AngularSpeed));
        let message = Field::from_name("cordination").unwrap_err().to_string();
        assert!(message.contains("did you mean `coordination`?") && message.contains("species, speed"), "{message}");
        assert!(!Field::from_name("qqq").unwrap_err().to_string().contains("did you mean"));
    }

    #[test]
    fn the_long_axis_is_that_of_revolution_or_of_the_smallest_moment() {
        assert_eq!(long_axis(&Shape::sphere(1.0).unwrap()), None);
        assert_eq!(long_axis(&Shape::cuboid(DVec3::ONE).unwrap()), None);
        assert_eq!(long_axis(&Shape::cylinder(1.0, 5.0).unwrap()), Some(DVec3::Z));
        assert_eq!(long_axis(&Shape::cylinder(5.0, 1.0).unwrap()), Some(DVec3::Z));
        assert_eq!(long_axis(&Shape::cuboid(DVec3::new(1.0, 3.0, 2.0)).unwrap()), Some(DVec3::Y));
        assert_eq!(long_axis(&Shape::superquadric(DVec3::new(3.0, 1.0, 1.0), 2.0, 2.0).unwrap()), Some(DVec3::X));
    }

    #[test]
    fn a_few_strays_do_not_stretch_the_range() {
        let mut values: Vec<f64> = (0..1000).map(|k| f64::from(k) / 1000.0).collect();
        values.extend([1e6, f64::NAN, f64::INFINITY]);
        let (low, high) = robust_range(Field::Height, &values);
        assert!((0.005..0.02).contains(&low) && (0.98..1.0).contains(&high), "{low} {high}");
        assert_eq!(robust_range(Field::Speed, &[2.0, 3.0]), (0.0, 3.0));
        assert_eq!(robust_range(Field::VelocityZ, &[-2.0, 1.0]), (-2.0, 2.0));
        assert_eq!(robust_range(Field::VelocityZ, &[-2.0, -1.0]), (-2.0, 0.0));
        assert_eq!(robust_range(Field::VelocityX, &[3.0, 1.0]), (0.0, 3.0));
        assert_eq!(part_of_map(Field::VelocityZ, (-2.0, 0.0)), (0.0, 0.5));
        assert_eq!(part_of_map(Field::VelocityZ, (-2.0, 2.0)), (0.0, 1.0));
        assert_eq!(part_of_map(Field::Speed, (0.0, 2.0)), (0.0, 1.0));
        assert_eq!(robust_range(Field::Orientation, &[]), (0.0, 90.0));
        assert_eq!(robust_range(Field::Height, &[]), (0.0, 1.0));
        let (low, high) = robust_range(Field::Height, &[0.2; 5]);
        assert!(low < 0.2 && 0.2 < high);
    }
}
