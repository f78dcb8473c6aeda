//! Parsers of flag values.

use std::net::{SocketAddr, ToSocketAddrs};

use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::LevelFilter;

use crate::web::address::is_loopback;

/// Parses an address, or a host name and a port. Prefers the first IPv4 address of a name:
/// most clients resolve `localhost` to that.
pub fn listen_address(text: &str) -> Result<SocketAddr, String> {
    let addresses = text.to_socket_addrs().map_err(|error| {
        format!("{error}; expected an address and a port, such as 127.0.0.1:8080 or localhost:8080")
    })?;
    let addresses: Vec<_> = addresses.collect();
    let chosen = addresses.iter().find(|address| address.is_ipv4());
    let chosen = chosen.or(addresses.first());
    chosen
        .copied()
        .ok_or_else(|| "the name resolves to no address".to_owned())
}

/// Parses a level or a filter. Refuses a single word that is not a level: it would be taken
/// for a module name and log nothing.
pub(super) fn log_filter(text: &str) -> Result<String, String> {
    let is_word = text
        .chars()
        .all(|character| character.is_ascii_alphanumeric());
    if is_word && text.parse::<LevelFilter>().is_err() {
        return Err(
            "expected off, error, warn, info, debug or trace, or a filter such as debug,sqlx=warn"
                .to_owned(),
        );
    }
    let filter = EnvFilter::builder().parse(text);
    filter
        .map(|_| text.to_owned())
        .map_err(|error| error.to_string())
}

/// Parses a fraction of a whole.
pub(super) fn share(text: &str) -> Result<f64, String> {
    let share = text.parse().ok();
    let share = share.filter(|share: &f64| *share > 0.0 && *share <= 1.0);
    share.ok_or_else(|| "expected a number above 0 and at most 1, such as 0.25".to_owned())
}

/// Parses a scheme and a host without a path.
pub(super) fn base_url(text: &str) -> Result<String, String> {
    let uri: poem::http::Uri = text.parse().map_err(|_| "expected a URL".to_owned())?;
    let web = matches!(uri.scheme_str(), Some("http" | "https"));
    let bare = uri.path() == "/" && uri.query().is_none();
    if !web || !bare || uri.authority().is_none() {
        return Err("expected a scheme and a host, such as https://forge.example".to_owned());
    }
    Ok(text.trim_end_matches('/').to_owned())
}

/// Whether a base URL is that of this machine, whose names under `localhost` only it resolves.
pub(super) fn names_this_machine(base_url: &str) -> bool {
    let authority = base_url
        .split_once("://")
        .map_or(base_url, |(_, rest)| rest);
    let host = authority
        .rsplit_once(':')
        .map_or(authority, |(host, _)| host);
    is_loopback(authority) || host.to_ascii_lowercase().ends_with(".localhost")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_base_url_is_a_scheme_and_a_host() {
        assert_eq!(
            base_url("https://forge.example/").as_deref(),
            Ok("https://forge.example")
        );
        assert_eq!(
            base_url("http://10.0.0.1:81").as_deref(),
            Ok("http://10.0.0.1:81")
        );
        for text in [
            "forge.example",
            "ftp://x",
            "https://x/path",
            "https://x?y",
            "",
        ] {
            assert!(base_url(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_host_name_is_listened_on_and_nonsense_is_refused() {
        let localhost = listen_address("localhost:8080").unwrap();
        assert!(localhost.ip().is_loopback());
        assert_eq!(localhost.port(), 8080);
        for invalid in [
            "",
            "8080",
            "localhost",
            "127.0.0.1",
            "127.0.0.1:x",
            "::1:1:",
        ] {
            assert!(listen_address(invalid).is_err(), "{invalid}");
        }
    }

    #[test]
    fn a_word_that_is_no_level_is_refused() {
        for valid in ["debug", "OFF", "info,sqlx=warn", "forgewright::web=debug"] {
            assert_eq!(log_filter(valid).as_deref(), Ok(valid));
        }
        for invalid in ["verbose", "debugg", "sqlx=loud"] {
            assert!(log_filter(invalid).is_err(), "{invalid}");
        }
    }
}
