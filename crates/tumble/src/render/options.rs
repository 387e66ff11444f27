//! What can be asked of a picture, from words to values.

use crate::arguments::RenderArguments;
use crate::failure::Failure;
use glam::DVec3;
use tumble_io::units::{Dimension, parse_quantity};
use tumble_pictures::Pixels;
use tumble_pictures::cast::{Background, CameraPlan, Direction, Quality, Scenery, SectionPlan, WallChoice};
use tumble_pictures::colour::{ColourMap, Field};
use tumble_pictures::portrait::Look;

/// Which frames are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameChoice {
    /// One, counted from 0.
    Number(usize),
    /// The last.
    Last,
    /// All.
    All,
}

/// Reads `first`, `last`, `all` or a number.
pub fn frame_choice(text: &str) -> Result<FrameChoice, String> {
    match text {
        "last" => Ok(FrameChoice::Last),
        "first" => Ok(FrameChoice::Number(0)),
        "all" => Ok(FrameChoice::All),
        number => number
            .parse()
            .map(FrameChoice::Number)
            .map_err(|_| "a number from 0, `first`, `last` or `all` is wanted".to_owned()),
    }
}

/// Reads a width and a height: `1280x960`.
pub fn size(text: &str) -> Result<(u32, u32), String> {
    let refused = || format!("a size is like 1280x960, each from 16 to {}", Pixels::LARGEST);
    let (width, height) = text.split_once(['x', 'X']).ok_or_else(refused)?;
    let side = |text: &str| text.trim().parse().ok().filter(|n| (16..=Pixels::LARGEST).contains(n)).ok_or_else(refused);
    let (width, height) = (side(width)?, side(height)?);
    if Pixels::are_too_many(width, height) {
        let millions = |n: u64| n as f64 / 1e6;
        return Err(format!(
            "{width}x{height} are {:.1} million pixels, and the most is {} million: more would not fit into memory",
            millions(u64::from(width) * u64::from(height)),
            millions(Pixels::MOST)
        ));
    }
    Ok((width, height))
}

/// Reads a positive number.
pub fn positive(text: &str) -> Result<f64, String> {
    text.parse()
        .ok()
        .filter(|x: &f64| x.is_finite() && *x > 0.0)
        .ok_or_else(|| "a number above zero is wanted".to_owned())
}

fn length(text: &str) -> Result<f64, String> {
    let text = text.trim();
    text.parse().map_or_else(|_| parse_quantity(text, Dimension::LENGTH).map_err(|error| error.to_string()), Ok)
}

/// Reads three lengths: `0.1,-0.2,0.1` or `10cm,-20cm,10cm`.
pub fn point(text: &str) -> Result<DVec3, String> {
    let refused = |why: String| format!("a point is like `0.1,-0.2,0.1` or `10cm,-20cm,10cm`{why}");
    let numbers: Result<Vec<f64>, String> = text.split(',').map(length).collect();
    match numbers.as_deref() {
        Ok(&[x, y, z]) if DVec3::new(x, y, z).is_finite() => Ok(DVec3::new(x, y, z)),
        Ok(_) => Err(refused(String::new())),
        Err(why) => Err(refused(format!("; {why}"))),
    }
}

/// Reads a direction by name or a point.
pub fn camera(text: &str) -> Result<Direction, String> {
    Direction::from_name(text).map_or_else(
        || match text.contains(',') {
            true => point(text).map(Direction::From),
            false => Err(format!("a camera is {}, or a point like `0.1,-0.2,0.1`", Direction::NAMES.join(", "))),
        },
        Ok,
    )
}

/// Reads two numbers: `0:0.5`.
pub fn range(text: &str) -> Result<(f64, f64), String> {
    let refused = || "a range is like `0:0.5`, the lower end first, in SI units".to_owned();
    let (low, high) = text.split_once(':').ok_or_else(refused)?;
    let number = |text: &str| text.trim().parse::<f64>().ok().filter(|x| x.is_finite()).ok_or_else(refused);
    let (low, high) = (number(low)?, number(high)?);
    // A width that is no normal number cannot be divided into colours.
    if low < high && (high - low).is_normal() { Ok((low, high)) } else { Err(refused()) }
}

