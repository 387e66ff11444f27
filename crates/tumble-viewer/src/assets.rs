//! The page, inside the binary. The files are made by `npm run build` in `viewer/` and kept in the repository, so that
//! building Tumble needs no other tool.

/// A file of the page.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asset {
    /// What it is, for the browser.
    pub(crate) media_type: &'static str,
    /// Its content.
    pub(crate) bytes: &'static [u8],
}

/// The file at a path of the page; `None` if the page has no such file.
pub(crate) fn asset(path: &str) -> Option<Asset> {
    let (media_type, bytes): (&str, &[u8]) = match path {
        "/" => ("text/html; charset=utf-8", include_bytes!("../../../viewer/dist/index.html")),
        "/viewer.js" => ("text/javascript; charset=utf-8", include_bytes!("../../../viewer/dist/viewer.js")),
        "/viewer.css" => ("text/css; charset=utf-8", include_bytes!("../../../viewer/dist/viewer.css")),
        "/viewer.svg" => ("image/svg+xml", include_bytes!("../../../viewer/dist/viewer.svg")),
        _ => return None,
    };
    Some(Asset { media_type, bytes })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_asks_for_nothing_that_is_not_there() {
        let page = std::str::from_utf8(asset("/").unwrap().bytes).unwrap();
        let quoted = page.split('"').skip(1).step_by(2);
        let named: Vec<&str> = quoted.filter(|text| text.contains("viewer.")).collect();
        assert_eq!(named.len(), 3, "{named:?}");
        assert!(named.iter().all(|path| asset(path).is_some()), "{named:?}");
        assert!(!page.contains("http:") && !page.contains("https:"), "the page asks another server");
    }

    #[test]
    fn the_licence_of_three_is_in_the_bundle() {
        let script = std::str::from_utf8(asset("/viewer.js").unwrap().bytes).unwrap();
        assert!(script.contains("Three.js Authors") && script.contains("SPDX-License-Identifier: MIT"));
    }
}
