//! Issues, pull requests, and what is said in them.

use poem::http::Method;
use serde_json::{Value, json};

use super::Things;
use crate::harness::Service;

/// What needs a pull request of its own: a success uses it up, or nobody has two there.
const OWN_PULL: [&str; 7] = [
    "update_pull",
    "update_pull_branch",
    "merge_pull",
    "is_pull_merged",
    "create_review",
    "submit_review",
    "delete_pending_review",
];

impl Things<'_> {
    /// A new issue of zoe's, with a label and somebody assigned.
    pub(super) async fn issue(&self, repository: &str) -> String {
        let path = format!("{repository}/issues");
        let zoe = self.service.as_("zoe-classic");
        let issue = self.make(zoe, &path, json!({"title": self.unique()})).await;
        let number = issue["number"].to_string();
        let more = json!({"labels": ["bug"], "assignees": ["carol"]});
        let path = format!("{path}/{number}");
        self.administrator().patch(&path, more).await.expect(200);
        number
    }

    /// The label of the issue, or a new one of the repository.
    pub(super) async fn label(&self) -> String {
        if self.known.contains_key("issue_number") {
            return "bug".to_owned();
        }
        let path = format!("{}/labels", self.repository());
        let label = json!({"name": self.unique(), "color": "00ff00"});
        self.make(self.administrator(), &path, label).await;
        self.unique()
    }

    /// A new comment of zoe's, on the lines of the pull request or in its conversation.
    pub(super) async fn comment(&self) -> String {
        let zoe = self.service.as_("zoe-classic");
        let (path, body) = match self.template.contains("/pulls/") {
            true => ("pulls/1/comments", self.comment_body().await),
            false => ("issues/1/comments", json!({"body": self.unique()})),
        };
        let path = format!("{}/{path}", self.repository());
        self.make(zoe, &path, body).await["id"].to_string()
    }

    /// The same text twice in a short time would be refused.
    pub(super) async fn comment_body(&self) -> Value {
        let mut body = new_comment(self.service, self.repository()).await;
        body["body"] = json!(self.unique());
        body
    }

    /// The administrator's, on the comment of the path.
    pub(super) async fn reaction(&self) -> String {
        let comment = self.known("comment_id");
        let kind = match self.template.contains("/pulls/") {
            true => "pulls",
            false => "issues",
        };
        let path = format!("{}/{kind}/comments/{comment}/reactions", self.repository());
        let body = json!({"content": "rocket"});
        self.make(self.administrator(), &path, body).await["id"].to_string()
    }

    pub(super) async fn pull(&self) -> String {
        if !OWN_PULL.contains(&self.operation) {
            return "1".to_owned();
        }
        let (base, head) = (self.branch("topic").await, self.branch("side").await);
        let path = format!("{}/pulls", self.repository());
        let pull = json!({"title": self.unique(), "base": base, "head": head});
        let olivia = self.service.as_("olivia-classic");
        let number = self.make(olivia, &path, pull).await["number"].to_string();
        if self.operation == "is_pull_merged" {
            let path = format!("{path}/{number}/merge");
            self.administrator().put(&path).await.expect(200);
        }
        number
    }

    /// Zoe's approval, or a review that the administrator has not submitted.
    pub(super) async fn review(&self) -> String {
        let path = format!(
            "{}/pulls/{}/reviews",
            self.repository(),
            self.known("pull_number")
        );
        let pending = OWN_PULL.contains(&self.operation);
        let (speaker, body) = match pending {
            true => (self.administrator(), json!({"body": "Not yet"})),
            false => (
                self.service.as_("zoe-classic"),
                json!({"event": "APPROVE", "body": self.unique()}),
            ),
        };
        self.make(speaker, &path, body).await["id"].to_string()
    }

    /// The branch that a new pull request is from.
    pub(super) async fn branch(&self, at: &str) -> String {
        let name = format!("{at}-{}", self.unique());
        let path = format!("{}/git/refs", self.repository());
        let sha = self.sha_of(&format!("heads/{at}")).await;
        let new = json!({"ref": format!("refs/heads/{name}"), "sha": sha});
        self.make(self.administrator(), &path, new).await;
        name
    }

    /// A file on the branch of files, by its object's name.
    pub(super) async fn file(&self, path: &str) -> String {
        let at = format!("{}/contents/{path}", self.repository());
        let body = json!({"message": "Add", "content": "SGk=", "branch": "files"});
        let body = Some(body.to_string());
        let made = self.administrator().send(Method::PUT, &at, body).await;
        let made = made.expect(201).json();
        made["content"]["sha"].as_str().unwrap().to_owned()
    }
}

/// The body of a comment on the changed line of the repository's pull request.
pub async fn new_comment(service: &Service, repository: &str) -> Value {
    let path = format!("{repository}/git/ref/heads/topic");
    let olivia = service.as_("olivia-classic");
    let head = olivia.get(&path).await.expect(200).json()["object"]["sha"].clone();
    let file = if repository.contains("globex") {
        "ROCKET.md"
    } else {
        "README.md"
    };
    json!({"body": "Why?", "commit_id": head, "path": file, "line": 2, "side": "RIGHT"})
}
