//! What every request must satisfy, and what every answer carries.
//!
//! A page of another site can make a browser send requests to a server on loopback. It cannot read the answers, for the
//! server grants no other origin anything; unless its own name is made to lead to 127.0.0.1 (DNS rebinding), when the
//! browser takes the two for one. The `Host` of such a request is that other name, so only addresses in numbers,
//! `localhost` and the name the user gave are answered.

use axum::http::header::{self, HeaderMap, HeaderName, HeaderValue};
use axum::http::{Method, StatusCode};
use std::net::IpAddr;

/// Nothing is loaded from elsewhere, nothing inline is executed, nobody may frame the page.
const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: \
     blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Which hosts are answered.
#[derive(Clone, Debug)]
pub(crate) struct Guard {
    /// The name or address that the user gave.
    pub(crate) host: String,
}

impl Guard {
    /// Why a request is refused, if it is.
    pub(crate) fn refuse(&self, method: &Method, headers: &HeaderMap) -> Option<(StatusCode, &'static str)> {
        if method != Method::GET && method != Method::HEAD {
            return Some((StatusCode::METHOD_NOT_ALLOWED, "this server only answers GET"));
        }
        let host = headers.get(header::HOST).and_then(|host| host.to_str().ok());
        if !host.is_some_and(|host| self.knows(host)) {
            return Some((StatusCode::MISDIRECTED_REQUEST, "this server has another name"));
        }
        // A WebSocket is not held back by the rules for origins: the server must look itself.
        if let Some(origin) = headers.get(header::ORIGIN)
            && origin.to_str().ok().and_then(|origin| origin.strip_prefix("http://")) != host
        {
            return Some((StatusCode::FORBIDDEN, "this server answers its own page alone"));
        }
        None
    }

    fn knows(&self, host: &str) -> bool {
        let name = match host.rsplit_once(':') {
            Some((name, port)) if !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit()) => name,
            _ => host,
        };
        let address = name.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(name);
        address.parse::<IpAddr>().is_ok()
            || name.eq_ignore_ascii_case("localhost")
            || name.eq_ignore_ascii_case(&self.host)
    }
}

/// Adds to an answer what every answer carries.
pub(crate) fn protect(headers: &mut HeaderMap) {
    let fixed: [(HeaderName, &'static str); 6] = [
        (header::CONTENT_SECURITY_POLICY, CONTENT_SECURITY_POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-store"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    ];
    for (name, value) in fixed {
        headers.insert(name, HeaderValue::from_static(value));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(method: Method, pairs: &[(HeaderName, &str)]) -> Option<StatusCode> {
        let guard = Guard { host: "workshop.local".to_owned() };
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.insert(name, HeaderValue::from_bytes(value.as_bytes()).unwrap());
        }
        guard.refuse(&method, &headers).map(|(status, _)| status)
    }

    #[test]
    fn other_names_are_refused() {
        let host = |host: &str| refused(Method::GET, &[(header::HOST, host)]);
        for known in ["127.0.0.1:8080", "localhost:1", "LOCALHOST", "[::1]:80", "[::1]", "10.0.0.7", "workshop.local:9"]
        {
            assert_eq!(host(known), None, "{known}");
        }
        for other in ["evil.example", "evil.example:80", "127.0.0.1.evil.example", "localhost.evil.example", "", ":80"]
        {
            assert_eq!(host(other), Some(StatusCode::MISDIRECTED_REQUEST), "{other}");
        }
        assert_eq!(refused(Method::GET, &[]), Some(StatusCode::MISDIRECTED_REQUEST));
        assert_eq!(host("\u{fc}"), Some(StatusCode::MISDIRECTED_REQUEST));
    }

    #[test]
    fn other_origins_and_other_methods_are_refused() {
        let origin = |origin: &str| refused(Method::GET, &[(header::HOST, "127.0.0.1:80"), (header::ORIGIN, origin)]);
        assert_eq!(origin("http://127.0.0.1:80"), None);
        for other in ["http://evil.example", "null", "https://127.0.0.1:80", "http://127.0.0.1:81"] {
            assert_eq!(origin(other), Some(StatusCode::FORBIDDEN), "{other}");
        }
        assert_eq!(refused(Method::HEAD, &[(header::HOST, "localhost")]), None);
        for method in [Method::POST, Method::PUT, Method::DELETE, Method::OPTIONS] {
            let status = refused(method, &[(header::HOST, "localhost")]);
            assert_eq!(status, Some(StatusCode::METHOD_NOT_ALLOWED));
        }
    }
}
