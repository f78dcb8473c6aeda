//! Permissions. An issue requires the one for issues, a pull request the one for pull requests,
//! under the paths of issues too. Reading issues requires the one for issues. Reading the
//! conversation of a pull request, and labels and assignees of the repository, require either.

use poem::http::Method;
use serde_json::{Value, json};

use super::{WIDGETS, send, start};
use crate::harness::Service;

const LABELS: &str = "/repos/acme/widgets/labels";

/// A token, and what it may read and write.
struct Token {
    value: &'static str,
    reads: Kinds,
    writes: Kinds,
}

#[derive(Clone, Copy)]
struct Kinds {
    issues: bool,
    pulls: bool,
}

impl Kinds {
    const NONE: Self = Self {
        issues: false,
        pulls: false,
    };
    const ISSUES: Self = Self {
        issues: true,
        ..Self::NONE
    };
    const PULLS: Self = Self {
        pulls: true,
        ..Self::NONE
    };
    const BOTH: Self = Self {
        issues: true,
        pulls: true,
    };

    fn include(self, is_pull: bool) -> bool {
        if is_pull { self.pulls } else { self.issues }
    }

    /// Whether they suffice to read the conversation of an issue or a pull request.
    fn include_conversation(self, is_pull: bool) -> bool {
        self.issues || self.include(is_pull)
    }

    fn any(self) -> bool {
        self.issues || self.pulls
    }
}

const fn token(value: &'static str, reads: Kinds, writes: Kinds) -> Token {
    Token {
        value,
        reads,
        writes,
    }
}

const TOKENS: [Token; 5] = [
    token("alice-metadata", Kinds::NONE, Kinds::NONE),
    token("alice-reads", Kinds::ISSUES, Kinds::NONE),
    token("alice-pulls", Kinds::PULLS, Kinds::PULLS),
    token("listener", Kinds::BOTH, Kinds::ISSUES),
    token("puller", Kinds::PULLS, Kinds::PULLS),
];

/// An issue or a pull request, with a comment.
struct Subject {
    path: String,
    comment: String,
    is_pull: bool,
}

/// A pull request and an issue of a private repository.
async fn subjects(service: &Service) -> Vec<Subject> {
    let alice = service.as_("alice");
    // Labelling with a missing label would require the permission for issues.
    alice.post(LABELS, json!({"name": "bug"})).await.expect(201);
    let issue = alice.post(WIDGETS, json!({"title": "x"})).await.expect(201);
    let issue = issue.json()["number"].as_i64().unwrap();
    let mut subjects = Vec::new();
    for (number, is_pull) in [(1, true), (issue, false)] {
        let path = format!("{WIDGETS}/{number}");
        let body = json!({"body": "One"});
        let comment = alice.post(&format!("{path}/comments"), body).await;
        let id = comment.expect(201).json()["id"].to_string();
        let comment = format!("{WIDGETS}/comments/{id}");
        subjects.push(Subject {
            path,
            comment,
            is_pull,
        });
    }
    subjects
}

impl Subject {
    /// Reads that the permission for its kind allows.
    fn reads(&self) -> [String; 2] {
        let below = |suffix: &str| format!("{}/{suffix}", self.path);
        [below("labels"), below("assignees/carol")]
    }

    fn reads_of_conversation(&self) -> [String; 2] {
        [format!("{}/comments", self.path), self.comment.clone()]
    }

    /// Reads that only the permission for issues allows.
    fn reads_as_issue(&self) -> [String; 2] {
        ["", "/issue-field-values"].map(|suffix| format!("{}{suffix}", self.path))
    }

    /// Changes that the permission for its kind allows. Some change nothing, and return it.
    fn changes(&self) -> Vec<(Method, String, Value)> {
        let below = |suffix: &str| format!("{}/{suffix}", self.path);
        let labels = json!({"labels": ["bug"]});
        let assignees = json!({"assignees": ["carol"]});
        let values = json!({"issue_field_values": [{"field_id": 5002, "value": 1}]});
        let fields = below("issue-field-values");
        vec![
            (Method::PATCH, self.path.clone(), json!({})),
            (Method::PATCH, self.path.clone(), json!({"title": "y"})),
            (Method::POST, below("labels"), labels.clone()),
            (Method::PUT, below("labels"), labels),
            (Method::DELETE, below("labels/bug"), json!({})),
            (Method::DELETE, below("labels"), json!({})),
            (Method::POST, below("assignees"), assignees.clone()),
            (Method::DELETE, below("assignees"), assignees),
            (Method::POST, fields.clone(), json!({})),
            (Method::POST, fields.clone(), values.clone()),
            (Method::PUT, fields.clone(), values),
            (Method::DELETE, format!("{fields}/5002"), json!({})),
            (Method::PUT, below("lock"), json!({})),
            (Method::DELETE, below("lock"), json!({})),
        ]
    }

