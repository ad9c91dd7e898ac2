//! The parts of a URL, as JSON, for the `URL` of the prelude.

use serde::Serialize;
use url::Url;

#[derive(Serialize)]
struct UrlParts<'a> {
    href: &'a str,
    origin: String,
    protocol: String,
    username: &'a str,
    password: &'a str,
    host: String,
    hostname: &'a str,
    port: String,
    pathname: &'a str,
    search: String,
    hash: String,
}

/// `None` if the text is not a URL.
pub(crate) fn parse_url(text: String, base: String) -> Option<String> {
    let parsed = if base.is_empty() { Url::parse(&text).ok()? } else { Url::parse(&base).ok()?.join(&text).ok()? };
    Some(to_parts(&parsed))
}

pub(crate) fn change_url(href: String, part: String, value: String) -> String {
    let Ok(mut parsed) = Url::parse(&href) else { return href };
    match part.as_str() {
        "username" => drop(parsed.set_username(&value)),
        "password" => drop(parsed.set_password(non_empty(&value))),
        "pathname" => parsed.set_path(&value),
        "search" => parsed.set_query(non_empty(value.trim_start_matches('?'))),
        _ => parsed.set_fragment(non_empty(value.trim_start_matches('#'))),
    }
    to_parts(&parsed)
}

fn non_empty(text: &str) -> Option<&str> {
    (!text.is_empty()).then_some(text)
}

fn to_parts(url: &Url) -> String {
    let port = url.port().map(|port| port.to_string()).unwrap_or_default();
    let hostname = url.host_str().unwrap_or_default();
    let parts = UrlParts {
        href: url.as_str(),
        origin: url.origin().ascii_serialization(),
        protocol: format!("{}:", url.scheme()),
        username: url.username(),
        password: url.password().unwrap_or_default(),
        host: if port.is_empty() { hostname.into() } else { format!("{hostname}:{port}") },
        hostname,
        port,
        pathname: url.path(),
        search: prefixed('?', url.query()),
        hash: prefixed('#', url.fragment()),
    };
    serde_json::to_string(&parts).unwrap_or_default()
}

fn prefixed(mark: char, text: Option<&str>) -> String {
    text.and_then(non_empty).map(|text| format!("{mark}{text}")).unwrap_or_default()
}
