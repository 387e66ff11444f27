//! Colour maps: from a number between 0 and 1 to a colour, and palettes for kinds.
//!
//! A map is a few known colours, equally spaced, joined by straight lines in OKLab, so that steps between them stay even.
//! The colours of viridis and cividis are those their authors gave to the public domain (van der Walt and Smith, 2015;
//! Nuñez, Anderton and Renslow, 2018), batlow is Crameri's (2018), cool to warm is Moreland's (2009). All but the wheel
//! rise or fall in lightness from end to middle or end, so they survive grey printing and the common kinds of colour
//! blindness. Kinds get the palette of Okabe and Ito (2008), then further colours of Tol's.

use super::space::{Linear, linear_of_hex, linear_of_oklab, oklab_of_linear};

/// A colour map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColourMap {
    /// Dark violet over green to yellow; the usual one.
    Viridis,
    /// Dark blue over green and orange to pink.
    Batlow,
    /// Dark blue over grey to yellow, the same to colour-blind eyes.
    Cividis,
    /// Blue over light grey to red, for numbers with a sign.
    Diverging,
    /// A wheel of hues, for directions: both ends are the same.
    Wheel,
    /// White to near black.
    Grey,
    /// Pale yellow over orange and red to near black, for what must stand out on a light ground: the strong is dark.
    Embers,
    /// The same the other way round, for a dark ground.
    Glow,
}

const VIRIDIS: [u32; 10] =
    [0x440154, 0x482878, 0x3e4a89, 0x31688e, 0x26828e, 0x1f9e89, 0x35b779, 0x6dcd59, 0xb4de2c, 0xfde725];
const BATLOW: [u32; 10] =
    [0x011959, 0x103f60, 0x1c5a62, 0x3c6d56, 0x687b3e, 0x9d892b, 0xd29343, 0xf8a17b, 0xfdb7bc, 0xfaccfa];
const CIVIDIS: [u32; 10] =
    [0x00204d, 0x00336f, 0x39486b, 0x575c6d, 0x707173, 0x8a8779, 0xa69d75, 0xc4b56c, 0xe4cf5b, 0xffea46];
const DIVERGING: [u32; 5] = [0x3b4cc0, 0x8db0fe, 0xdddddd, 0xf49a7b, 0xb40426];
const EMBERS: [u32; 7] = [0xfff2cc, 0xffd685, 0xf9a94e, 0xe4703a, 0xb83b3c, 0x72193f, 0x2a0a2a];
const GREY: [u32; 2] = [0xf4f4f4, 0x1c1c1c];

/// Kinds: the first seven of Okabe and Ito, then colours of Tol's that differ from them.
const KINDS: [u32; 14] = [
    0x0072b2, 0xe69f00, 0x009e73, 0xd55e00, 0x56b4e9, 0xcc79a7, 0xf0e442, 0x882255, 0x99ddcc, 0x999933, 0xbbbbbb,
    0x332288, 0xee8866, 0x117733,
];

impl ColourMap {
    /// Every map.
    pub const ALL: [ColourMap; 8] = [
        ColourMap::Viridis,
        ColourMap::Batlow,
        ColourMap::Cividis,
        ColourMap::Diverging,
        ColourMap::Wheel,
        ColourMap::Grey,
        ColourMap::Embers,
        ColourMap::Glow,
    ];

