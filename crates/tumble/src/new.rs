//! `tumble new`: a scene file to start from.

use crate::arguments::NewArguments;
use crate::failure::Failure;
use std::fs::File;
use std::io::{ErrorKind, Write, stdout};
use std::path::{Path, PathBuf};
use tumble_io::file_error::FileError;
use tumble_io::scene::{Template, templates};

/// Writes a scene file, or lists the templates.
pub fn new(arguments: &NewArguments) -> Result<(), Failure> {
    let Some(name) = arguments.name.as_ref().filter(|_| !arguments.list) else { return list() };
    let template = find(arguments.template.as_deref())?;
    let path = file_name(name);
    let shown = path.display();
    let mut file = File::create_new(&path).map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => Failure::input(format!("{shown} exists already: choose another name")),
        _ => FileError::of("create", &path)(error).into(),
    })?;
    file.write_all(template.text.as_bytes()).map_err(FileError::of("write", &path))?;
    writeln!(stdout(), "wrote {shown}: {}\nrun it:  tumble run {shown}", template.description)?;
    Ok(())
}

fn list() -> Result<(), Failure> {
    let width = templates().iter().map(|template| template.name.len()).max().unwrap_or(0);
    let mut out = stdout().lock();
    for template in templates() {
        writeln!(out, "{:width$}  {}", template.name, template.description)?;
    }
    Ok(())
}

fn find(name: Option<&str>) -> Result<&'static Template, Failure> {
    let found = match name {
        None => templates().first(),
        Some(name) => templates().iter().find(|template| template.name == name),
    };
    found.ok_or_else(|| {
        let known: Vec<&str> = templates().iter().map(|template| template.name).collect();
        Failure::input(format!("there is no template `{}`; there are: {}", name.unwrap_or(""), known.join(", ")))
    })
}

fn file_name(name: &str) -> PathBuf {
    let path = Path::new(name);
    // `with_extension` would cut `mix.v2` short.
    if path.extension().is_some_and(|extension| extension == "toml") {
        path.to_owned()
    } else {
        PathBuf::from(format!("{name}.toml"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_becomes_a_toml_file() {
        assert_eq!(file_name("pour"), Path::new("pour.toml"));
        assert_eq!(file_name("a/pour.toml"), Path::new("a/pour.toml"));
        assert_eq!(file_name("mix.v2"), Path::new("mix.v2.toml"));
    }
}
