//! A JSON request body: parsed, validated against its published schema, then
//! deserialized. poem-openapi's own payload names the type that failed and never the
//! field, and refuses content types that real clients send.

mod large;

use std::io::ErrorKind;

use poem::error::ReadBodyError;
use poem::http::header;
use poem::{Request, RequestBody, Result};
use poem_openapi::registry::{MetaMediaType, MetaRequest, MetaSchemaRef, Registry};
use poem_openapi::types::Type;
use poem_openapi::{ApiExtractor, ApiExtractorType, ExtractParamOptions};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::problem::Problem;
use super::reply::Outcome;
use super::schema;
pub use large::{LARGE_BODY_LIMIT, LargeBody};

/// A body may hold this many bytes. The longest that means anything is a
/// comment of 65,536 characters, escaped.
pub const BODY_LIMIT: usize = 1 << 20;

/// The body of a request: a JSON object of the form `T`, or what is wrong with
/// it. Who may call comes first: an operation asks for the body only after it
/// has found that the caller is allowed in.
#[derive(Debug)]
pub struct Body<T>(Outcome<T>);

impl<T> Body<T> {
    /// The body, or why it is invalid.
    pub fn validated(self) -> Outcome<T> {
        self.0
    }

    /// The same body in another form.
    pub fn map<U>(self, form: impl FnOnce(T) -> U) -> Body<U> {
        Body(self.0.map(form))
    }
}

impl<T> From<T> for Body<T> {
    fn from(body: T) -> Self {
        Self(Ok(body))
    }
}

/// A form that a JSON body can have.
pub trait Readable: Type + DeserializeOwned {
    /// Whether there must be one: no body is the same as an empty object.
    const REQUIRED: bool = true;

    /// The field that a list stands for, if a body may be just that list.
    const LIST: Option<&'static str> = None;

    /// What is forgiven before the body is validated. Most bodies
    /// forgive nothing.
    fn prepare(_body: &mut Value) {}
}

/// Validates a JSON value against the schema of `T`, and deserializes it. World files pass through here as well as requests.
pub fn read<T: Readable>(mut value: Value) -> Outcome<T> {
    T::prepare(&mut value);
    let components = super::components();
    let name = match T::schema_ref() {
        MetaSchemaRef::Reference(name) => name,
        MetaSchemaRef::Inline(_) => T::name().into_owned(),
    };
    let published = components.get(&name).unwrap_or(&Value::Null);
    let found = schema::violations(&value, published, components);
    if !found.is_empty() {
        return Err(Problem::Malformed(found));
    }
    serde_path_to_error::deserialize(value).map_err(|cause| {
        Problem::Malformed(vec![format!("For '{}', {}", cause.path(), cause.inner())])
    })
}

/// The encoding of a body that is not sent as it is. None is understood: a small
/// one could stand for gigabytes.
fn encoded(request: &Request) -> Option<String> {
    let encodings = request.headers().get_all(header::CONTENT_ENCODING).iter();
    encodings
        .map(|value| String::from_utf8_lossy(value.as_bytes()).trim().to_owned())
        .find(|encoding| !encoding.is_empty() && !encoding.eq_ignore_ascii_case("identity"))
}

fn unreadable(cause: ReadBodyError) -> Problem {
    match cause {
        ReadBodyError::PayloadTooLarge => Problem::TooLarge,
        ReadBodyError::Io(cause) if cause.kind() == ErrorKind::TimedOut => Problem::Late,
        _ => Problem::BadRequest("The request body could not be read".into()),
    }
}

/// Takes the body of a request, unless it is encoded.
fn taken(request: &Request, body: &mut RequestBody) -> Outcome<poem::Body> {
    match encoded(request) {
        Some(encoding) => Err(Problem::Encoded(encoding)),
        None => body.take().map_err(unreadable),
    }
}

async fn bytes(body: poem::Body, most: usize) -> Outcome<Vec<u8>> {
    let bytes = body.into_bytes_limit(most).await.map_err(unreadable)?;
    Ok(bytes.into())
}

fn json(bytes: &[u8], list: Option<&str>) -> Outcome<Value> {
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

/// The body of a request as a JSON object, whatever is in it. A list stands for an object
/// with this one field, if a field is named.
pub async fn object(
    request: &Request,
    body: &mut RequestBody,
    list: Option<&str>,
) -> Outcome<Value> {
    json(&bytes(taken(request, body)?, BODY_LIMIT).await?, list)
}

/// What the document says of a body.
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
        Ok(Self(object(request, body, T::LIST).await.and_then(read)))
    }
}
