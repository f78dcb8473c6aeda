//! Responses in forms other than JSON: diffs, patches, raw content. The `forms` of an operation
//! list them. As in GitHub's OpenAPI description, the documents mention them in prose only,
//! because generated clients expect JSON.

use poem::http::{HeaderValue, StatusCode, header};
use poem::{IntoResponse, Response};
use poem_openapi::ApiResponse;
use poem_openapi::registry::{MetaResponses, Registry};
use poem_openapi::types::Type;
use serde::Serialize;

use super::media::Form;
use super::reply::{Reply, Streamed, Uncacheable};

/// Larger bodies are not cached.
const MAX_CACHED_BYTES: usize = 1 << 20;

/// A response as JSON or in another form.
#[derive(Debug)]
pub enum Formed<T> {
    Json(Reply<200, T>),
    Other(Form, Vec<u8>),
    /// Produced while it is sent, with a tag that changes whenever it does.
    Streamed(Form, Streamed, String),
}

impl<T> Formed<T> {
    /// Converts the JSON.
    pub fn map<U>(self, convert: impl FnOnce(T) -> U) -> Formed<U> {
        match self {
            Self::Json(reply) => Formed::Json(Reply::new(convert(reply.body))),
            Self::Other(form, bytes) => Formed::Other(form, bytes),
            Self::Streamed(form, streamed, tag) => Formed::Streamed(form, streamed, tag),
        }
    }
}

impl<T: Serialize + Send> IntoResponse for Formed<T> {
    fn into_response(self) -> Response {
        let (form, bytes, streamed) = match self {
            Self::Json(reply) => return reply.into_response(),
            Self::Other(form, bytes) => (form, bytes, None),
            Self::Streamed(form, streamed, tag) => (form, Vec::new(), Some((streamed, tag))),
        };
        let content_type = format!("application/vnd.github.{}; charset=utf-8", form.as_str());
        let large = bytes.len() > MAX_CACHED_BYTES || streamed.is_some();
        let mut response = Response::builder().status(StatusCode::OK).body(bytes);
        if let Ok(content_type) = HeaderValue::from_str(&content_type) {
            let headers = response.headers_mut();
            headers.insert(header::CONTENT_TYPE, content_type);
        }
        if large {
            response.set_data(Uncacheable);
        }
        if let Some((streamed, tag)) = streamed {
            if let Ok(tag) = HeaderValue::from_str(&format!("\"{tag}\"")) {
                response.headers_mut().insert(header::ETAG, tag);
            }
            response.set_data(streamed);
        }
        response
    }
}

impl<T: Type> ApiResponse for Formed<T> {
    fn meta() -> MetaResponses {
        Reply::<200, T>::meta()
    }

    fn register(registry: &mut Registry) {
        T::register(registry);
    }
}