/// Reads a colour map.
pub fn map(text: &str) -> Result<ColourMap, String> {
    let names = || ColourMap::ALL.map(ColourMap::name).join(", ");
    ColourMap::from_name(text).ok_or_else(|| format!("the colours are {}", names()))
}

/// Reads a background.
pub fn background(text: &str) -> Result<Background, String> {
    let names = || Background::ALL.map(Background::name).join(", ");
    Background::ALL.into_iter().find(|b| b.name() == text).ok_or_else(|| format!("the backgrounds are {}", names()))
}

/// Reads a quality.
pub fn quality(text: &str) -> Result<Quality, String> {
    match text {
        "draft" => Ok(Quality::Draft),
        "normal" => Ok(Quality::Normal),
        "fine" => Ok(Quality::Fine),
        _ => Err("the qualities are draft, normal, fine".to_owned()),
    }
}

/// How the picture is to look.
pub fn look(arguments: &RenderArguments) -> Result<Look, Failure> {
    let colour =
        arguments.colour.as_deref().map(Field::from_name).transpose().map_err(|error| Failure::Input(error.into()))?;
    let section = arguments.section.as_deref().map(SectionPlan::from_text).transpose().map_err(Failure::input)?;
    let walls = match &arguments.walls {
        _ if arguments.no_walls => WallChoice::None,
        Some(names) => WallChoice::Named(names.split(',').map(|name| name.trim().to_owned()).collect()),
        None => WallChoice::All,
    };
    Ok(Look {
        width: arguments.size.0,
        height: arguments.size.1,
        camera: CameraPlan {
            direction: arguments.camera,
            look_at: arguments.look_at,
            zoom: arguments.zoom,
            is_orthographic: arguments.orthographic,
        },
        colour,
        map: arguments.map,
        range: arguments.range,
        section,
        background: arguments.background,
        quality: arguments.quality,
        walls,
        bars: !arguments.no_bars,
        force_chains: arguments.force_chains,
    })
}

/// Refuses walls that are not there.
pub fn check_walls(arguments: &RenderArguments, scenery: &Scenery) -> Result<(), Failure> {
    for wanted in arguments.walls.iter().flat_map(|names| names.split(',')).map(str::trim) {
        let choice = WallChoice::Named(vec![wanted.to_owned()]);
        if !scenery.wall_names().any(|name| choice.has(name)) {
            let names: Vec<&str> = scenery.wall_names().collect();
            let known =
                if names.is_empty() { "there are none".to_owned() } else { format!("they are {}", names.join(", ")) };
            return Err(Failure::input(format!("no wall is called `{wanted}`: {known}")));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_become_values_and_nonsense_is_refused() {
        assert_eq!(frame_choice("7"), Ok(FrameChoice::Number(7)));
        assert_eq!(frame_choice("last"), Ok(FrameChoice::Last));
        assert_eq!(frame_choice("first"), Ok(FrameChoice::Number(0)));
        assert!(frame_choice("-1").is_err() && frame_choice("x").unwrap_err().contains("`first`, `last` or `all`"));
        assert_eq!(size("640x480"), Ok((640, 480)));
        assert!(size("640").is_err() && size("0x10").is_err() && size("99999x10").is_err());
        assert_eq!(size("16384x3906"), Ok((16384, 3906)));
        let message = size("16384x16384").unwrap_err();
        assert!(message.contains("268.4 million") && message.contains("the most is 64 million"), "{message}");
        assert_eq!(point("1cm, 0.5,-2 mm"), Ok(DVec3::new(0.01, 0.5, -0.002)));
        assert!(point("1,2").is_err() && point("1,2,kg").is_err() && point("1,2,inf").is_err());
        assert_eq!(camera("top"), Ok(Direction::Top));
        assert_eq!(camera("1,2,3"), Ok(Direction::From(DVec3::new(1.0, 2.0, 3.0))));
        assert!(camera("above").unwrap_err().contains("top, bottom"));
        assert_eq!(range("-1:2e-3"), Ok((-1.0, 2e-3)));
        assert!(range("2:1").is_err() && range("1").is_err() && range("a:b").is_err() && range("nan:1").is_err());
        assert!(range("0:1e-323").is_err() && range("-1e308:1e308").is_err());
        assert!(positive("0").is_err() && positive("inf").is_err() && positive("2") == Ok(2.0));
    }
}
