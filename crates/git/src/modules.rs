//! Checks the content of `.gitmodules` as `git fsck` does: an address, a path or a name in it may
//! make an old Git run a command or write outside of its folder.

use std::iter::Peekable;

/// Why `git fsck` refuses a file. What follows a syntax error is not read, as in Git.
pub(super) fn fault(content: &[u8]) -> Option<&'static str> {
    let content = content.strip_prefix(b"\xef\xbb\xbf").unwrap_or(content);
    let mut parser = ModulesParser {
        bytes: content.iter().copied().peekable(),
        submodule: None,
    };
    while let Some(setting) = parser.next() {
        let fault = setting.fault();
        if fault.is_some() {
            return fault;
        }
    }
    None
}

/// A setting of a submodule.
struct Setting {
    submodule: Vec<u8>,
    key: Vec<u8>,
    value: Vec<u8>,
}

impl Setting {
    fn fault(&self) -> Option<&'static str> {
        if !is_safe_name(&self.submodule) {
            return Some("it has a submodule with an unsafe name");
        }
        let is_option = self.value.starts_with(b"-");
        match &self.key[..] {
            b"url" if is_option || !is_safe_address(&self.value) => {
                Some("it has a submodule with an unsafe address")
            }
            b"path" if is_option => Some("it has a submodule with an unsafe path"),
            b"update" if self.value.starts_with(b"!") => {
                Some("it has a submodule whose update is a command")
            }
            _ => None,
        }
    }
}

/// A name is a path below `.git/modules`.
fn is_safe_name(name: &[u8]) -> bool {
    let mut parts = name.split(|byte| b"/\\".contains(byte));
    !name.is_empty() && parts.all(|part| part != b"..")
}

fn is_safe_address(address: &[u8]) -> bool {
    if has_newline(address) {
        return false;
    }
    if let Some(address) = transported(address) {
        return is_url(address);
    }
    // Relative to the address of the repository: it may not replace its host.
    let mut rest = address;
    let mut above = false;
    loop {
        if let Some(after) = rest.strip_prefix(b"../") {
            (rest, above) = (after, true);
        } else if let Some(after) = rest.strip_prefix(b"./") {
            rest = after;
        } else {
            return !(above && rest.first().is_some_and(|first| b":/".contains(first)));
        }
    }
}

/// The URL of an address that curl transports.
fn transported(address: &[u8]) -> Option<&[u8]> {
    ["http", "https", "ftp", "ftps"].iter().find_map(|scheme| {
        let rest = address.strip_prefix(scheme.as_bytes())?;
        rest.strip_prefix(b"::")
            .or_else(|| rest.starts_with(b"://").then_some(address))
    })
}

/// Whether Git accepts a URL (`url_normalize`). Without a host, an old Git sends the credentials of
/// another.
fn is_url(url: &[u8]) -> bool {
    let Some(end) = url.windows(3).position(|three| three == b"://") else {
        return false;
    };
    let (scheme, rest) = (&url[..end], &url[end + 3..]);
    let is_scheme = scheme.first().is_some_and(u8::is_ascii_alphabetic)
        && scheme
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || b"+.-".contains(byte));
    let path = rest.iter().position(|byte| b"/?#".contains(byte));
    let (authority, path) = rest.split_at(path.unwrap_or(rest.len()));
    let (user, host) = match authority.iter().position(|byte| *byte == b'@') {
        Some(at) => (&authority[..at], &authority[at + 1..]),
        None => (&b""[..], authority),
    };
    // The colons of an address in brackets are not in front of a port.
    let (host, port) = match host.iter().rposition(|byte| b":]".contains(byte)) {
        Some(colon) if host[colon] == b':' => (&host[..colon], &host[colon + 1..]),
        _ => (host, &b""[..]),
    };
    let is_host = !host.is_empty()
        && host
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || b".-_[:]".contains(byte));
    is_scheme && is_host && is_port(port) && is_escaped(user) && is_escaped(path) && is_below(path)
}

/// No port, or one between 1 and 65535.
fn is_port(port: &[u8]) -> bool {
    let number = || std::str::from_utf8(port).ok()?.parse().ok();
    let digits = port.iter().all(u8::is_ascii_digit);
    port.is_empty() || digits && number().is_some_and(|port: u16| port > 0)
}

