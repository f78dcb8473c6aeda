//! Patterns for paths: `*` stands for anything within a segment, `**` for anything.

/// The longest pattern in bytes. Matching takes time in proportion to pattern and path.
pub const LONGEST: usize = 500;

/// Whether a pattern matches a whole path.
pub fn matches(pattern: &str, path: &str) -> bool {
    let (mut pattern, path) = (pattern.as_bytes(), path.as_bytes());
    // `ends[n]`: the pattern so far matches the first n bytes of the path.
    let mut ends = vec![false; path.len() + 1];
    ends[0] = true;
    while let [first, rest @ ..] = pattern {
        pattern = rest;
        if *first == b'*' {
            let segments = rest.strip_prefix(b"*");
            pattern = segments.unwrap_or(rest);
            for (n, byte) in path.iter().enumerate() {
                ends[n + 1] |= ends[n] && (segments.is_some() || *byte != b'/');
            }
        } else {
            for (n, byte) in path.iter().enumerate().rev() {
                ends[n + 1] = ends[n] && byte == first;
            }
            ends[0] = false;
        }
    }
    ends[path.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_star_stays_within_a_segment_and_two_do_not() {
        for (pattern, path, expected) in [
            ("/repos/acme/*", "/repos/acme/gadgets", true),
            ("/repos/acme/*", "/repos/acme/gadgets/pulls", false),
            ("/repos/acme/**", "/repos/acme/gadgets/pulls", true),
            ("/repos/*/gadgets", "/repos/acme/gadgets", true),
            ("/repos/*/gadgets/**", "/repos/a/b/gadgets/c", false),
            ("/repos/**/pulls/*", "/repos/acme/gadgets/pulls/1", true),
            ("/repos/**/pulls/*", "/repos/acme/gadgets/pulls/1/x", false),
            ("**/pulls", "/repos/acme/gadgets/pulls", true),
            ("/repos/a*e/*", "/repos/acme/gadgets", true),
            ("/repos/*d*s", "/repos/gadgets", true),
            ("/user", "/user", true),
            ("/user", "/users", false),
            ("/us.r", "/user", false),
            ("/a+(b)[c]*", "/a+(b)[c]d", true),
            ("*", "/user", false),
            ("*", "", true),
            ("", "", true),
            ("", "/", false),
            ("/ä*", "/äö", true),
        ] {
            assert_eq!(matches(pattern, path), expected, "{pattern} {path}");
        }
    }
}
