//! The headers of a message without their credentials, in one allocation: the headers of every
//! request are recorded, and few are ever read.

use poem::http::HeaderMap;

use super::credentials;

/// Lines of `name:value`. Neither has a line break, and names have no colon.
#[derive(Debug, Default)]
pub struct Headers(Vec<u8>);

impl Headers {
    pub fn of(headers: &HeaderMap) -> Self {
        let bytes = headers
            .iter()
            .map(|(name, value)| name.as_str().len() + value.len() + 2);
        let mut lines = Vec::with_capacity(bytes.sum());
        for (name, value) in headers {
            lines.extend_from_slice(name.as_str().as_bytes());
            lines.push(b':');
            lines.extend_from_slice(&credentials::redacted(name, value));
            lines.push(b'\n');
        }
        Self(lines)
    }

    /// Names and values, in the order in which they were sent.
    pub fn iter(&self) -> impl Iterator<Item = (String, String)> {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let lines = self.0.split(|byte| *byte == b'\n');
        lines.filter_map(move |line| {
            let colon = line.iter().position(|byte| *byte == b':')?;
            Some((text(&line[..colon]), text(&line[colon + 1..])))
        })
    }

    pub fn get(&self, name: &str) -> Option<String> {
        let mut lines = self.iter();
        lines.find(|(other, _)| other == name).map(|line| line.1)
    }

    pub fn weight(&self) -> usize {
        self.0.capacity()
    }
}

#[cfg(test)]
mod tests {
    use poem::http::{HeaderMap, HeaderValue};

    use super::*;

    #[test]
    fn headers_are_read_as_they_were_sent_and_without_credentials() {
        let mut headers = HeaderMap::new();
        for (name, value) in [
            ("accept", "text/html: yes"),
            ("authorization", "Basic YWxpY2U6Z2hwXzAxMjM0NTY3ODlhYmNk"),
            ("cookie", "session=1"),
            ("x-empty", ""),
        ] {
            headers.insert(name, HeaderValue::from_static(value));
        }
        headers.append("accept", HeaderValue::from_static("b"));
        let recorded = Headers::of(&headers);
        let line = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(
            recorded.iter().collect::<Vec<_>>(),
            [
                line("accept", "text/html: yes"),
                line("accept", "b"),
                line("authorization", "Basic ghp_…abcd"),
                line("cookie", "(hidden)"),
                line("x-empty", ""),
            ]
        );
        assert_eq!(recorded.get("cookie").as_deref(), Some("(hidden)"));
        assert_eq!(recorded.get("host"), None);
    }
}
