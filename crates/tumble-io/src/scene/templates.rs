//! Scenes to start from, the same as the examples in `scenes/`.

/// A scene to start from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Template {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it shows, in a line.
    pub description: &'static str,
    /// The scene.
    pub text: &'static str,
}

/// All scenes to start from, the default first.
pub fn templates() -> &'static [Template] {
    &[
        Template {
            name: "box",
            description: "3000 glass beads poured into a box",
            text: include_str!("../../../../scenes/box.toml"),
        },
        Template {
            name: "minimal",
            description: "the shortest scene: beads in a box, all else by default",
            text: include_str!("../../../../scenes/minimal.toml"),
        },
        Template {
            name: "drum",
            description: "a mixture of two sizes in a turning drum",
            text: include_str!("../../../../scenes/drum.toml"),
        },
        Template {
            name: "mixed",
            description: "every shape there is, poured into a box",
            text: include_str!("../../../../scenes/mixed.toml"),
        },
        Template {
            name: "rocks",
            description: "gravel of random rocks poured into a box",
            text: include_str!("../../../../scenes/rocks.toml"),
        },
        Template {
            name: "pebbles",
            description: "crushed stone and round pebbles, polyhedra with superquadrics",
            text: include_str!("../../../../scenes/pebbles.toml"),
        },
        Template {
            name: "polygons",
            description: "random polygons in the plane, over a line into a bowl",
            text: include_str!("../../../../scenes/polygons.toml"),
        },
        Template {
            name: "tablets",
            description: "tablets in a turning drum",
            text: include_str!("../../../../scenes/tablets.toml"),
        },
        Template {
            name: "hopper",
            description: "a conical hopper that runs empty",
            text: include_str!("../../../../scenes/hopper.toml"),
        },
        Template {
            name: "gate",
            description: "a silo that is filled, settles and is opened: a run of stages",
            text: include_str!("../../../../scenes/gate.toml"),
        },
        Template {
            name: "periodic",
            description: "a gas of grains that cools in a periodic cell",
            text: include_str!("../../../../scenes/periodic.toml"),
        },
    ]
}
