//! The headers of responses in the documents.

use serde_json::{Map, Value, json};

/// A header that the documents list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Header {
    ETag,
    LastModified,
    Link,
    Location,
    PollInterval,
    RateLimitLimit,
    RateLimitRemaining,
    RateLimitReset,
    RetryAfter,
}

impl Header {
    const ALL: [Self; 9] = [
        Self::ETag,
        Self::LastModified,
        Self::Link,
        Self::Location,
        Self::PollInterval,
        Self::RateLimitLimit,
        Self::RateLimitRemaining,
        Self::RateLimitReset,
        Self::RetryAfter,
    ];

    /// The headers of every response of the forge's API.
    pub const RATE_LIMIT: [Self; 3] = [
        Self::RateLimitLimit,
        Self::RateLimitRemaining,
        Self::RateLimitReset,
    ];

    /// The statuses of the responses with a header that an operation declares.
    pub fn statuses(self) -> &'static [&'static str] {
        match self {
            Self::Location => &["201"],
            _ => &["200", "304"],
        }
    }

    /// The name, the type and the description. The tests fail if a header is not sent whose
    /// description does not tell when it is omitted.
    #[rustfmt::skip]
    fn describe(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::ETag => ("ETag", "string", "The version of the response. Send it in `If-None-Match` to get 304 while nothing has changed."),
            Self::LastModified => ("Last-Modified", "string", "When the resource last changed, as an HTTP date. Omitted if that is not known."),
            Self::Link => ("Link", "string", "The URLs of other pages, by relation: `prev` and `next`, and in lists with page numbers `first` and `last`. Omitted if there is only one page."),
            Self::Location => ("Location", "string", "The API URL of the new resource."),
            Self::PollInterval => ("X-Poll-Interval", "integer", "The number of seconds to wait before polling again."),
            Self::RateLimitLimit => ("X-RateLimit-Limit", "integer", "The maximum number of requests per hour. Omitted if the request is not limited."),
            Self::RateLimitRemaining => ("X-RateLimit-Remaining", "integer", "The number of requests that remain in the current window. Omitted if the request is not limited."),
            Self::RateLimitReset => ("X-RateLimit-Reset", "integer", "When the current window resets, in seconds since the Unix epoch. Omitted if the request is not limited."),
            Self::RetryAfter => ("Retry-After", "integer", "The number of seconds to wait before the next attempt. Omitted unless a secondary rate limit was exceeded, or the server is overloaded."),
        }
    }
}

/// The definitions of all headers.
pub fn definitions() -> Value {
    let definitions = Header::ALL.map(|header| {
        let (_, kind, description) = header.describe();
        let definition = json!({"description": description, "schema": {"type": kind}});
        (format!("{header:?}"), definition)
    });
    Value::Object(definitions.into_iter().collect())
}

/// References to the definitions, in the order of the definitions.
pub fn references(headers: &[Header]) -> Value {
    let listed = Header::ALL.into_iter().filter(|one| headers.contains(one));
    let references = listed.map(|header| {
        let reference = json!({"$ref": format!("#/components/headers/{header:?}")});
        (header.describe().0.to_owned(), reference)
    });
    Value::Object(references.collect::<Map<_, _>>())
}