/// Whether each percent sign is followed by two hexadecimal digits.
fn is_escaped(text: &[u8]) -> bool {
    let mut parts = text.split(|byte| *byte == b'%').skip(1);
    parts.all(|part| part.len() >= 2 && part[..2].iter().all(u8::is_ascii_hexdigit))
}

/// Whether `..` does not lead above the root.
fn is_below(path: &[u8]) -> bool {
    let end = path.iter().position(|byte| b"?#".contains(byte));
    let names = path[..end.unwrap_or(path.len())].split(|byte| *byte == b'/');
    let mut depth = 0_usize;
    names.skip(1).all(|name| match &decoded(name)[..] {
        b"." => true,
        b".." => {
            let is_below = depth > 0;
            depth = depth.saturating_sub(1);
            is_below
        }
        _ => {
            depth += 1;
            true
        }
    })
}

/// A name in a path with its dots that are written with a percent sign.
fn decoded(name: &[u8]) -> Vec<u8> {
    let mut decoded = Vec::with_capacity(name.len());
    let mut rest = name;
    while let Some((first, after)) = rest.split_first() {
        let dot = rest
            .get(..3)
            .is_some_and(|three| three.eq_ignore_ascii_case(b"%2e"));
        decoded.push(if dot { b'.' } else { *first });
        rest = if dot { &rest[3..] } else { after };
    }
    decoded
}

/// Whether an address has a newline, as it is or with a percent sign.
fn has_newline(address: &[u8]) -> bool {
    let encoded = |three: &[u8]| three.eq_ignore_ascii_case(b"%0a");
    address.contains(&b'\n') || address.windows(3).any(encoded)
}

/// Reads the settings of submodules from a file in the syntax of `git config`.
struct ModulesParser<B: Iterator<Item = u8>> {
    bytes: Peekable<B>,
    /// The submodule of the current section.
    submodule: Option<Vec<u8>>,
}

impl<B: Iterator<Item = u8>> ModulesParser<B> {
    /// The next setting of a submodule; None at the end or at a syntax error.
    fn next(&mut self) -> Option<Setting> {
        loop {
            match self.bytes.next()? {
                b'#' | b';' => self.skip_line(),
                b'[' => self.submodule = self.section()?,
                byte if byte.is_ascii_whitespace() => {}
                byte if byte.is_ascii_alphabetic() => {
                    let (key, value) = self.setting(byte)?;
                    if let (Some(submodule), Some(value)) = (self.submodule.clone(), value) {
                        return Some(Setting {
                            submodule,
                            key,
                            value,
                        });
                    }
                }
                _ => return None,
            }
        }
    }

    fn skip_line(&mut self) {
        self.bytes.by_ref().find(|byte| *byte == b'\n');
    }

    /// Reads the rest of a section's header; returns its submodule, if it has one.
    fn section(&mut self) -> Option<Option<Vec<u8>>> {
        let mut name = Vec::new();
        let end = loop {
            match self.bytes.next()? {
                byte if byte.is_ascii_alphanumeric() || b".-".contains(&byte) => {
                    name.push(byte.to_ascii_lowercase());
                }
                byte => break byte,
            }
        };
        if end == b']' {
            // The old form, `[submodule.name]`.
            return Some(name.strip_prefix(b"submodule.").map(<[u8]>::to_vec));
        }
        if !b" \t".contains(&end) {
            return None;
        }
        while self.bytes.next_if(|byte| b" \t".contains(byte)).is_some() {}
        self.bytes.next_if_eq(&b'"')?;
        let mut subsection = Vec::new();
        loop {
            match self.bytes.next()? {
                b'\n' => return None,
                b'"' => break,
                b'\\' => subsection.push(self.bytes.next()?),
                byte => subsection.push(byte),
            }
        }
        self.bytes.next_if_eq(&b']')?;
        Some((name == b"submodule").then_some(subsection))
    }

