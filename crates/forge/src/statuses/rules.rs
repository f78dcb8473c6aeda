//! Validates statuses, and defines the errors.

use super::StatusRollup;
use super::fields::{not_web, too_long};
use contract::problem::{FieldProblem, Problem};
use contract::reply::Outcome;
use contract::statuses::{CombinedState, CreateCommitStatus, StatusState};
use git::Sha;
use storage::entities::commit_status::{CommitStatusState, Model};

/// The name of a status in errors.
const STATUS: &str = "Status";

/// The most statuses of a commit in one context.
const MOST: u64 = 1000;

const LONGEST_DESCRIPTION: usize = 140;
const LONGEST_CONTEXT: usize = 255;
const LONGEST_URL: usize = 2048;

/// A status to create.
#[derive(Debug, PartialEq, Eq)]
pub struct NewStatus {
    pub state: CommitStatusState,
    pub target_url: Option<String>,
    pub description: Option<String>,
    pub context: String,
    /// The comparison key of the context.
    pub context_key: String,
}

impl NewStatus {
    pub fn of(body: CreateCommitStatus) -> Outcome<Self> {
        let target_url = body.target_url.filter(|url| !url.is_empty());
        let problems: Vec<_> = [
            too_long(STATUS, "context", Some(&body.context), LONGEST_CONTEXT),
            too_long(
                STATUS,
                "description",
                body.description.as_deref(),
                LONGEST_DESCRIPTION,
            ),
            too_long(STATUS, "target_url", target_url.as_deref(), LONGEST_URL),
            not_web(STATUS, "target_url", target_url.as_deref()),
        ]
        .into_iter()
        .flatten()
        .collect();
        if !problems.is_empty() {
            return Err(Problem::Invalid(problems));
        }
        let context = match body.context.trim() {
            "" => "default".to_owned(),
            _ => body.context,
        };
        Ok(Self {
            state: state(body.state),
            target_url,
            description: body.description,
            context_key: context.to_lowercase(),
            context,
        })
    }

    /// The row of a status on a commit, which counts from now on.
    pub fn row(self, commit: i64, creator: Option<i64>, now: i64) -> Model {
        Model {
            id: 0,
            commit_id: commit,
            context: self.context,
            context_key: self.context_key,
            state: self.state,
            description: self.description,
            target_url: self.target_url,
            creator_id: creator,
            latest: true,
            created_at: now,
        }
    }
}

/// The commit of a new status must be named by its full SHA-1.
pub fn sha(name: &str) -> Outcome<Sha> {
    let message = "sha must be a 40 character SHA1";
    name.parse()
        .map_err(|_| FieldProblem::custom(STATUS, "sha", message).into())
}

/// 422 for a SHA-1 that is not a commit.
pub fn no_commit(name: &str) -> Problem {
    Problem::Refused(format!("No commit found for SHA: {name}").into())
}

/// Rejects another status if there are too many.
pub fn few_enough(existing: u64) -> Outcome<()> {
    if existing < MOST {
        return Ok(());
    }
    let message = "This SHA and context has reached the maximum number of statuses.";
    Err(FieldProblem::custom(STATUS, "context", message).into())
}

fn state(state: StatusState) -> CommitStatusState {
    match state {
        StatusState::Error => CommitStatusState::Error,
        StatusState::Failure => CommitStatusState::Failure,
        StatusState::Pending => CommitStatusState::Pending,
        StatusState::Success => CommitStatusState::Success,
    }
}

pub fn combined(verdict: StatusRollup) -> CombinedState {
    match verdict {
        StatusRollup::Failure => CombinedState::Failure,
        StatusRollup::Pending => CombinedState::Pending,
        StatusRollup::Success => CombinedState::Success,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body() -> CreateCommitStatus {
        CreateCommitStatus {
            state: StatusState::Success,
            target_url: None,
            description: None,
            context: "CI/Build".to_owned(),
        }
    }

    #[test]
    fn contexts_are_compared_in_lower_case_and_kept_as_written() {
        let new = NewStatus::of(body()).unwrap();
        assert_eq!((&*new.context, &*new.context_key), ("CI/Build", "ci/build"));
        let blank = NewStatus::of(CreateCommitStatus {
            context: " ".to_owned(),
            ..body()
        });
        assert_eq!(blank.unwrap().context, "default");
    }

    #[test]
    fn lengths_are_counted_in_characters() {
        let described = |length: usize| CreateCommitStatus {
            description: Some("é".repeat(length)),
            ..body()
        };
        assert!(NewStatus::of(described(LONGEST_DESCRIPTION)).is_ok());
        assert!(NewStatus::of(described(LONGEST_DESCRIPTION + 1)).is_err());
    }

    #[test]
    fn a_target_is_on_the_web_or_absent() {
        let target = |url: &str| {
            let target_url = Some(url.to_owned());
            let body = CreateCommitStatus {
                target_url,
                ..body()
            };
            NewStatus::of(body).map(|new| new.target_url)
        };
        assert_eq!(target("").unwrap(), None);
        for url in ["http://ci.example", "HTTPS://ci.example/builds?id=1#log"] {
            assert_eq!(target(url).unwrap().as_deref(), Some(url));
        }
        for url in [
            "ftp://ci.example",
            "javascript:alert(1)",
            "ci.example",
            "http://",
        ] {
            assert!(target(url).is_err(), "{url}");
        }
    }

    #[test]
    fn only_a_whole_sha_names_a_commit() {
        assert!(sha(&"a".repeat(40)).is_ok());
        for name in ["main", "abc123", "", &"g".repeat(40)] {
            assert!(sha(name).is_err(), "{name}");
        }
    }

    #[test]
    fn the_thousandth_status_is_the_last() {
        assert!(few_enough(MOST - 1).is_ok());
        assert!(few_enough(MOST).is_err());
    }
}
