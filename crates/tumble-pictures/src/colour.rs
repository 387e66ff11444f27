//! Colour maps, and the fields that grains are coloured by.

pub mod field;
pub mod map;
pub mod space;
pub mod ticks;

pub use field::{Field, FieldError, equal_volume_diameter, long_axis};
pub use map::{ColourMap, colour_of_kind};
pub use space::Linear;
pub use ticks::{Ticks, scale_length};
