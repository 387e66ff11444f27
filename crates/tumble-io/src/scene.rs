//! Scenes.
mod reader;
mod tree;
