//! Fills in the words of a path and of a body, and lays out what they name. What is to be
//! changed is always new, and somebody else's: zoe's or olivia's, who are not in the table.

mod code;
mod talk;

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};

use super::super::ADMINISTRATOR;
use super::Place;
use crate::harness::{Service, Speaker};
pub use talk::new_comment;

/// What was laid out so far, so that no name is used twice.
static LAID_OUT: AtomicUsize = AtomicUsize::new(0);

pub struct Things<'a> {
    service: &'a Service,
    operation: &'a str,
    template: &'a str,
    place: Place,
    nth: usize,
    serial: usize,
    known: HashMap<String, String>,
}

impl<'a> Things<'a> {
    pub fn new(
        service: &'a Service,
        operation: &'a str,
        template: &'a str,
        place: Place,
        nth: usize,
    ) -> Self {
        Self {
            service,
            operation,
            template,
            place,
            nth,
            serial: LAID_OUT.fetch_add(1, Ordering::Relaxed),
            known: HashMap::new(),
        }
    }

    /// Replaces the words between these marks, from left to right: what a word names may
    /// depend on those before it.
    pub async fn fill(&mut self, template: &str, (open, close): (char, char)) -> String {
        let mut filled = String::new();
        let mut rest = template;
        while let Some((before, after)) = rest.split_once(open) {
            let Some((word, after)) = after.split_once(close) else {
                break;
            };
            filled += before;
            if !self.known.contains_key(word) {
                let value = self.value(word).await;
                self.known.insert(word.to_owned(), value);
            }
            filled += &self.known[word];
            rest = after;
        }
        filled + rest
    }

    async fn value(&self, word: &str) -> String {
        match word {
            "owner" | "org" => "acme".to_owned(),
            "username" => "alice".to_owned(),
            "user_id" => "1001".to_owned(),
            "repo" => self.place.pick("gadgets", "widgets").to_owned(),
            "assignee" => "carol".to_owned(),
            "nth" => self.unique(),
            "project_number" => self.place.pick("1", "2").to_owned(),
            "field_id" => self.project_field().to_owned(),
            "item_id" => self.item().await,
            "issue_field_id" => self.issue_field().await,
            "installation_id" => self.installation().to_owned(),
            "repository_id" => self.repository_id().await.to_owned(),
            "issue_number" => self.issue(self.repository()).await,
            "new_issue" => self.issue("/repos/acme/gadgets").await,
            "name" => self.label().await,
            "comment_id" => self.comment().await,
            "new_comment" => self.comment_body().await.to_string(),
            "reaction_id" => self.reaction().await,
            "pull_number" => self.pull().await,
            "review_id" => self.review().await,
            word => self.code(word).await,
        }
    }

    fn administrator(&self) -> Speaker<'_> {
        self.service.as_(ADMINISTRATOR)
    }

    fn repository(&self) -> &'static str {
        self.place.repository()
    }

    fn known(&self, word: &str) -> &str {
        &self.known[word]
    }

    /// Whether the operation is the one on a repository, an organization or a user.
    fn below(&self, prefix: &str) -> bool {
        self.template.starts_with(prefix)
    }

    /// A name that nothing else has.
    fn unique(&self) -> String {
        format!("{}-{}", self.operation, self.serial)
    }

    async fn make(&self, speaker: Speaker<'_>, path: &str, body: Value) -> Value {
        let answer = speaker.post(path, body).await;
        assert!(answer.status.is_success(), "{path}: {}", answer.text);
        answer.json()
    }

    fn project_field(&self) -> &'static str {
        match self.below("/orgs") {
            true => self.place.pick("5001", "5002"),
            false => self.place.pick("5003", "5004"),
        }
    }

    async fn item(&self) -> String {
        let owner = match self.below("/orgs") {
            true => "/orgs/acme",
            false => "/user/1001",
        };
        let path = format!("{owner}/projectsV2/{}/drafts", self.place.pick(1, 2));
        let draft = json!({"title": self.unique()});
        self.make(self.administrator(), &path, draft).await["id"].to_string()
    }

    /// An issue field of acme, with a value where the path is that of an issue.
    async fn issue_field(&self) -> String {
        if self.below("/repos") {
            let issue = self.known("issue_number");
            let path = format!("{}/issues/{issue}/issue-field-values", self.repository());
            let value = json!({"issue_field_values": [{"field_id": 4001, "value": "Low"}]});
            self.make(self.administrator(), &path, value).await;
        }
        if self.operation != "delete_issue_field" {
            return "4001".to_owned();
        }
        let field = json!({"name": self.unique(), "data_type": "text"});
        let path = "/orgs/acme/issue-fields";
        self.make(self.administrator(), path, field).await["id"].to_string()
    }

    /// Whoever sends the request fills in its own.
    fn installation(&self) -> &'static str {
        match self.operation {
            "list_user_installation_repositories" => "{installation}",
            _ => "7001",
        }
    }

    /// The repository itself, or one that comes to the installation and goes.
    async fn repository_id(&self) -> &'static str {
        if self.below("/repositories") {
            return self.place.pick("2002", "2001");
        }
        let spare = self.place.pick("2006", "2007");
        let path = format!("/user/installations/7001/repositories/{spare}");
        match self.operation {
            "remove_installation_repository" => {
                self.administrator().put(&path).await.expect(204);
            }
            // 404 at first, when it has not been added yet.
            _ => {
                self.administrator().delete(&path).await;
            }
        }
        spare
    }
}
