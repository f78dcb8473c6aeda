//! The parsed request headers.

use std::borrow::Cow;

use poem::Request;
use poem::http::{HeaderMap, HeaderValue, header};

use super::messages::{reject_two_credentials, reject_unreadable};
use crate::web::address::RequestUrl;
use crate::web::answers::Representation;
use crate::web::compression::Encoding;
use crate::web::headers::Facts;
use crate::web::{answers, version};
use contract::media::NegotiatedMedia;
use contract::problem::Problem;
use contract::version::ApiVersion;
use forge::access::credential::Credential;
use storage::cache::Key;

/// The parsed request headers. An invalid media type is reported after an invalid
/// credential, so both are kept until then.
pub struct RequestHead<'a> {
    pub version: ApiVersion,
    pub accepted: Result<NegotiatedMedia, Problem>,
    encoding: Option<Encoding>,
    indented: bool,
    pub credential: Result<Credential<'a>, Problem>,
}

impl<'a> RequestHead<'a> {
    pub fn of(
        request: &'a Request,
        address: &RequestUrl,
        facts: &mut Facts,
    ) -> Result<Self, Problem> {
        reject_unreadable(address)?;
        reject_two_credentials(request.headers())?;
        let version = version::selected(request.headers())?;
        facts.version = Some(version);
        facts.encoding = Encoding::preferred(request.headers());
        let authorization = request.headers().get(header::AUTHORIZATION);
        let accept = accept_list(request.headers());
        let accepted = NegotiatedMedia::of(accept.as_deref());
        let requested = || accept.as_deref().unwrap_or_default().to_owned();
        let accepted = accepted.ok_or_else(|| Problem::Unacceptable(requested()));
        Ok(Self {
            version,
            encoding: facts.encoding,
            indented: facts.indented,
            accepted: accepted.map(|mut accepted| {
                facts.media_parameter = accepted.parameter.take();
                accepted
            }),
            credential: Credential::of(authorization.map(HeaderValue::as_bytes)),
        })
    }

    /// The token of the request, if there is one.
    pub fn token(&self) -> Credential<'static> {
        match &self.credential {
            Ok(Credential::Token(hash)) => Credential::Token(hash.clone()),
            _ => Credential::None,
        }
    }

    pub fn key(&self, address: &RequestUrl, now: i64) -> Option<Key> {
        let accepted = self.accepted.as_ref().ok()?;
        let credential = self.credential.as_ref().ok()?;
        let form = Representation {
            media: accepted.media,
            form: accepted.form,
            version: self.version,
            encoding: self.encoding,
            indented: self.indented,
        };
        answers::key(credential, form, address, now)
    }
}

/// The `Accept` header. Several lines are one list (RFC 9110, 5.3).
fn accept_list(headers: &HeaderMap) -> Option<Cow<'_, str>> {
    let lines = headers.get_all(header::ACCEPT).iter();
    lines
        .map(|line| String::from_utf8_lossy(line.as_bytes()))
        .filter(|line| !line.trim().is_empty())
        .reduce(|mut list, line| {
            list += ", ";
            list += line;
            list
        })
}
