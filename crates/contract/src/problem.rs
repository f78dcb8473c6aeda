//! The error type of the service, and its response body.
//!
//! Every error becomes a `Problem`, which has the status and the message. `documentation_url`
//! depends on the operation, so `web/failures.rs` adds it.

/// Errors of the database.
pub mod database;

use contract_macros::schema;
use std::borrow::Cow;
use std::error::Error;

use poem::error::ResponseError;
use poem::http::StatusCode;

/// The body of an error response (status 400 or above).
#[schema(rename = "Failure", example)]
pub struct FailureBody {
    /// A message that describes the error.
    pub message: String,
    /// The errors in individual parts of the request, mostly for status 422.
    pub errors: Option<Vec<FieldProblem>>,
    /// The URL of the operation's documentation.
    pub documentation_url: String,
    /// The status code of the response, as a string.
    #[schema(unpromised)]
    pub status: String,
}

impl poem_openapi::types::Example for FailureBody {
    fn example() -> Self {
        Self {
            message: "Not Found".into(),
            errors: None,
            documentation_url: DOCUMENTATION_ROOT.into(),
            status: "404".into(),
        }
    }
}

/// An error in a part of the request.
#[schema]
#[derive(PartialEq, Eq)]
pub struct FieldProblem {
    /// The type of the resource to create or update.
    #[schema(unpromised)]
    pub resource: String,
    /// The error code: `missing`, `missing_field`, `invalid`, `already_exists`,
    /// `too_large`, `unauthorized`, `unprocessable`, or `custom`, which always has a message.
    pub code: String,
    /// The name of the invalid field.
    #[schema(unpromised)]
    pub field: String,
    /// A message that describes the error.
    pub message: Option<String>,
}

impl FieldProblem {
    /// A field with an invalid value.
    pub fn invalid(resource: &'static str, field: impl Into<String>) -> Self {
        Self::of(resource, "invalid", field.into(), None)
    }

    /// A required field that is absent.
    pub fn missing(resource: &'static str, field: impl Into<String>) -> Self {
        Self::of(resource, "missing_field", field.into(), None)
    }

    /// A value that another resource of the same kind already has.
    pub fn taken(resource: &'static str, field: impl Into<String>) -> Self {
        Self::of(resource, "already_exists", field.into(), None)
    }

    /// A part of a response that is too large.
    pub fn too_large(resource: &'static str, field: impl Into<String>) -> Self {
        Self::of(resource, "too_large", field.into(), None)
    }

    /// A field that the caller may not use in this way.
    pub fn unauthorized(resource: &'static str, field: impl Into<String>) -> Self {
        Self::of(resource, "unauthorized", field.into(), None)
    }

    /// An error that only its message explains.
    pub fn custom(
        resource: &'static str,
        field: impl Into<String>,
        message: impl Into<String>,
    ) -> Self {
        Self::of(resource, "custom", field.into(), Some(message.into()))
    }

    /// A well-formed value that cannot be processed.
    pub fn unprocessable(
        resource: &'static str,
        field: impl Into<String>,
        message: impl Into<String>,
    ) -> Self {
        Self::of(
            resource,
            "unprocessable",
            field.into(),
            Some(message.into()),
        )
    }

    /// The same error with a message.
    #[must_use]
    pub fn because(mut self, message: impl Into<String>) -> Self {
        self.message = Some(message.into());
        self
    }

    fn of(
        resource: &'static str,
        code: &'static str,
        field: String,
        message: Option<String>,
    ) -> Self {
        Self {
            resource: resource.into(),
            code: code.into(),
            field,
            message,
        }
    }
}

/// The documentation URL if no operation was reached.
pub const DOCUMENTATION_ROOT: &str = "https://docs.github.com/rest";

const SECONDARY_LIMIT_DOCUMENTATION: &str = "https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api#about-secondary-rate-limits";
const PRIMARY_LIMIT_DOCUMENTATION: &str =
    "https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api";
const MEDIA_DOCUMENTATION: &str = "https://docs.github.com/v3/media";

/// What GitHub tells anonymous callers.
const HIGHER_LIMIT_HINT: &str = " (But here's the good news: Authenticated requests get a higher \
                                 rate limit. Check out the documentation for more details.)";

