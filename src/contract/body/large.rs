//! Bodies with a whole file in them. They are received only when the operation asks for
//! them: after it has found that the caller is allowed in, and under a limit of its own.

use std::marker::PhantomData;

use poem::http::header;
use poem::{Request, RequestBody, Result};
use poem_openapi::registry::{MetaRequest, Registry};
use poem_openapi::{ApiExtractor, ApiExtractorType, ExtractParamOptions};

use super::super::reply::Outcome;
use super::{BODY_LIMIT, Readable, bytes, json, meta, read, taken};

/// A large body may hold this many bytes: a file of 24 MiB in Base64.
pub const LARGE_BODY_LIMIT: usize = 32 << 20;

/// The body of a request, which may be large.
#[derive(Debug)]
pub struct LargeBody<T> {
    body: Outcome<poem::Body>,
    /// Whether it is, or may be, larger than other bodies.
    pub is_large: bool,
    form: PhantomData<fn() -> T>,
}

impl<T: Readable> LargeBody<T> {
    /// Receives the body.
    pub async fn receive(self) -> Outcome<Vec<u8>> {
        bytes(self.body?, LARGE_BODY_LIMIT).await
    }

    /// What a received body says, or why it is invalid. CPU only.
    pub fn parse(received: &[u8]) -> Outcome<T> {
        json(received, T::LIST).and_then(read)
    }
}

impl<'a, T: Readable + Send> ApiExtractor<'a> for LargeBody<T> {
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
        let length = request.headers().get(header::CONTENT_LENGTH);
        let length = length.and_then(|value| value.to_str().ok()?.parse::<usize>().ok());
        Ok(Self {
            body: taken(request, body),
            is_large: length.is_none_or(|length| length > BODY_LIMIT),
            form: PhantomData,
        })
    }
}
