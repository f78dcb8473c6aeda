//! A request as an operation sees it: the caller, the requested API version and media type, the
//! base URL for links, and the operation. `web/` creates the context before routing. The
//! extractors below pass it to the endpoints and add the security requirement to the document.

use std::net::IpAddr;
use std::ops::Deref;
use std::sync::Arc;

use poem_openapi::registry::MetaSecurityScheme;

use super::caller::Caller;
use super::media::{Form, Media};
use super::operation::{Operation, Rule};
use super::problem::Problem;
use super::reply::Outcome;
use super::version::ApiVersion;

/// The context of a request before routing. It is cloned once per request, so cloning must stay
/// cheap.
#[derive(Debug, Clone)]
pub struct RequestContext {
    pub caller: Arc<Caller>,
    /// The IP address of the client, for the rate limit of anonymous callers.
    pub address: Option<IpAddr>,
    pub media: Media,
    /// The form that the caller prefers to JSON.
    pub form: Option<Form>,
    pub version: ApiVersion,
    /// Scheme, host and port: `http://127.0.0.1:8080`.
    pub origin: Arc<str>,
    /// `/api/v3` if the requested path has that prefix, otherwise empty.
    pub prefix: &'static str,
    /// The requested path without the prefix, still percent-encoded.
    pub path: String,
    /// The query string, still percent-encoded.
    pub query: String,
}

/// A call of an operation.
#[derive(Debug, Clone)]
pub struct Call {
    context: RequestContext,
    pub operation: &'static Operation,
}

impl Call {
    /// Falls back to JSON if the operation does not have the preferred form.
    pub fn new(mut context: RequestContext, operation: &'static Operation) -> Self {
        let offered = |form: &Form| operation.forms.contains(form);
        context.form = context.form.filter(offered);
        Self { context, operation }
    }

    /// The access rule of the operation. An operation that looks nothing up has none and must not
    /// call this.
    pub fn rule(&self) -> Outcome<&'static Rule> {
        let rule = self.operation.rule.as_ref();
        rule.ok_or_else(|| Problem::internal("an operation without an access rule checks access"))
    }
}

impl Deref for Call {
    type Target = RequestContext;

    fn deref(&self) -> &RequestContext {
        &self.context
    }
}

/// The extractor of operations that require a credential.
pub struct RequiredToken(pub RequestContext);

/// The extractor of operations that anonymous callers can use on public resources.
pub struct OptionalToken(pub RequestContext);

/// The extractor of operations for apps, which authenticate with a JSON web token.
pub struct AppToken(pub RequestContext);

pub(super) const TOKEN: MetaSecurityScheme = MetaSecurityScheme {
    ty: "http",
    description: Some(
        "Any token of the service: a personal access token (classic or fine-grained), an OAuth \
         token, an app user token or an installation token, which expires 60 minutes after it was \
         issued. The scheme `token` is accepted in \
         place of `Bearer`, and so is `Basic` with the token as the password, or as the user name \
         with no password.\n\nThe demo world has `ghp_demo_alice_admin` (administers acme), \
         `ghp_demo_bob_member` (is a member of acme), `ghu_demo_alice_ci_bot` (alice through the \
         app ci-bot) and `ghs_demo_ci_bot_acme` (the app itself). They are public: for local use \
         only.",
    ),
    name: None,
    key_in: None,
    scheme: Some("bearer"),
    bearer_format: None,
    flows: None,
    openid_connect_url: None,
};

const APP: MetaSecurityScheme = MetaSecurityScheme {
    description: Some(
        "A JSON web token that the app signs with its private key (RS256). The issuer is the \
         client ID or the app ID. Only the scheme `Bearer` is accepted.",
    ),
    bearer_format: Some("JWT"),
    ..TOKEN
};

/// Makes a type the extractor of a context that `web/` has added to the request, and declares
/// its security scheme.
macro_rules! extractor {
    ($type:ident($context:ty), $scheme:literal, $definition:ident, anonymous: $anonymous:literal) => {
        impl<'a> poem_openapi::ApiExtractor<'a> for $type {
            const TYPES: &'static [poem_openapi::ApiExtractorType] =
                &[poem_openapi::ApiExtractorType::SecurityScheme];
            type ParamType = ();
            type ParamRawType = ();

            fn register(registry: &mut poem_openapi::registry::Registry) {
                registry.create_security_scheme($scheme, $definition);
            }

            fn security_schemes() -> Vec<&'static str> {
                vec![$scheme]
            }

            fn has_security_fallback() -> bool {
                $anonymous
            }

            async fn from_request(
                request: &'a poem::Request,
                _body: &mut poem::RequestBody,
                _options: poem_openapi::ExtractParamOptions<()>,
            ) -> poem::Result<Self> {
                let context = request.extensions().get::<$context>().cloned();
                let missing = || Problem::internal("an operation was called without its context");
                Ok(Self(context.ok_or_else(missing)?))
            }
        }
    };
}

pub(super) use extractor;

extractor!(RequiredToken(RequestContext), "token", TOKEN, anonymous: false);
extractor!(OptionalToken(RequestContext), "token", TOKEN, anonymous: true);
extractor!(AppToken(RequestContext), "app", APP, anonymous: false);