/// The error of an operation.
#[derive(Debug)]
pub enum Problem {
    /// 400: the request cannot be parsed.
    BadRequest(Cow<'static, str>),
    /// 400: a required header is invalid.
    BadHeader(FieldProblem),
    /// 401: a credential is required.
    Unauthenticated,
    /// 401: the credential is unknown, expired, revoked or malformed.
    BadCredentials(Cow<'static, str>),
    /// 403: the caller can see the resource, but may not do this.
    Forbidden(Cow<'static, str>),
    /// 403: the caller may use the operation, but not with this value of a field.
    ForbiddenField {
        resource: &'static str,
        field: &'static str,
        message: Cow<'static, str>,
    },
    /// 404: absent, or not visible to the caller.
    NotFound,
    /// 404 with a message that names what is absent.
    Absent(Cow<'static, str>),
    /// 405: not possible in the current state of the pull request.
    NotAllowed(Cow<'static, str>),
    /// 406: the diff exceeds the limit on files, lines or bytes.
    DiffTooLarge {
        resource: &'static str,
        message: Cow<'static, str>,
    },
    /// 408: the body did not arrive in time.
    RequestTimeout,
    /// 409: the state of the repository forbids it, or a concurrent change came first.
    Conflict(Cow<'static, str>),
    /// 410: the repository has the feature disabled.
    Gone(Cow<'static, str>),
    /// 413: the body exceeds the limit.
    TooLarge,
    /// 415: the client accepts no format of the service. Holds the `Accept` header.
    Unacceptable(String),
    /// 415: the body has an unsupported encoding. Holds its name.
    Encoded(String),
    /// 422 with only a message.
    Refused(Cow<'static, str>),
    /// 422: the body does not match its schema. Holds one sentence for each violation.
    Malformed(Vec<String>),
    /// 422: `Validation Failed`, with the invalid fields.
    Invalid(Vec<FieldProblem>),
    /// 403, or 429 for an injected fault: a rate limit is exceeded.
    Limited(Limit, StatusCode),
    /// 501: documented but not implemented.
    NotImplemented,
    /// 503: the database is unavailable.
    Unavailable(Box<dyn Error + Send + Sync>),
    /// 500: an internal error. The cause is logged but not sent.
    Internal(Box<dyn Error + Send + Sync>),
}

/// The limit that was exceeded.
#[derive(Debug, Clone)]
pub enum Limit {
    /// The hourly rate limit. The subject is `user ID 1` or an IP address. `X-RateLimit-Reset`
    /// says when the limit resets.
    Primary { subject: String, anonymous: bool },
    /// Too much content was created in a short time.
    Secondary { retry_after: u64 },
}

impl Problem {
    /// 401 with the message that clients recognise.
    pub const BAD_CREDENTIALS: Self = Self::BadCredentials(Cow::Borrowed("Bad credentials"));

    /// 403 for too many failed logins.
    pub const TOO_MANY_LOGINS: Self = Self::Forbidden(Cow::Borrowed(
        "Maximum number of login attempts exceeded. Please try again later.",
    ));

    /// An error in one field.
    pub fn field(problem: FieldProblem) -> Self {
        Self::Invalid(vec![problem])
    }

    /// 403 for an exceeded rate limit.
    pub const fn limited(limit: Limit) -> Self {
        Self::Limited(limit, StatusCode::FORBIDDEN)
    }

    /// Wraps an error that is not the caller's fault.
    pub fn internal(cause: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::Internal(cause.into())
    }

    /// The status of the response.
    pub fn status(&self) -> StatusCode {
        match self {
            Self::BadRequest(_) | Self::BadHeader(_) => StatusCode::BAD_REQUEST,
            Self::Unauthenticated | Self::BadCredentials(_) => StatusCode::UNAUTHORIZED,
            Self::Forbidden(_) | Self::ForbiddenField { .. } => StatusCode::FORBIDDEN,
            Self::Limited(_, status) => *status,
            Self::NotFound | Self::Absent(_) => StatusCode::NOT_FOUND,
            Self::NotAllowed(_) => StatusCode::METHOD_NOT_ALLOWED,
            Self::DiffTooLarge { .. } => StatusCode::NOT_ACCEPTABLE,
            Self::RequestTimeout => StatusCode::REQUEST_TIMEOUT,
            Self::Conflict(_) => StatusCode::CONFLICT,
            Self::Gone(_) => StatusCode::GONE,
            Self::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Self::Unacceptable(_) | Self::Encoded(_) => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::Refused(_) | Self::Malformed(_) | Self::Invalid(_) => {
                StatusCode::UNPROCESSABLE_ENTITY
            }
            Self::NotImplemented => StatusCode::NOT_IMPLEMENTED,
            Self::Unavailable(_) => StatusCode::SERVICE_UNAVAILABLE,
            Self::Internal(_) => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    /// The message of the response.
    pub fn message(&self) -> Cow<'static, str> {
        match self {
            Self::BadRequest(message)
            | Self::BadCredentials(message)
            | Self::Forbidden(message)
            | Self::ForbiddenField { message, .. }
            | Self::Absent(message)
            | Self::Conflict(message)
            | Self::Gone(message)
            | Self::NotAllowed(message)
            | Self::DiffTooLarge { message, .. }
            | Self::Refused(message) => message.clone(),
            Self::BadHeader(_) => "Bad Request".into(),
            Self::Unauthenticated => "Requires authentication".into(),
            Self::NotFound => "Not Found".into(),
            Self::RequestTimeout => "The request body did not arrive in time".into(),
            Self::TooLarge => "Request body is too large".into(),
            Self::Encoded(encoding) => {
                format!("Unsupported 'Content-Encoding': '{encoding}'. Send the body as it is.")
                    .into()
            }
            Self::Unacceptable(accept) => {
                format!("Unsupported 'Accept' header: '{accept}'. Must accept 'application/json'.")
                    .into()
            }
            Self::Malformed(violations) => {
                format!("Invalid request.\n\n{}", violations.join("\n")).into()
            }
            Self::Invalid(_) => "Validation Failed".into(),
            Self::Limited(Limit::Primary { subject, anonymous }, _) => {
                let hint = if *anonymous { HIGHER_LIMIT_HINT } else { "" };
                format!("API rate limit exceeded for {subject}.{hint}").into()
            }
            Self::Limited(Limit::Secondary { .. }, _) => {
                "You have exceeded a secondary rate limit. \
                 Please wait a few minutes before you try again."
                    .into()
            }
            Self::NotImplemented => "This operation is not implemented yet".into(),
            Self::Unavailable(_) => "The service is temporarily unavailable".into(),
            Self::Internal(_) => "Server Error".into(),
        }
    }

    /// Seconds to wait before a retry. None for the hourly limit: clients take the header as
    /// the sign of a secondary limit.
    pub fn retry_after(&self) -> Option<u64> {
        match self {
            Self::Limited(Limit::Secondary { retry_after }, _) => Some(*retry_after),
            Self::Unavailable(_) => Some(1),
            _ => None,
        }
    }

    /// The response body. Some errors have a documentation page other than that of the
    /// operation.
    pub fn body(&self, operation_documentation: &str) -> FailureBody {
        let documentation_url = match self {
            Self::Limited(Limit::Secondary { .. }, _) => SECONDARY_LIMIT_DOCUMENTATION,
            Self::Limited(Limit::Primary { .. }, _) => PRIMARY_LIMIT_DOCUMENTATION,
            Self::Unacceptable(_) => MEDIA_DOCUMENTATION,
            Self::BadCredentials(_) => DOCUMENTATION_ROOT,
            _ => operation_documentation,
        };
        FailureBody {
            message: self.message().into_owned(),
            errors: match self {
                Self::Invalid(errors) => Some(errors.clone()),
                Self::BadHeader(error) => Some(vec![error.clone()]),
                Self::ForbiddenField {
                    resource, field, ..
                } => Some(vec![FieldProblem::unauthorized(resource, *field)]),
                Self::DiffTooLarge { resource, .. } => {
                    Some(vec![FieldProblem::too_large(resource, "diff")])
                }
                _ => None,
            },
            documentation_url: documentation_url.to_owned(),
            status: self.status().as_str().to_owned(),
        }
    }
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message())
    }
}

impl Error for Problem {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Internal(cause) | Self::Unavailable(cause) => Some(cause.as_ref()),
            _ => None,
        }
    }
}

impl ResponseError for Problem {
    fn status(&self) -> StatusCode {
        Self::status(self)
    }
}

impl From<FieldProblem> for Problem {
    fn from(problem: FieldProblem) -> Self {
        Self::field(problem)
    }
}

impl From<Vec<FieldProblem>> for Problem {
    fn from(problems: Vec<FieldProblem>) -> Self {
        Self::Invalid(problems)
    }
}
