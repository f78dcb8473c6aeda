//! Fills in the placeholders of a path and of a body, and creates what they name. What a
//! request changes is always new, and by zoe or olivia, who are not in the table.

mod code;
mod conversations;

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};

use super::super::ADMINISTRATOR;
use super::Visibility;
use crate::harness::{Client, Service};
pub use conversations::new_comment;

/// The number of fixtures so far, so that no name is used twice.
static CREATED: AtomicUsize = AtomicUsize::new(0);

pub struct Fixtures<'a> {
    service: &'a Service,
    operation: &'a str,
    template: &'a str,
    visibility: Visibility,
    nth: usize,
    serial: usize,
    known: HashMap<String, String>,
}

impl<'a> Fixtures<'a> {
    pub fn new(
        service: &'a Service,
        operation: &'a str,
        template: &'a str,
        visibility: Visibility,
        nth: usize,
    ) -> Self {
        Self {
            service,
            operation,
            template,
            visibility,
            nth,
            serial: CREATED.fetch_add(1, Ordering::Relaxed),
            known: HashMap::new(),
        }
    }

    /// Replaces the placeholders between these delimiters, from left to right: a value may
    /// depend on those before it.
    pub async fn fill(&mut self, template: &str, (open, close): (char, char)) -> String {
        let mut filled = String::new();
        let mut rest = template;
        while let Some((before, after)) = rest.split_once(open) {
            let Some((placeholder, after)) = after.split_once(close) else {
                break;
            };
            filled += before;
            if !self.known.contains_key(placeholder) {
                let value = self.value(placeholder).await;
                self.known.insert(placeholder.to_owned(), value);
            }
            filled += &self.known[placeholder];
            rest = after;
        }
        filled + rest
    }

    async fn value(&self, placeholder: &str) -> String {
        match placeholder {
            "owner" | "org" => "acme".to_owned(),
            "username" => "alice".to_owned(),
            "user_id" => "1001".to_owned(),
            "repo" => self.visibility.pick("gadgets", "widgets").to_owned(),
            "assignee" => "carol".to_owned(),
            "nth" => self.unique(),
            "project_number" => self.visibility.pick("1", "2").to_owned(),
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
            placeholder => self.code(placeholder).await,
        }
    }

    fn administrator(&self) -> Client<'_> {
        self.service.as_(ADMINISTRATOR)
    }

    fn repository(&self) -> &'static str {
        self.visibility.repository()
    }

    fn known(&self, placeholder: &str) -> &str {
        &self.known[placeholder]
    }

    /// Whether the operation's path starts with this prefix, such as `/repos` or `/orgs`.
    fn below(&self, prefix: &str) -> bool {
        self.template.starts_with(prefix)
    }

    /// A name that is used only once.
    fn unique(&self) -> String {
        format!("{}-{}", self.operation, self.serial)
    }

    async fn create(&self, client: Client<'_>, path: &str, body: Value) -> Value {
        let answer = client.post(path, body).await;
        assert!(answer.status.is_success(), "{path}: {}", answer.text);
        answer.json()
    }

    fn project_field(&self) -> &'static str {
        match self.below("/orgs") {
            true => self.visibility.pick("5001", "5002"),
            false => self.visibility.pick("5003", "5004"),
        }
    }

    async fn item(&self) -> String {
        let owner = match self.below("/orgs") {
            true => "/orgs/acme",
            false => "/user/1001",
        };
        let path = format!("{owner}/projectsV2/{}/drafts", self.visibility.pick(1, 2));
        let draft = json!({"title": self.unique()});
        self.create(self.administrator(), &path, draft).await["id"].to_string()
    }

    /// An issue field of acme. If the path names an issue, it gets a value for the field.
    async fn issue_field(&self) -> String {
        if self.below("/repos") {
            let issue = self.known("issue_number");
            let path = format!("{}/issues/{issue}/issue-field-values", self.repository());
            let value = json!({"issue_field_values": [{"field_id": 4001, "value": "Low"}]});
            self.create(self.administrator(), &path, value).await;
        }
        if self.operation != "delete_issue_field" {
            return "4001".to_owned();
        }
        let field = json!({"name": self.unique(), "data_type": "text"});
        let path = "/orgs/acme/issue-fields";
        self.create(self.administrator(), path, field).await["id"].to_string()
    }

    /// An installation, or a placeholder for that of each caller, which the sender fills in.
    fn installation(&self) -> &'static str {
        match self.operation {
            "list_user_installation_repositories" => "{installation}",
            _ => "7001",
        }
    }

    /// The repository itself, or a spare one to add to the installation or remove from it.
    async fn repository_id(&self) -> &'static str {
        if self.below("/repositories") {
            return self.visibility.pick("2002", "2001");
        }
        let spare = self.visibility.pick("2006", "2007");
        let path = format!("/user/installations/7001/repositories/{spare}");
        match self.operation {
            "remove_installation_repository" => {
                self.administrator().put(&path).await.expect(204);
            }
            // The first time it is 404: the repository has not been added yet.
            _ => {
                self.administrator().delete(&path).await;
            }
        }
        spare
    }
}
