//! The author of a new commit or tag: the person in the request, or the caller.

use sea_orm::EntityTrait;

use crate::app::App;
use contract::call::Call;
use contract::problem::{FieldProblem, Problem};
use contract::reply::Outcome;
use contract::shared::git_person::GitPerson;
use git::LONGEST_LINE;
use git::ident::{Ident, address};
use storage::entities::account;

/// A person and a time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature {
    name: String,
    email: String,
    seconds: i64,
    offset_minutes: i32,
}

impl Signature {
    /// The caller, now.
    pub async fn of_caller(app: &App, call: &Call) -> Outcome<Self> {
        let id = call.caller.author().ok_or(Problem::Unauthenticated)?;
        Self::of_account(app, id).await
    }

    /// An account, now.
    pub async fn of_account(app: &App, id: i64) -> Outcome<Self> {
        let account = account::Entity::find_by_id(id).one(app.db.reads()).await?;
        let account = account.ok_or(Problem::BAD_CREDENTIALS)?;
        Ok(Self {
            email: address(account.id, &account.login),
            name: account.name.unwrap_or(account.login),
            seconds: app.clock.now().0,
            offset_minutes: 0,
        })
    }

    /// The person in a field of the request, or else this one.
    pub fn or_named(&self, person: Option<&GitPerson>, field: &'static str) -> Outcome<Self> {
        let Some(person) = person else {
            return Ok(self.clone());
        };
        let date = person.date.map(|date| (date.seconds, date.offset_minutes));
        let (seconds, offset_minutes) = date.unwrap_or((self.seconds, self.offset_minutes));
        let signature = Self {
            name: person.name.clone(),
            email: person.email.clone(),
            seconds,
            offset_minutes,
        };
        let line = signature.ident().line();
        // Git omits some characters, and rejects a name that has no others.
        if line.starts_with(b" ") {
            return Err(FieldProblem::invalid("Commit", format!("{field}.name")).into());
        }
        match line.len() > LONGEST_LINE {
            true => {
                Err(FieldProblem::custom("Commit", field, format!("{field} is too long")).into())
            }
            false => Ok(signature),
        }
    }

    pub fn ident(&self) -> Ident<'_> {
        Ident {
            name: &self.name,
            email: &self.email,
            seconds: self.seconds,
            offset_minutes: self.offset_minutes,
        }
    }
}

/// A message that can be stored: not empty, no NUL, and not too long.
pub fn check_message(message: &str, resource: &'static str) -> Outcome<()> {
    if message.trim().is_empty() {
        return Err(FieldProblem::missing(resource, "message").into());
    }
    if message.contains('\0') {
        return Err(FieldProblem::invalid(resource, "message").into());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use contract::values::ZonedTimestamp;

    #[test]
    fn a_person_in_the_request_takes_precedence_over_the_caller() {
        let caller = Signature {
            name: "Alice".to_owned(),
            email: "a@b".to_owned(),
            seconds: 5,
            offset_minutes: 0,
        };
        assert_eq!(caller.or_named(None, "author").unwrap(), caller);
        let mut bob = GitPerson {
            name: "Bob".to_owned(),
            email: "b@c".to_owned(),
            date: None,
        };
        let signature = caller.or_named(Some(&bob), "author").unwrap();
        assert_eq!(signature.ident().line(), b"Bob <b@c> 5 +0000");
        bob.date = Some(ZonedTimestamp {
            seconds: 7,
            offset_minutes: 120,
        });
        let signature = caller.or_named(Some(&bob), "author").unwrap();
        assert_eq!(signature.ident().line(), b"Bob <b@c> 7 +0200");
        bob.name = " <>\n".to_owned();
        assert!(caller.or_named(Some(&bob), "author").is_err());
        bob.name = "b".repeat(LONGEST_LINE - " <b@c> 7 +0200".len());
        assert!(caller.or_named(Some(&bob), "author").is_ok());
        bob.name.push('b');
        assert!(caller.or_named(Some(&bob), "author").is_err());
    }
}
