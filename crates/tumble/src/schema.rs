//! `tumble schema`: the keys of a scene file.

use crate::arguments::SchemaArguments;
use crate::failure::Failure;
use std::io::{Write, stdout};
use tumble_io::schema::{json_schema, markdown_reference};

/// Prints the JSON schema, or the reference for people.
pub fn schema(arguments: &SchemaArguments) -> Result<(), Failure> {
    let text = if arguments.markdown { markdown_reference() } else { format!("{:#}\n", json_schema()) };
    Ok(stdout().write_all(text.as_bytes())?)
}