    /// Its name for users.
    pub fn name(self) -> &'static str {
        match self {
            ColourMap::Viridis => "viridis",
            ColourMap::Batlow => "batlow",
            ColourMap::Cividis => "cividis",
            ColourMap::Diverging => "diverging",
            ColourMap::Wheel => "wheel",
            ColourMap::Grey => "grey",
            ColourMap::Embers => "embers",
            ColourMap::Glow => "glow",
        }
    }

    /// The map of a name.
    pub fn from_name(name: &str) -> Option<ColourMap> {
        ColourMap::ALL.into_iter().find(|map| map.name() == name)
    }

    /// The colour at a place from 0 to 1; beyond the ends, that of the end. NaN is a grey that no map has.
    pub fn at(self, place: f64) -> Linear {
        if place.is_nan() {
            return linear_of_hex(0x808080);
        }
        match self {
            ColourMap::Viridis => between(&VIRIDIS, place),
            ColourMap::Batlow => between(&BATLOW, place),
            ColourMap::Cividis => between(&CIVIDIS, place),
            ColourMap::Diverging => between(&DIVERGING, place),
            ColourMap::Grey => between(&GREY, place),
            ColourMap::Embers => between(&EMBERS, place),
            ColourMap::Glow => between(&EMBERS, 1.0 - place),
            ColourMap::Wheel => {
                let angle = std::f32::consts::TAU * place as f32;
                linear_of_oklab([0.72, 0.13 * angle.cos(), 0.13 * angle.sin()])
            }
        }
    }
}

fn between(stops: &[u32], place: f64) -> Linear {
    let last = stops.len() - 1;
    let along = place.clamp(0.0, 1.0) * last as f64;
    let first = (along.floor() as usize).min(last.saturating_sub(1));
    let share = (along - first as f64) as f32;
    let [low, high] = [first, first + 1].map(|stop| oklab_of_linear(linear_of_hex(stops[stop.min(last)])));
    linear_of_oklab(std::array::from_fn(|k| low[k] + share * (high[k] - low[k])))
}

/// The colour of a kind; after the last the first comes again.
pub fn colour_of_kind(kind: usize) -> Linear {
    linear_of_hex(KINDS[kind % KINDS.len()])
}

#[cfg(test)]
mod tests {
    use super::super::space::text_of_linear;
    use super::*;

    #[test]
    fn lightness_rises_evenly_in_the_sequential_maps() {
        for map in [ColourMap::Viridis, ColourMap::Batlow, ColourMap::Cividis, ColourMap::Embers] {
            let lightness: Vec<f32> = (0..=100).map(|k| oklab_of_linear(map.at(f64::from(k) / 100.0))[0]).collect();
            let lightness = if map == ColourMap::Embers { lightness.into_iter().rev().collect() } else { lightness };
            let mean = (lightness[100] - lightness[0]) / 100.0;
            for pair in lightness.windows(2) {
                // Even to a factor of three, and never falling: the published maps were levelled in another space.
                assert!(pair[1] > pair[0] && pair[1] - pair[0] < 3.0 * mean, "{}: {pair:?}", map.name());
            }
        }
    }

    #[test]
    fn ends_are_kept_and_strange_places_have_a_colour() {
        assert_eq!(text_of_linear(ColourMap::Viridis.at(0.0)), "#440154");
        assert_eq!(text_of_linear(ColourMap::Viridis.at(1.0)), "#fde725");
        assert_eq!(ColourMap::Viridis.at(-3.0), ColourMap::Viridis.at(0.0));
        assert_eq!(ColourMap::Viridis.at(f64::INFINITY), ColourMap::Viridis.at(1.0));
        assert_eq!(text_of_linear(ColourMap::Viridis.at(f64::NAN)), "#808080");
        assert_eq!(text_of_linear(ColourMap::Diverging.at(0.5)), "#dddddd");
        assert_eq!(text_of_linear(ColourMap::Wheel.at(0.0)), text_of_linear(ColourMap::Wheel.at(1.0)));
        for map in ColourMap::ALL {
            assert_eq!(ColourMap::from_name(map.name()), Some(map));
        }
    }

    #[test]
    fn kinds_can_be_told_apart() {
        for a in 0..KINDS.len() {
            for b in 0..a {
                let [p, q] = [a, b].map(|kind| oklab_of_linear(colour_of_kind(kind)));
                let apart = (0..3).map(|k| (p[k] - q[k]).powi(2)).sum::<f32>().sqrt();
                // A just noticeable difference is 0.02.
                assert!(apart > 0.08, "kinds {a} and {b} are {apart} apart");
            }
        }
    }
}
