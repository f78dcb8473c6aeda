//! The one error of the service, and its body on the wire.
//!
//! Everything that goes wrong becomes a `Problem`. Its status and message sit
//! here; `documentation_url` depends on the operation that was called, so the
//! edge (`web/failures.rs`) puts it in.

use std::borrow::Cow;
use std::error::Error;

use poem::error::ResponseError;
use poem::http::StatusCode;
use poem_openapi::Object;
use serde::{Deserialize, Serialize};

/// What every answer with a status of 400 or above carries.
#[derive(Debug, Clone, Object, Serialize, Deserialize)]
#[oai(rename = "Failure", example)]
pub struct FailureBody {
    /// What went wrong, for people.
    pub message: String,
    /// With status 422: which parts of the request were refused, and why.
    #[oai(skip_serializing_if_is_none)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub errors: Option<Vec<FieldProblem>>,
    /// Where the operation is documented.
    pub documentation_url: String,
    /// The status of the answer, as a string.
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

/// One refused part of a request.
#[derive(Debug, Clone, PartialEq, Eq, Object, Serialize, Deserialize)]
pub struct FieldProblem {
    /// The kind of thing that was being made or changed.
    pub resource: String,
    /// What is wrong: `missing`, `missing_field`, `invalid`, `already_exists`,
    /// `unprocessable`, or `custom`, which always has a message.
    pub code: String,
    /// The field that is refused.
    pub field: String,
    /// The reason in words.
    #[oai(skip_serializing_if_is_none)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

impl FieldProblem {
    /// A field whose value cannot be accepted.
    pub fn invalid(resource: &'static str, field: impl Into<String>) -> Self {
        Self::of(resource, "invalid", field.into(), None)
    }

    /// A field that is needed and absent.
    pub fn missing(resource: &'static str, field: impl Into<String>) -> Self {
        Self::of(resource, "missing_field", field.into(), None)
    }

    /// A value that something else of the same kind has taken.
    pub fn taken(resource: &'static str, field: impl Into<String>) -> Self {
        Self::of(resource, "already_exists", field.into(), None)
    }

    /// A part of an answer that is too large to be shown.
    pub fn too_large(resource: &'static str, field: impl Into<String>) -> Self {
        Self::of(resource, "too_large", field.into(), None)
    }

    /// A refusal that only its message explains.
    pub fn custom(
        resource: &'static str,
        field: impl Into<String>,
        message: impl Into<String>,
    ) -> Self {
        Self::of(resource, "custom", field.into(), Some(message.into()))
    }

    /// A value of the right form that cannot be processed.
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

