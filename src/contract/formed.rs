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
use super::reply::{Reply, Uncacheable};

/// Larger bodies are not cached.
const MAX_CACHED_BYTES: usize = 1 << 20;

/// A response as JSON or in another form.
#[derive(Debug)]
pub enum Formed<T> {
    Json(Reply<200, T>),
    Other(Form, Vec<u8>),
}

impl<T: Serialize + Send> IntoResponse for Formed<T> {
    fn into_response(self) -> Response {
        let (form, bytes) = match self {
            Self::Json(reply) => return reply.into_response(),
            Self::Other(form, bytes) => (form, bytes),
        };
        let content_type = format!("application/vnd.github.{}; charset=utf-8", form.as_str());
        let large = bytes.len() > MAX_CACHED_BYTES;
        let mut response = Response::builder().status(StatusCode::OK).body(bytes);
        if let Ok(content_type) = HeaderValue::from_str(&content_type) {
            let headers = response.headers_mut();
            headers.insert(header::CONTENT_TYPE, content_type);
        }
        if large {
            response.set_data(Uncacheable);
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
