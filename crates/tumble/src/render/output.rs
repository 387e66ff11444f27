//! Where pictures go: a PNG file, a directory of them, an animated GIF or WebP.

use super::Film;
use crate::failure::Failure;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use tumble_io::atomic_file;
use tumble_io::file_error::FileError;
use tumble_pictures::Pixels;
use tumble_pictures::film::{FilmError, GifFilm, WebpFilm};

/// Where pictures go.
#[derive(Debug)]
pub enum Output {
    /// One PNG.
    Png(PathBuf),
    /// A directory of PNGs.
    Directory(PathBuf),
    /// An animated GIF with its frames a second.
    Gif(PathBuf, f64),
    /// An animated WebP with its frames a second.
    Webp(PathBuf, f64),
}

impl Output {
    /// What a path means; several frames do not fit into a PNG.
    pub fn of(path: &Path, is_film: bool, frames_per_second: f64) -> Result<Output, Failure> {
        let text = path.to_string_lossy();
        let suffix = path.extension().map(|suffix| suffix.to_string_lossy().to_lowercase());
        let is_directory = path.is_dir() || text.ends_with(['/', '\\']) || suffix.is_none();
        if is_directory && !is_film && !path.is_dir() && !text.ends_with(['/', '\\']) {
            return Err(unknown(path, "no suffix"));
        }
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
        if let Some(missing) = parent.filter(|parent| !parent.is_dir()) {
            return Err(Failure::input(format!("there is no directory {}: make it first", missing.display())));
        }
        if is_directory {
            return Ok(Output::Directory(path.to_owned()));
        }
        match suffix.as_deref() {
            Some("png") if is_film => Err(Failure::input(format!(
                "{} is one picture, and there are several frames: give a directory (`-o film/`), a .gif or a .webp",
                path.display()
            ))),
            Some("png") => Ok(Output::Png(path.to_owned())),
            Some("gif") => Ok(Output::Gif(path.to_owned(), frames_per_second)),
            Some("webp") => Ok(Output::Webp(path.to_owned(), frames_per_second)),
            other => Err(unknown(path, &format!("suffix .{}", other.unwrap_or_default()))),
        }
    }

    /// Draws all frames and writes them; `told` hears how many are done. Returns how many were drawn.
    pub fn write(&self, film: &mut Film, told: impl Fn(usize)) -> Result<usize, Failure> {
        let (width, height) = film.size;
        let n_drawn = match self {
            Output::Png(path) => {
                let mut n_drawn = 0;
                for_each(film, told, |picture| {
                    n_drawn += 1;
                    write_png(path, picture)
                })?;
                n_drawn
            }
            Output::Directory(directory) => {
                if !directory.is_dir() {
                    fs::create_dir(directory).map_err(FileError::of("create", directory))?;
                }
                let mut n_drawn = 0;
                // Numbered without gaps, as programs that make films of pictures want them.
                for_each(film, told, |picture| {
                    n_drawn += 1;
                    write_png(&directory.join(format!("frame-{:06}.png", n_drawn - 1)), picture)
                })?;
                n_drawn
            }
            Output::Gif(path, rate) => write_whole(path, |file| {
                let mut gif = GifFilm::new(file, width, height, *rate).map_err(of_film(path))?;
                let mut n_drawn = 0;
                for_each(film, told, |picture| {
                    n_drawn += 1;
                    gif.push(picture).map_err(of_film(path))
                })?;
                gif.finish().map_err(of_film(path))?;
                Ok(n_drawn)
            })?,
            Output::Webp(path, rate) => write_whole(path, |file| {
                let mut webp = WebpFilm::new(file, width, height, *rate).map_err(of_film(path))?;
                let mut n_drawn = 0;
                for_each(film, told, |picture| {
                    n_drawn += 1;
                    webp.push(picture).map_err(of_film(path))
                })?;
                webp.finish().map_err(of_film(path))?;
                Ok(n_drawn)
            })?,
        };
        if n_drawn == 0 { Err(nothing_drawn(film)) } else { Ok(n_drawn) }
    }
}

fn unknown(path: &Path, what: &str) -> Failure {
    Failure::input(format!(
        "{} has {what}: pictures are .png, films .gif, .webp or a directory for PNG frames",
        path.display()
    ))
}

fn nothing_drawn(film: &Film) -> Failure {
    let first = film.complaints.first().cloned().unwrap_or_default();
    Failure::input(format!("no frame could be drawn: {first}"))
}

fn for_each(
    film: &mut Film,
    told: impl Fn(usize),
    mut write: impl FnMut(&Pixels) -> Result<(), Failure>,
) -> Result<(), Failure> {
    for place in 0..film.frames.len() {
        if let Some(picture) = film.draw(place)? {
            write(&picture)?;
        }
        told(place + 1);
    }
    Ok(())
}

fn write_png(path: &Path, picture: &Pixels) -> Result<(), Failure> {
    let bytes = picture.to_png().map_err(|error| Failure::Machine(error.into()))?;
    Ok(atomic_file::replace_with(path, &bytes)?)
}

/// Writes a file as a whole or not at all. A failure that is not the file's own comes out as it was.
fn write_whole(
    path: &Path,
    fill: impl FnOnce(&mut io::BufWriter<fs::File>) -> Result<usize, Failure>,
) -> Result<usize, Failure> {
    let mut outcome = Ok(0);
    let written = atomic_file::replace(path, |file| {
        outcome = fill(file);
        match &outcome {
            Ok(n) if *n > 0 => Ok(()),
            // Any error keeps the old file; what went wrong is told below.
            _ => Err(io::Error::other("nothing to write")),
        }
    });
    match (outcome, written) {
        (Ok(0), _) => Ok(0),
        (Ok(_), Err(error)) => Err(error.into()),
        (outcome, _) => outcome,
    }
}

/// A film's error, with the file's name if the file is at fault.
fn of_film(path: &Path) -> impl Fn(FilmError) -> Failure {
    move |error| match error {
        FilmError::Output(error) => FileError::of("write", path)(error).into(),
        other => Failure::Machine(other.into()),
    }
}
