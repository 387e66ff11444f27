//! Opens a page in the user's browser, if there is one. That it cannot is never an error: the address is printed too.

use std::ffi::OsStr;
use std::process::{Command, Stdio};

/// The program that opens an address, with what goes before the address; `None` where there is no screen to open it on.
fn opener() -> Option<(&'static str, &'static [&'static str])> {
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value: std::ffi::OsString| !value.is_empty());
    if cfg!(target_os = "macos") {
        Some(("open", &[]))
    } else if cfg!(windows) {
        // `start` takes its first quoted word for a title.
        Some(("cmd", &["/C", "start", ""]))
    } else if ["DISPLAY", "WAYLAND_DISPLAY", "WSL_DISTRO_NAME"].into_iter().any(is_set) {
        // Without a screen it might start a browser in this very terminal.
        Some(("xdg-open", &[]))
    } else {
        None
    }
}

/// Asks the system to show an address. Returns whether it was asked.
pub fn open(url: &str) -> bool {
    let Some((program, before)) = opener() else { return false };
    let words = before.iter().map(OsStr::new).chain([OsStr::new(url)]);
    let mut command = Command::new(program);
    command.args(words).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    match command.spawn() {
        Ok(mut child) => {
            // Some openers stay for as long as the browser does.
            std::thread::spawn(move || child.wait());
            true
        }
        Err(_) => false,
    }
}