    fn changes_of_conversation(&self) -> [(Method, String, Value); 3] {
        let text = json!({"body": "Two"});
        let comments = format!("{}/comments", self.path);
        [
            (Method::POST, comments, text.clone()),
            (Method::PATCH, self.comment.clone(), text),
            (Method::DELETE, self.comment.clone(), json!({})),
        ]
    }
}

/// Reads of the repository that either permission allows.
fn reads() -> Vec<String> {
    let labels = ["", "/oil"].map(|suffix| format!("{LABELS}{suffix}"));
    let assignees = ["", "/carol"].map(|suffix| format!("/repos/acme/widgets/assignees{suffix}"));
    labels.into_iter().chain(assignees).collect()
}

/// Changes of the repository that either permission allows.
fn changes() -> [(Method, String, Value); 3] {
    [
        (Method::POST, LABELS.to_owned(), json!({"name": "grease"})),
        (Method::PATCH, format!("{LABELS}/oil"), json!({})),
        (Method::DELETE, format!("{LABELS}/oil"), json!({})),
    ]
}

async fn assert_reads(service: &Service, token: &str, path: &str, allowed: bool) {
    let answer = service.as_(token).get(path).await;
    let expected = if allowed { 200..300 } else { 403..404 };
    let expected = expected.contains(&answer.status.as_u16());
    assert!(expected, "{token} GET {path}: {}", answer.text);
}

async fn assert_changes(
    service: &Service,
    token: &str,
    (method, path, body): (Method, String, Value),
    allowed: bool,
) {
    let answer = send(service, token, method.clone(), &path, body).await;
    let expected = if allowed { 200..300 } else { 403..404 };
    let expected = expected.contains(&answer.status.as_u16());
    assert!(expected, "{token} {method} {path}: {}", answer.text);
    if !allowed {
        let message = answer.message();
        assert!(
            message.starts_with("Resource not accessible by"),
            "{message}"
        );
    }
}

#[tokio::test]
async fn an_issue_and_a_pull_request_each_require_the_permission_of_their_kind() {
    for token in TOKENS {
        let service = start().await;
        for subject in subjects(&service).await {
            for path in subject.reads() {
                let allowed = token.reads.include(subject.is_pull);
                assert_reads(&service, token.value, &path, allowed).await;
            }
            for path in subject.reads_of_conversation() {
                let allowed = token.reads.include_conversation(subject.is_pull);
                assert_reads(&service, token.value, &path, allowed).await;
            }
            for path in subject.reads_as_issue() {
                assert_reads(&service, token.value, &path, token.reads.issues).await;
            }
            let changes = subject.changes_of_conversation().into_iter();
            for change in changes.chain(subject.changes()) {
                let allowed = token.writes.include(subject.is_pull);
                assert_changes(&service, token.value, change, allowed).await;
            }
        }
    }
}

#[tokio::test]
async fn lists_of_issues_and_of_their_comments_require_the_permission_for_issues() {
    let service = start().await;
    subjects(&service).await;
    for token in TOKENS {
        for path in [WIDGETS.to_owned(), format!("{WIDGETS}/comments")] {
            assert_reads(&service, token.value, &path, token.reads.issues).await;
        }
    }
}

#[tokio::test]
async fn labels_and_assignees_of_a_repository_require_either_permission() {
    for token in TOKENS {
        let service = start().await;
        let oil = json!({"name": "oil"});
        service.as_("alice").post(LABELS, oil).await.expect(201);
        for path in reads() {
            assert_reads(&service, token.value, &path, token.reads.any()).await;
        }
        for change in changes() {
            assert_changes(&service, token.value, change, token.writes.any()).await;
        }
    }
}
