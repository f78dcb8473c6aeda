//! A JSON request body: parsed, validated against its published schema, then
//! deserialized. poem-openapi's own payload reports the type that failed but not the field,
//! and rejects content types that real clients send.

mod large;

use std::io::ErrorKind;

use poem::error::ReadBodyError;
use poem::http::header;
use poem::{Request, RequestBody, Result};
use poem_openapi::registry::{MetaMediaType, MetaRequest, Registry};
use poem_openapi::types::Type;
use poem_openapi::{ApiExtractor, ApiExtractorType, ExtractParamOptions};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::task::spawn_blocking;

use super::problem::Problem;
use super::reply::Outcome;
use super::{schemas, validation};
pub use large::{LARGE_BODY_LIMIT, LargeBody};

/// The maximum size of a body in bytes. The longest valid comment has 262,144 bytes,
/// which escaping at most triples, except for control characters.
pub const BODY_LIMIT: usize = 1 << 20;

/// Bytes of a body that are parsed on the serving thread.
const READ_IN_PLACE: usize = 64 * 1024;

/// The body of a request: a valid `T`, or the reason why it is invalid. Authorization comes
/// first: an operation calls `validated` only after it has authorized the caller.
#[derive(Debug)]
pub struct Body<T>(Outcome<T>);

impl<T> Body<T> {
    /// The body, or why it is invalid.
    pub fn validated(self) -> Outcome<T> {
        self.0
    }

    /// Converts the body, if it is valid.
    pub fn map<U>(self, convert: impl FnOnce(T) -> U) -> Body<U> {
        Body(self.0.map(convert))
    }
}

impl<T> From<T> for Body<T> {
    fn from(body: T) -> Self {
        Self(Ok(body))
    }
}

/// A type that a JSON body can be deserialized into.
pub trait Readable: Type + DeserializeOwned + 'static {
    /// Whether the document declares the body as required. An empty body is always read as an
    /// empty object.
    const REQUIRED: bool = true;

    /// The field that holds the items if the body is an array. None if it must be an object.
    const LIST: Option<&'static str> = None;

    /// Normalizes input that would otherwise fail validation. Most bodies need no such leniency.
    fn prepare(_body: &mut Value) {}
}

/// Validates a JSON value against the schema of `T` and deserializes it. Both requests and world
/// files use it.
pub fn read<T: Readable>(mut value: Value) -> Outcome<T> {
    T::prepare(&mut value);
    let published = schemas::of_body::<T>();
    let found = validation::violations(&value, &published.root, &published.components);
    if !found.is_empty() {
        return Err(Problem::Malformed(found));
    }
    serde_path_to_error::deserialize(value).map_err(|cause| {
        Problem::Malformed(vec![format!("For '{}', {}", cause.path(), cause.inner())])
    })
}

/// The encoding of the body other than `identity`. None is supported: a small body could
/// decompress to gigabytes.
fn unsupported_encoding(request: &Request) -> Option<String> {
    let encodings = request.headers().get_all(header::CONTENT_ENCODING).iter();
    encodings
        .map(|value| String::from_utf8_lossy(value.as_bytes()).trim().to_owned())
        .find(|encoding| !encoding.is_empty() && !encoding.eq_ignore_ascii_case("identity"))
}

fn unreadable(cause: ReadBodyError) -> Problem {
    match cause {
        ReadBodyError::PayloadTooLarge => Problem::TooLarge,
        ReadBodyError::Io(cause) if cause.kind() == ErrorKind::TimedOut => Problem::RequestTimeout,
        ReadBodyError::Io(cause) if cause.kind() == ErrorKind::OutOfMemory => {
            Problem::Unavailable(cause.into())
        }
        _ => Problem::BadRequest("The request body could not be read".into()),
    }
}

/// Takes the body of a request, unless it is encoded.
fn take_body(request: &Request, body: &mut RequestBody) -> Outcome<poem::Body> {
    match unsupported_encoding(request) {
        Some(encoding) => Err(Problem::Encoded(encoding)),
        None => body.take().map_err(unreadable),
    }
}

async fn read_bytes(body: poem::Body, limit: usize) -> Outcome<Vec<u8>> {
    let bytes = body.into_bytes_limit(limit).await.map_err(unreadable)?;
    Ok(bytes.into())
}

/// The most values of a body. In memory, a value can take 40 times as many bytes as in the body.
const MOST_VALUES: usize = 250_000;

/// An upper bound of the values of a JSON text.
fn most_values(text: &[u8]) -> usize {
    let (mut count, mut quoted, mut escaped) = (1, false, false);
    for byte in text {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = quoted,
            b'"' => quoted = !quoted,
            b',' | b':' | b'[' | b'{' if !quoted => count += 1,
            _ => {}
        }
    }
    count
}

fn parse_object(bytes: &[u8], list: Option<&str>) -> Outcome<Value> {
    if most_values(bytes) > MOST_VALUES {
        let reason = format!("The body has more than {MOST_VALUES} values");
        return Err(Problem::BadRequest(reason.into()));
    }
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Ok(Value::Object(serde_json::Map::new()));
    }
    match (serde_json::from_slice(bytes), list) {
        (Ok(value @ Value::Object(_)), _) => Ok(value),
        (Ok(value @ Value::Array(_)), Some(field)) => Ok(json!({ field: value })),
        (Ok(_), _) => Err(Problem::BadRequest("Body should be a JSON object".into())),
        (Err(_), _) => Err(Problem::BadRequest("Problems parsing JSON".into())),
    }
}

/// The body of a request as a JSON object, without validation. If `list` names a field, an
/// array is read as an object with that one field. A body of more than `limit` bytes is refused.
pub async fn object(
    request: &Request,
    body: &mut RequestBody,
    list: Option<&str>,
    limit: usize,
) -> Outcome<Value> {
    let bytes = read_bytes(take_body(request, body)?, limit).await?;
    parse_object(&bytes, list)
}

/// The description of a body in the OpenAPI document.
fn meta<T: Readable>() -> MetaRequest {
    MetaRequest {
        description: None,
        content: vec![MetaMediaType {
            content_type: "application/json",
            schema: T::schema_ref(),
        }],
        required: T::REQUIRED,
    }
}

impl<'a, T: Readable + Send> ApiExtractor<'a> for Body<T> {
    const TYPES: &'static [ApiExtractorType] = &[ApiExtractorType::RequestObject];
    type ParamType = ();
    type ParamRawType = ();

    fn register(registry: &mut Registry) {
        T::register(registry);
    }

    fn request_meta() -> Option<MetaRequest> {
        Some(meta::<T>())
    }

    async fn from_request(
        request: &'a Request,
        body: &mut RequestBody,
        _options: ExtractParamOptions<Self::ParamType>,
    ) -> Result<Self> {
        let received = async { read_bytes(take_body(request, body)?, BODY_LIMIT).await };
        let received = match received.await {
            Ok(received) => received,
            Err(problem) => return Ok(Self(Err(problem))),
        };
        let is_long = received.len() > READ_IN_PLACE;
        let read = move || parse_object(&received, T::LIST).and_then(read);
        Ok(Self(match is_long {
            true => spawn_blocking(read).await.map_err(Problem::internal)?,
            false => read(),
        }))
    }
}
