//! Grains of every shape through the gates of energy and momentum, impacts, statics and settling. Each module is named
//! after what it shows. Figures are printed: `cargo test -p tumble-engine --test shapes -- --nocapture`.

#[path = "../validation/support.rs"]
#[allow(dead_code, reason = "shared with the tests of spheres")]
mod support;

mod closed_loop;
mod collisions;
mod common_plane;
mod damped;
mod faces;
mod gases;
mod gradient;
mod impacts;
mod in_walls;
mod local_curvature;
mod many_faces;
mod planar_walls;
mod pressure;
mod published_method;
mod rotation;
mod same_bits;
mod samples;
mod settling;
mod statics;
mod sub_contacts;
mod superquadrics;
mod symmetry;
mod wall_images;
mod what_acts;
