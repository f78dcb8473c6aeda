//! The JSON web token that identifies an app: RS256, issued by its client id or app id, for ten
//! minutes at most. The messages are those that client libraries look for.

use sea_orm::{EntityTrait, QueryFilter};
use serde::Deserialize;
use serde_json::Value;

use super::{Access, jwt};
use crate::explain;
use crate::explain::step;
use contract::call::Call;
use contract::caller::Caller;
use contract::control::journal::{AdviceAction, Check, ExplanationStep, StepOutcome};
use contract::problem::Problem;
use contract::reply::Outcome;
use contract::values::Timestamp;
use storage::entities::app;

/// How far ahead of us an app's clock may be.
const DRIFT: i64 = 60;

/// How far in the future a token may expire.
const LIFETIME: i64 = 600;

const UNDECODABLE: &str = "A JSON web token could not be decoded";
const EXPIRED: &str = "'Expiration time' claim ('exp') must be a numeric value representing the \
                       future time at which the assertion expires";
const TOO_LATE: &str = "'Expiration time' claim ('exp') is too far in the future";
const NOT_YET: &str = "'Issued at' claim ('iat') must be an Integer representing the time that \
                       the assertion was issued";
const TOO_EARLY: &str = "'Not before' claim ('nbf') must be a numeric value representing the time \
                         before which the assertion is not accepted";
const NO_ISSUER: &str = "Missing 'issuer' claim ('iss') in assertion";
const BAD_ISSUER: &str = "'Issuer' claim ('iss') must be an Integer";
const NO_APP: &str = "Integration not found";

/// The claims of a token, not yet verified.
#[derive(Debug, Deserialize)]
pub struct Claims {
    #[serde(default)]
    iat: Value,
    #[serde(default)]
    exp: Value,
    /// Optional; few tokens have it.
    #[serde(default)]
    nbf: Option<Value>,
    #[serde(default)]
    iss: Value,
}

impl Access {
    /// The calling app. Fails for every other kind of token.
    pub async fn calling_app(&self, call: &Call) -> Outcome<app::Model> {
        let id = match &*call.caller {
            Caller::App { id, .. } => *id,
            caller => {
                explain::note(|| not_an_app(caller));
                return Err(match caller {
                    Caller::Anonymous => Problem::Unauthenticated,
                    _ => bad_credentials(UNDECODABLE),
                });
            }
        };
        let query = app::Entity::find_by_id(id);
        let app = query.one(self.db.reads()).await?;
        app.ok_or_else(|| bad_credentials(NO_APP))
    }

    /// The app that signed this token.
    pub(super) async fn app_of_jwt(&self, token: &str) -> Outcome<Caller> {
        let claims = claimed(token)?;
        let app = self.issuer(&claims.iss).await?;
        verify(token, &app.public_key)?;
        check_times(&claims, self.clock.now())?;
        Ok(Caller::App {
            id: app.id,
            slug: app.slug,
        })
    }