    /// The same refusal with words to it.
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

/// Where an answer points when no operation was reached.
pub const DOCUMENTATION_ROOT: &str = "https://docs.github.com/rest";

const SECONDARY_LIMIT_DOCUMENTATION: &str = "https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api#about-secondary-rate-limits";
const PRIMARY_LIMIT_DOCUMENTATION: &str =
    "https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api";
const MEDIA_DOCUMENTATION: &str = "https://docs.github.com/v3/media";

/// What an operation answers when it cannot do what was asked.
#[derive(Debug)]
pub enum Problem {
    /// 400: the request cannot be read at all.
    BadRequest(Cow<'static, str>),
    /// 400: a header that the request cannot do without is not understood.
    BadHeader(FieldProblem),
    /// 401: no credential where one is needed.
    Unauthenticated,
    /// 401: a credential that is unknown, expired, revoked or malformed.
    BadCredentials(Cow<'static, str>),
    /// 403: known and readable, but not allowed.
    Forbidden(Cow<'static, str>),
    /// 404: absent, or not for the eyes of this caller.
    NotFound,
    /// 404 with a sentence that says what is absent.
    Absent(Cow<'static, str>),
    /// 405: what cannot be done to a pull request as it is.
    NotAllowed(Cow<'static, str>),
    /// 406: a diff with more files, lines or bytes than are shown.
    DiffTooLarge {
        resource: &'static str,
        message: Cow<'static, str>,
    },
    /// 408: the body did not arrive in time.
    Late,
    /// 409: the state of the repository forbids it, or somebody was faster.
    Conflict(Cow<'static, str>),
    /// 410: what the repository does not have.
    Gone(Cow<'static, str>),
    /// 413: the body is larger than the service reads.
    TooLarge,
    /// 415: no representation that the caller accepts. Holds its Accept header.
    Unacceptable(String),
    /// 415: a body in an encoding that the service does not read. Holds its name.
    Encoded(String),
    /// 422 with nothing but a sentence.
    Refused(Cow<'static, str>),
    /// 422: the body does not fit its schema; a sentence for each violation.
    Malformed(Vec<String>),
    /// 422: `Validation Failed`, with the fields that are to blame.
    Invalid(Vec<FieldProblem>),
    /// 403: over a limit until some seconds have passed.
    Limited(Limit),
    /// 501: described, and not there yet.
    NotImplemented,
    /// 503: the database cannot be reached now.
    Unavailable(Box<dyn Error + Send + Sync>),
    /// 500: our fault. Logged with its cause, shown without it.
    Internal(Box<dyn Error + Send + Sync>),
}

/// Which limit was hit.
#[derive(Debug, Clone)]
pub enum Limit {
    /// The hourly budget of requests. The subject is `user ID 1` or an address.
    /// `X-RateLimit-Reset` says when to come back.
    Primary { subject: String },
    /// Too much content in too short a time.
    Secondary { retry_after: u64 },
}

impl Problem {
    /// 401 with the message that clients recognise.
    pub const BAD_CREDENTIALS: Self = Self::BadCredentials(Cow::Borrowed("Bad credentials"));

    /// 403 to whoever goes on with credentials that are none.
    pub const TOO_MANY_LOGINS: Self = Self::Forbidden(Cow::Borrowed(
        "Maximum number of login attempts exceeded. Please try again later.",
    ));

    /// A refusal of one field.
    pub fn field(problem: FieldProblem) -> Self {
        Self::Invalid(vec![problem])
    }

    /// Wraps an error that no caller could have avoided.
    pub fn internal(cause: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::Internal(cause.into())
    }

    /// The status line of the answer.
    pub fn status(&self) -> StatusCode {
        match self {
            Self::BadRequest(_) | Self::BadHeader(_) => StatusCode::BAD_REQUEST,
            Self::Unauthenticated | Self::BadCredentials(_) => StatusCode::UNAUTHORIZED,
            Self::Forbidden(_) | Self::Limited(_) => StatusCode::FORBIDDEN,
            Self::NotFound | Self::Absent(_) => StatusCode::NOT_FOUND,
            Self::NotAllowed(_) => StatusCode::METHOD_NOT_ALLOWED,
            Self::DiffTooLarge { .. } => StatusCode::NOT_ACCEPTABLE,
            Self::Late => StatusCode::REQUEST_TIMEOUT,
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

    /// The sentence of the answer.
    pub fn message(&self) -> Cow<'static, str> {
        match self {
            Self::BadRequest(message)
            | Self::BadCredentials(message)
            | Self::Forbidden(message)
            | Self::Absent(message)
            | Self::Conflict(message)
            | Self::Gone(message)
            | Self::NotAllowed(message)
            | Self::DiffTooLarge { message, .. }
            | Self::Refused(message) => message.clone(),
            Self::BadHeader(_) => "Bad Request".into(),
            Self::Unauthenticated => "Requires authentication".into(),
            Self::NotFound => "Not Found".into(),
            Self::Late => "The request body did not arrive in time".into(),
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
            Self::Limited(Limit::Primary { subject }) => {
                format!("API rate limit exceeded for {subject}.").into()
            }
            Self::Limited(Limit::Secondary { .. }) => "You have exceeded a secondary rate limit. \
                 Please wait a few minutes before you try again."
                .into(),
            Self::NotImplemented => "This operation is not implemented yet".into(),
            Self::Unavailable(_) => "The service is temporarily unavailable".into(),
            Self::Internal(_) => "Server Error".into(),
        }
    }

    /// Seconds to wait before the same request can succeed. Not with the hourly
    /// budget: clients take the header for the sign of a secondary limit.
    pub fn retry_after(&self) -> Option<u64> {
        match self {
            Self::Limited(Limit::Secondary { retry_after }) => Some(*retry_after),
            Self::Unavailable(_) => Some(1),
            _ => None,
        }
    }

    /// The body of the answer. Some problems are documented apart from the
    /// operation in which they show.
    pub fn body(&self, operation_documentation: &str) -> FailureBody {
        let documentation_url = match self {
            Self::Limited(Limit::Secondary { .. }) => SECONDARY_LIMIT_DOCUMENTATION,
            Self::Limited(Limit::Primary { .. }) => PRIMARY_LIMIT_DOCUMENTATION,
            Self::Unacceptable(_) => MEDIA_DOCUMENTATION,
            Self::BadCredentials(_) => DOCUMENTATION_ROOT,
            _ => operation_documentation,
        };
        FailureBody {
            message: self.message().into_owned(),
            errors: match self {
                Self::Invalid(errors) => Some(errors.clone()),
                Self::BadHeader(error) => Some(vec![error.clone()]),
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
