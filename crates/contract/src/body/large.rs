//! Bodies that contain a whole file. The operation receives them only after it has authorized
//! the caller. Their limit is larger than that of other bodies.

use std::marker::PhantomData;

use poem::http::header;
use poem::{Request, RequestBody, Result};
use poem_openapi::registry::{MetaRequest, Registry};
use poem_openapi::{ApiExtractor, ApiExtractorType, ExtractParamOptions};

use super::super::reply::Outcome;
use super::{BODY_LIMIT, Readable, meta, parse_object, read, read_bytes, take_body};

/// The maximum size of a large body in bytes: a file of 24 MiB in Base64.
pub const LARGE_BODY_LIMIT: usize = 32 << 20;

/// The body of a request that may be large.
#[derive(Debug)]
pub struct LargeBody<T> {
    body: Outcome<poem::Body>,
    /// Whether it is, or may be, larger than `BODY_LIMIT`.
    pub is_large: bool,
    form: PhantomData<fn() -> T>,
}

impl<T: Readable> LargeBody<T> {
    /// Receives the body.
    pub async fn receive(self) -> Outcome<Vec<u8>> {
        read_bytes(self.body?, LARGE_BODY_LIMIT).await
    }

    /// Parses and validates a received body. CPU-bound.
    pub fn parse(received: &[u8]) -> Outcome<T> {
        parse_object(received, T::LIST).and_then(read)
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
            body: take_body(request, body),
            is_large: length.is_none_or(|length| length > BODY_LIMIT),
            form: PhantomData,
        })
    }
}
