//! What the head of a request asks for.

use poem::Request;
use poem::http::{HeaderValue, header};

use super::messages::{refuse_two_credentials, refuse_unreadable};
use crate::access::credential::Credential;
use crate::cache::Key;
use crate::contract::media::{Accepted, Media};
use crate::contract::problem::Problem;
use crate::contract::version::ApiVersion;
use crate::web::address::Address;
use crate::web::answers::Form;
use crate::web::compression::Encoding;
use crate::web::headers::Facts;
use crate::web::{answers, version};

/// What the headers of a request ask for. A wrong media type is refused after a wrong
/// credential, so both are kept until then.
pub struct Asked<'a> {
    pub version: ApiVersion,
    pub media: Result<Media, Problem>,
    encoding: Option<Encoding>,
    indented: bool,
    pub credential: Result<Credential<'a>, Problem>,
}

impl<'a> Asked<'a> {
    pub fn of(request: &'a Request, address: &Address, facts: &mut Facts) -> Result<Self, Problem> {
        refuse_unreadable(address)?;
        refuse_two_credentials(request.headers())?;
        let version = version::selected(request.headers())?;
        facts.version = Some(version);
        facts.encoding = Encoding::preferred(request.headers());
        let authorization = request.headers().get(header::AUTHORIZATION);
        let accept = request.headers().get(header::ACCEPT);
        let accept = accept.map(|value| String::from_utf8_lossy(value.as_bytes()));
        let accepted = Accepted::of(accept.as_deref());
        let accepted =
            accepted.ok_or_else(|| Problem::Unacceptable(accept.unwrap_or_default().into_owned()));
        Ok(Self {
            version,
            encoding: facts.encoding,
            indented: facts.indented,
            media: accepted.map(|accepted| {
                facts.media_parameter = accepted.parameter;
                accepted.media
            }),
            credential: Credential::of(authorization.map(HeaderValue::as_bytes)),
        })
    }

    /// The token that came, if one did.
    pub fn token(&self) -> Credential<'static> {
        match &self.credential {
            Ok(Credential::Token(hash)) => Credential::Token(hash.clone()),
            _ => Credential::None,
        }
    }

    pub fn key(&self, address: &Address, now: i64) -> Option<Key> {
        let (media, credential) = (self.media.as_ref().ok()?, self.credential.as_ref().ok()?);
        let form = Form {
            media: *media,
            version: self.version,
            encoding: self.encoding,
            indented: self.indented,
        };
        answers::key(credential, form, address, now)
    }
}
