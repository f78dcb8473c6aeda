//! Limits of new installation tokens, and changes of webhooks.

use std::collections::{BTreeMap, BTreeSet};

use super::MASK;
use crate::outbound::address::WebhookTarget;
use crate::tokens;
use contract::apps::{
    CreateInstallationToken, HookContentType, InsecureSsl, PermissionLevel, UpdateHookConfig,
};
use contract::body::Body;
use contract::caller::{Level, Permissions};
use contract::problem::{FieldProblem, Problem};
use contract::reply::Outcome;
use storage::entities::app;

/// The most repositories that a token can be limited to.
const MOST_REPOSITORIES: usize = 500;

const NOT_GRANTED: &str = "The permissions requested are not granted to this installation.";
const NOT_INSTALLED: &str = "There is at least one repository that does not exist or is not \
                             accessible to the parent installation.";

/// The repositories that a token is limited to, as the body names them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Narrowing {
    pub ids: BTreeSet<i64>,
    /// In lower case.
    pub names: BTreeSet<String>,
}

/// The body, if it can be read. Permissions that are not an object are rejected as unreadable
/// JSON, as clients expect.
pub fn readable(body: Body<CreateInstallationToken>) -> Outcome<CreateInstallationToken> {
    body.validated().map_err(|problem| match problem {
        Problem::Malformed(violations)
            if violations
                .iter()
                .any(|violation| violation.starts_with("For 'properties/permissions', ")) =>
        {
            Problem::BadRequest("Problems parsing JSON".into())
        }
        other => other,
    })
}

/// The repositories that the body names; `None` if it names none.
pub fn narrowing(body: &CreateInstallationToken) -> Outcome<Option<Narrowing>> {
    let ids: BTreeSet<_> = body.repository_ids.iter().flatten().copied().collect();
    let names: BTreeSet<_> = body
        .repositories
        .iter()
        .flatten()
        .map(|name| name.to_lowercase())
        .collect();
    let count = ids.len() + names.len();
    if count > MOST_REPOSITORIES {
        return Err(Problem::Malformed(vec![format!(
            "No more than {MOST_REPOSITORIES} repositories are allowed; {count} were supplied."
        )]));
    }
    Ok((count > 0).then_some(Narrowing { ids, names }))
}

/// Checks that every named repository was found. The same repository may be named twice, by id
/// and by name.
pub fn all_found(narrowing: &Narrowing, found: &[(i64, String)]) -> Outcome<()> {
    let ids: BTreeSet<_> = found.iter().map(|(id, _)| *id).collect();
    let names: BTreeSet<_> = found.iter().map(|(_, name)| name.as_str()).collect();
    let complete = narrowing.ids.iter().all(|id| ids.contains(id))
        && narrowing
            .names
            .iter()
            .all(|name| names.contains(name.as_str()));
    if complete {
        Ok(())
    } else {
        Err(Problem::Refused(NOT_INSTALLED.into()))
    }
}

/// The permissions of a token: those of its installation, or those requested.
pub fn permissions(
    granted: Permissions,
    requested: Option<&BTreeMap<String, PermissionLevel>>,
) -> Outcome<Permissions> {
    let Some(requested) = requested.filter(|requested| !requested.is_empty()) else {
        return Ok(granted);
    };
    let requested = requested
        .iter()
        .map(|(name, requested_level)| (name.clone(), level(*requested_level)));
    tokens::narrowed(&granted, requested.collect())
        .map_err(|_| Problem::Refused(NOT_GRANTED.into()))
}

fn level(level: PermissionLevel) -> Level {
    match level {
        PermissionLevel::Read => Level::Read,
        PermissionLevel::Write => Level::Write,
        PermissionLevel::Admin => Level::Admin,
    }
}