    /// Reads a setting that begins with this letter; the value is None if there is no `=`.
    fn setting(&mut self, first: u8) -> Option<(Vec<u8>, Option<Vec<u8>>)> {
        let mut key = vec![first.to_ascii_lowercase()];
        while let Some(byte) = self
            .bytes
            .next_if(|byte| byte.is_ascii_alphanumeric() || *byte == b'-')
        {
            key.push(byte.to_ascii_lowercase());
        }
        while self.bytes.next_if(|byte| b" \t".contains(byte)).is_some() {}
        match self.bytes.next() {
            None | Some(b'\n') => Some((key, None)),
            Some(b'\r') if self.bytes.peek() == Some(&b'\n') => Some((key, None)),
            Some(b'=') => Some((key, Some(self.value()?))),
            Some(_) => None,
        }
    }

    fn value(&mut self) -> Option<Vec<u8>> {
        let mut value = Vec::new();
        // What is before the last space that is not quoted.
        let mut end = 0;
        let mut quoted = false;
        loop {
            match self.bytes.next() {
                None | Some(b'\n') if quoted => return None,
                None | Some(b'\n') => break,
                Some(b'"') => {
                    quoted = !quoted;
                    end = value.len();
                }
                Some(b'\\') => match self.bytes.next()? {
                    b'\n' => {}
                    escaped => {
                        value.push(match escaped {
                            b'n' => b'\n',
                            b't' => b'\t',
                            b'b' => 8,
                            b'"' | b'\\' => escaped,
                            _ => return None,
                        });
                        end = value.len();
                    }
                },
                Some(b'#' | b';') if !quoted => {
                    self.skip_line();
                    break;
                }
                Some(byte) if !quoted && byte.is_ascii_whitespace() => {
                    if !value.is_empty() {
                        value.push(byte);
                    }
                }
                Some(byte) => {
                    value.push(byte);
                    end = value.len();
                }
            }
        }
        value.truncate(end);
        Some(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn submodule(setting: &str) -> String {
        format!(
            "# comment\n[core]\n\tbare\n[submodule \"a/b\"]\n\tpath = \"lib\" ; here\n{setting}\n"
        )
    }

    #[test]
    fn unsafe_settings_are_found_however_they_are_written() {
        for setting in [
            "url = -u./payload",
            "url=\"-u\"",
            "\tURL = \\\n  --upload-pack=x",
            "url = ../../../../../:host/x",
            "url = ./..//host",
            "url = https://example.com/%0ahost=x",
            "url = \"https://example.com/\\nhost\"",
            "url = https://",
            "url = https:///host/x",
            "url = http::://host",
            "url = https::x",
            "url = https://user@/x",
            "url = https://ho st/x",
            "url = https://host:0/x",
            "url = https://host:65536/x",
            "url = https://host:x/",
            "url = https://host/%zz",
            "url = https://host/a/../../b",
            "url = https://host/%2E./b",
            "path = -x",
            "update = !rm -rf",
            "[submodule \"..\"] url = x",
            "[submodule \"a/../b\"]\nurl = x",
            "[submodule \"a\\\\..\"]\nurl = x",
            "[submodule \"\"]\nurl = x",
            "[submodule.a]\r\nurl = -x\r\n",
        ] {
            assert!(fault(submodule(setting).as_bytes()).is_some(), "{setting}");
        }
    }

    #[test]
    fn usual_settings_are_safe() {
        for setting in [
            "url = https://example.com/a-b.git",
            "url = https://user:%40@example.com:8443/a/../b?c#d",
            "url = http::https://[::1]:1/x",
            "url = https://example.com:/a",
            "url = ssh://",
            "url = ../other.git # -x",
            "url = git@example.com:a/b",
            "update = rebase",
            "branch = -x",
            "path = a/..b",
            "[submodule \"..a/b..\"]\nurl = x",
            "[other \"..\"]\nurl = -x",
            "; url = -x",
            "fetchRecurseSubmodules",
        ] {
            assert_eq!(fault(submodule(setting).as_bytes()), None, "{setting}");
        }
        assert_eq!(fault(b""), None);
        assert_eq!(fault(b"\xef\xbb\xbf[submodule \"a\"]\nurl = x"), None);
    }

    #[test]
    fn what_follows_a_syntax_error_is_not_read() {
        for text in [
            "!\n[submodule \"a\"]\nurl = -x",
            "[submodule \"a\nurl = -x",
            "[submodule \"a\"]\nurl = \"-x\n",
            "[submodule \"a\"]\nurl = \\x",
        ] {
            assert_eq!(fault(text.as_bytes()), None, "{text}");
        }
    }
}
