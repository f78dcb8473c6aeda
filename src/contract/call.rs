//! One request, as an operation sees it: who calls, which version and media
//! type are wanted, the address that the caller used, from which links are built,
//! and which operation is called. `web/` fills in the context before routing; the
//! extractors below hand it to the endpoints and put the security requirement into
//! the document.

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

/// What is known of a request before an operation is chosen. Cloning it is cheap
/// enough to do once for each request.
#[derive(Debug, Clone)]
pub struct RequestContext {
    pub caller: Arc<Caller>,
    /// Where the request came from, by which anonymous callers are counted.
    pub address: Option<IpAddr>,
    pub media: Media,
    /// What the caller would rather have than the usual JSON.
    pub form: Option<Form>,
    pub version: ApiVersion,
    /// Scheme, host and port: `http://127.0.0.1:8080`.
    pub origin: Arc<str>,
    /// `/api/v3` if the caller came that way, or nothing.
    pub prefix: &'static str,
    /// The path as it was asked for, without the prefix, still encoded.
    pub path: String,
    /// The query as it was asked for, still encoded.
    pub query: String,
}

/// One call of one operation.
#[derive(Debug, Clone)]
pub struct Call {
    context: RequestContext,
    pub operation: &'static Operation,
}

impl Call {
    /// A form that the operation does not have means the usual JSON.
    pub fn new(mut context: RequestContext, operation: &'static Operation) -> Self {
        let offered = |form: &Form| operation.forms.contains(form);
        context.form = context.form.filter(offered);
        Self { context, operation }
    }

    /// Who may call the operation. Those that look nothing up declare no rule, and
    /// must not ask.
    pub fn rule(&self) -> Outcome<&'static Rule> {
        let rule = self.operation.rule.as_ref();
        rule.ok_or_else(|| Problem::internal("an operation without a rule looks something up"))
    }
}

impl Deref for Call {
    type Target = RequestContext;

    fn deref(&self) -> &RequestContext {
        &self.context
    }
}

/// An operation that needs a credential.
pub struct RequiredToken(pub RequestContext);

/// An operation that anybody may call on public resources.
pub struct OptionalToken(pub RequestContext);

/// An operation for apps, which sign a JSON web token.
pub struct AppToken(pub RequestContext);

pub(super) const TOKEN: MetaSecurityScheme = MetaSecurityScheme {
    ty: "http",
    description: Some(
        "Any token of the service: a personal access token (classic or fine-grained), an OAuth \
         token, an app user token or an installation token. The scheme `token` is accepted in \
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
        "A JSON web token that an app has signed with its private key (RS256), with its client id \
         or app id as issuer. It is accepted with the scheme `Bearer` only.",
    ),
    bearer_format: Some("JWT"),
    ..TOKEN
};

/// Lets a type hand an operation what `web/` put into the request, and declare its scheme.
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
                let missing = || Problem::internal("a request reached an operation unidentified");
                Ok(Self(context.ok_or_else(missing)?))
            }
        }
    };
}

pub(super) use extractor;

extractor!(RequiredToken(RequestContext), "token", TOKEN, anonymous: false);
extractor!(OptionalToken(RequestContext), "token", TOKEN, anonymous: true);
extractor!(AppToken(RequestContext), "app", APP, anonymous: false);