    async fn issuer(&self, issuer: &Value) -> Outcome<app::Model> {
        let text = match issuer {
            Value::Null => return Err(bad_credentials(NO_ISSUER)),
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        // PostgreSQL cannot compare with a NUL, and no client id has one.
        if text.contains('\0') {
            return Err(bad_credentials(BAD_ISSUER));
        }
        let by_id = text.parse::<i64>().ok();
        let condition = match by_id {
            Some(id) => app::COLUMN.id.eq(id),
            None => app::COLUMN.client_id.eq(text),
        };
        let app = app::Entity::find().filter(condition);
        let app = app.one(self.db.reads()).await?;
        app.ok_or_else(|| match by_id {
            Some(_) => bad_credentials(NO_APP),
            None => bad_credentials(BAD_ISSUER),
        })
    }
}

/// Decodes a token without verifying it: the claims name the app whose key verifies it.
pub fn claimed(token: &str) -> Outcome<Claims> {
    jwt::claims(token).ok_or_else(|| bad_credentials(UNDECODABLE))
}

/// Verifies the signature alone; the times are compared with our clock.
pub fn verify(token: &str, public_key: &str) -> Outcome<()> {
    let key = jwt::public_key(public_key);
    match key.is_some_and(|key| jwt::is_signed_by(token, &key)) {
        true => Ok(()),
        false => Err(bad_credentials(UNDECODABLE)),
    }
}

/// Compares the times that a token claims with our clock.
pub fn check_times(claims: &Claims, now: Timestamp) -> Outcome<()> {
    let expires = seconds(&claims.exp).ok_or_else(|| bad_credentials(EXPIRED))?;
    if expires <= now.0 {
        return Err(bad_credentials(EXPIRED));
    }
    if expires > now.0 + LIFETIME {
        return Err(bad_credentials(TOO_LATE));
    }
    let issued = seconds(&claims.iat).ok_or_else(|| bad_credentials(NOT_YET))?;
    if issued > now.0 + DRIFT {
        return Err(bad_credentials(NOT_YET));
    }
    let begins = claims.nbf.as_ref().map(seconds);
    if begins.is_some_and(|begins| begins.is_none_or(|begins| begins > now.0 + DRIFT)) {
        return Err(bad_credentials(TOO_EARLY));
    }
    Ok(())
}

/// Whole seconds; some libraries write them with a fraction.
fn seconds(claim: &Value) -> Option<i64> {
    claim
        .as_i64()
        .or_else(|| claim.as_f64().map(|seconds| seconds as i64))
}

/// A decision on a caller that is not an app.
fn not_an_app(caller: &Caller) -> ExplanationStep {
    let kind = caller.kind();
    let sentence = format!("the operations of an app need its JSON web token, not: {kind}");
    let advice = "Sign a JSON web token with the key of the app, as `forgewright token sign` does.";
    step(Check::TokenKind, StepOutcome::Refused, "app", sentence)
        .comparing("app", kind)
        .advise(AdviceAction::ChangeTokenKind, "token", "app", advice)
}

fn bad_credentials(message: &'static str) -> Problem {
    Problem::BadCredentials(message.into())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const NOW: Timestamp = Timestamp(1_773_144_000);

    fn verdict(iat: Value, exp: Value) -> Option<String> {
        let claims = Claims {
            iat,
            exp,
            nbf: None,
            iss: Value::Null,
        };
        check_times(&claims, NOW)
            .err()
            .map(|problem| problem.to_string())
    }

    #[test]
    fn what_the_client_libraries_sign_is_accepted() {
        assert_eq!(verdict(json!(NOW.0 - 30), json!(NOW.0 + 570)), None);
        assert_eq!(verdict(json!(NOW.0 - 60), json!(NOW.0 + 540)), None);
        assert_eq!(verdict(json!(NOW.0 + 30), json!(NOW.0 + 600)), None);
    }

    #[test]
    fn a_token_out_of_its_time_is_refused_in_the_words_that_clients_match() {
        assert_eq!(
            verdict(json!(NOW.0 - 700), json!(NOW.0)).as_deref(),
            Some(EXPIRED)
        );
        assert_eq!(
            verdict(json!(NOW.0), json!("soon")).as_deref(),
            Some(EXPIRED)
        );
        assert_eq!(
            verdict(json!(NOW.0), json!(NOW.0 + 601)).as_deref(),
            Some(TOO_LATE)
        );
        assert_eq!(
            verdict(json!(NOW.0 + 120), json!(NOW.0 + 300)).as_deref(),
            Some(NOT_YET)
        );
        assert_eq!(
            verdict(Value::Null, json!(NOW.0 + 300)).as_deref(),
            Some(NOT_YET)
        );
    }

    #[test]
    fn a_token_is_not_accepted_before_it_says_so() {
        let verdict = |nbf: Value| {
            let claims = json!({"iat": NOW.0, "exp": NOW.0 + 300, "nbf": nbf});
            let claims = serde_json::from_value(claims).unwrap();
            let error = check_times(&claims, NOW).err();
            error.map(|problem| problem.to_string())
        };
        assert_eq!(verdict(json!(NOW.0 - 30)), None);
        assert_eq!(verdict(json!(NOW.0 + 60)), None);
        assert_eq!(verdict(Value::Null), None);
        for later in [json!(NOW.0 + 61), json!(1e12), json!("now")] {
            assert_eq!(verdict(later).as_deref(), Some(TOO_EARLY));
        }
    }
}