/// The app with a changed webhook.
pub fn changed_hook(before: &app::Model, body: UpdateHookConfig) -> Outcome<app::Model> {
    let invalid =
        |field, reason: String| Problem::from(FieldProblem::custom("Hook", field, reason));
    let mut after = before.clone();
    if let Some(url) = body.url {
        WebhookTarget::parse(&url)
            .map_err(|reason| invalid("url", format!("url cannot be used: {reason}")))?;
        after.webhook_url = Some(url);
    }
    if let Some(content_type) = body.content_type {
        after.webhook_content_type = match content_type {
            HookContentType::Json => app::HookContentType::Json,
            HookContentType::Form => app::HookContentType::Form,
        };
    }
    match body.secret {
        Some(secret) if secret.is_empty() => after.webhook_secret = None,
        Some(secret) if secret.contains('\0') => {
            return Err(invalid("secret", "secret contains NUL".to_owned()));
        }
        Some(secret) if secret != MASK => after.webhook_secret = Some(secret),
        _ => {}
    }
    if let Some(insecure) = body.insecure_ssl {
        after.webhook_insecure_ssl = insecure == InsecureSsl::On;
    }
    if after.webhook_url.is_none() && after.webhook_secret.is_some() {
        return Err(FieldProblem::missing("Hook", "url").into());
    }
    Ok(after)
}

/// The prefix of a cursor, in case there is ever another kind.
const CURSOR: &str = "v1_";

/// The cursor of a delivery.
pub fn cursor(id: i64) -> String {
    format!("{CURSOR}{id}")
}

/// The id of the delivery that a cursor names.
pub fn delivery_id(cursor: &str) -> Outcome<i64> {
    let id = cursor.strip_prefix(CURSOR).and_then(|id| id.parse().ok());
    let invalid = || FieldProblem::invalid("HookDelivery", "cursor");
    id.ok_or_else(|| {
        invalid()
            .because("Cursor is not valid for this list")
            .into()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_leads_back_to_its_place() {
        assert_eq!(delivery_id(&cursor(42)).ok(), Some(42));
        for invalid in ["", "42", "v1_", "v1_x", "v2_42"] {
            assert!(delivery_id(invalid).is_err(), "{invalid}");
        }
    }

    fn granted() -> Permissions {
        [
            ("contents".to_owned(), Level::Write),
            ("metadata".to_owned(), Level::Read),
        ]
        .into()
    }

    fn requested(name: &str, level: PermissionLevel) -> BTreeMap<String, PermissionLevel> {
        [(name.to_owned(), level)].into()
    }

    #[test]
    fn nothing_asked_for_and_an_empty_wish_both_mean_everything() {
        assert_eq!(permissions(granted(), None).ok(), Some(granted()));
        assert_eq!(
            permissions(granted(), Some(&BTreeMap::new())).ok(),
            Some(granted())
        );
    }

    #[test]
    fn a_narrowed_token_keeps_metadata() {
        let wish = requested("contents", PermissionLevel::Read);
        let narrowed = permissions(granted(), Some(&wish)).ok();
        let expected = [
            ("contents".to_owned(), Level::Read),
            ("metadata".to_owned(), Level::Read),
        ];
        assert_eq!(narrowed, Some(expected.into()));
    }

    #[test]
    fn nothing_beyond_the_installation_can_be_asked_for() {
        for excess in [
            requested("issues", PermissionLevel::Read),
            requested("contents", PermissionLevel::Admin),
            requested("metadata", PermissionLevel::Write),
        ] {
            let problem = permissions(granted(), Some(&excess)).err();
            assert_eq!(
                problem.map(|problem| problem.to_string()).as_deref(),
                Some(NOT_GRANTED),
                "{excess:?}"
            );
        }
    }

    #[test]
    fn empty_lists_narrow_nothing() {
        let body = CreateInstallationToken {
            repositories: Some(Vec::new()),
            repository_ids: Some(Vec::new()),
            permissions: None,
        };
        assert_eq!(narrowing(&body).ok(), Some(None));
    }

    #[test]
    fn ids_and_names_count_together() {
        let body = CreateInstallationToken {
            repositories: Some((0..250).map(|n| format!("r{n}")).collect()),
            repository_ids: Some((0..251).collect()),
            permissions: None,
        };
        assert!(narrowing(&body).is_err());
    }

    #[test]
    fn each_repository_that_is_named_must_be_found() {
        let narrowing = Narrowing {
            ids: [1].into(),
            names: ["b".to_owned()].into(),
        };
        let are_found = |rows: &[(i64, &str)]| {
            let rows: Vec<_> = rows
                .iter()
                .map(|(id, name)| (*id, (*name).to_owned()))
                .collect();
            all_found(&narrowing, &rows).is_ok()
        };
        assert!(are_found(&[(1, "a"), (2, "b")]));
        assert!(are_found(&[(1, "b")]));
        assert!(!are_found(&[(1, "a")]));
        assert!(!are_found(&[(2, "b")]));
    }
}
