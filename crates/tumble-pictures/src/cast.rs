//! Pictures of grains and walls by casting rays at their true shapes.
