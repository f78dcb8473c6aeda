//! The 28 operations as requests: which cells of the table are theirs, what they
//! are called with, and what must be there before each call.

use poem::http::Method;
use serde_json::{Value, json};

use super::ADMINISTRATOR;
use crate::harness::Service;

const ORG: &str = "Fields of a project of acme";
const USER: &str = "Fields of a project of the administrator's own";
const ISSUE: &str = "Issue fields";
const COMMENTS: &str = "Review comments";
const REFS: &str = "Git references";
const APPS: &str = "App installations";

const READ: &str = "list, get";
const CHANGE: &str = "create, update, delete";

/// An operation.
pub struct Act {
    pub name: &'static str,
    /// The title of the table, and the column without the visibility.
    pub section: &'static str,
    pub column: &'static str,
    pub method: Method,
    /// What the specification lists for success.
    pub success: u16,
}

/// Where it is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    Public,
    Private,
    /// Where there is no such distinction.
    Only,
}

/// What it is called with.
pub struct Target {
    pub path: String,
    pub body: Option<Value>,
}

const fn act(
    name: &'static str,
    section: &'static str,
    column: &'static str,
    method: Method,
    success: u16,
) -> Act {
    Act {
        name,
        section,
        column,
        method,
        success,
    }
}

#[rustfmt::skip]
static ACTS: [Act; 28] = [
    act("list_org_project_fields",             ORG,      READ,                        Method::GET,    200),
    act("add_org_project_field",               ORG,      "add",                       Method::POST,   201),
    act("get_org_project_field",               ORG,      READ,                        Method::GET,    200),
    act("list_user_project_fields",            USER,     READ,                        Method::GET,    200),
    act("add_user_project_field",              USER,     "add",                       Method::POST,   201),
    act("get_user_project_field",              USER,     READ,                        Method::GET,    200),
    act("list_issue_fields",                   ISSUE,    "list",                      Method::GET,    200),
    act("create_issue_field",                  ISSUE,    CHANGE,                      Method::POST,   200),
    act("update_issue_field",                  ISSUE,    CHANGE,                      Method::PATCH,  200),
    act("delete_issue_field",                  ISSUE,    CHANGE,                      Method::DELETE, 204),
    act("list_repo_review_comments",           COMMENTS, READ,                        Method::GET,    200),
    act("get_review_comment",                  COMMENTS, READ,                        Method::GET,    200),
    act("update_review_comment",               COMMENTS, "update, delete",            Method::PATCH,  200),
    act("delete_review_comment",               COMMENTS, "update, delete",            Method::DELETE, 204),
    act("list_pull_review_comments",           COMMENTS, READ,                        Method::GET,    200),
    act("create_review_comment",               COMMENTS, "create, reply",             Method::POST,   201),
    act("reply_to_review_comment",             COMMENTS, "create, reply",             Method::POST,   201),
    act("list_matching_refs",                  REFS,     READ,                        Method::GET,    200),
    act("get_ref",                             REFS,     READ,                        Method::GET,    200),
    act("create_ref",                          REFS,     CHANGE,                      Method::POST,   201),
    act("update_ref",                          REFS,     CHANGE,                      Method::PATCH,  200),
    act("delete_ref",                          REFS,     CHANGE,                      Method::DELETE, 204),
    act("list_installation_repositories",      APPS,     "list repositories",         Method::GET,    200),
    act("revoke_installation_token",           APPS,     "revoke token",              Method::DELETE, 204),
    act("list_user_installations",             APPS,     "list user's installations", Method::GET,    200),
    act("list_user_installation_repositories", APPS,     "list user's repositories",  Method::GET,    200),
    act("add_installation_repository",         APPS,     "add, remove",               Method::PUT,    204),
    act("remove_installation_repository",      APPS,     "add, remove",               Method::DELETE, 204),
];

pub fn named(name: &str) -> &'static Act {
    let found = ACTS.iter().find(|act| act.name == name);
    found.unwrap_or_else(|| panic!("no requests for {name}"))
}

impl Place {
    /// The column's name as the table has it.
    pub fn column(self, column: &str) -> String {
        match self {
            Self::Only => column.to_owned(),
            _ => format!("{column}: {}", self.word()),
        }
    }

    pub fn word(self) -> &'static str {
        match self {
            Self::Public => "public",
            Self::Private => "private",
            Self::Only => "",
        }
    }

    fn pick<T>(self, public: T, private: T) -> T {
        match self {
            Self::Private => private,
            Self::Public | Self::Only => public,
        }
    }

    fn project(self) -> i64 {
        self.pick(1, 2)
    }

    fn repository(self) -> &'static str {
        self.pick("/repos/acme/gadgets", "/repos/acme/widgets")
    }

    /// The repository that comes to the installation, and goes.
    fn installable(self) -> String {
        let spare = self.pick(2006, 2007);
        format!("/user/installations/7001/repositories/{spare}")
    }
}

impl Act {
    pub fn places(&self) -> &'static [Place] {
        match (self.section, self.column) {
            (ISSUE, _) => &[Place::Only],
            (APPS, column) if column != "add, remove" => &[Place::Only],
            _ => &[Place::Public, Place::Private],
        }
    }

    /// Who sees, and where, whether it changed anything.
    pub fn shows_changes(&self, place: Place) -> Option<(&'static str, String)> {
        if self.method == Method::GET || self.name == "revoke_installation_token" {
            return None;
        }
        let number = place.project();
        let path = match self.section {
            ORG => format!("/orgs/acme/projectsV2/{number}/fields?per_page=100"),
            USER => format!("/users/alice/projectsV2/{number}/fields?per_page=100"),
            ISSUE => "/orgs/acme/issue-fields".to_owned(),
            COMMENTS => format!("{}/pulls/comments?per_page=100", place.repository()),
            REFS => format!("{}/git/matching-refs", place.repository()),
            _ => {
                let path = "/user/installations/7001/repositories?per_page=100";
                return Some(("app-user-administrator-write", path.to_owned()));
            }
        };
        Some((ADMINISTRATOR, path))
    }

    /// What to call next, after so many successes; lays it out where a success
    /// uses it up.
    pub async fn target(&self, service: &Service, place: Place, nth: usize) -> Target {
        match self.section {
            ORG => self.field(
                &format!("/orgs/acme/projectsV2/{}", place.project()),
                place,
                nth,
            ),
            USER => self.field(
                &format!("/users/alice/projectsV2/{}", place.project()),
                place,
                nth,
            ),
            ISSUE => self.issue_field(service, nth).await,
            COMMENTS => self.comment(service, place, nth).await,
            REFS => self.reference(service, place, nth).await,
            _ => self.installation(service, place).await,
        }
    }

    fn field(&self, project: &str, place: Place, nth: usize) -> Target {
        let fields = format!("{project}/fields");
        let (public, private) = if self.section == ORG {
            (5001, 5002)
        } else {
            (5003, 5004)
        };
        match self.name.split('_').next() {
            Some("get") => Target::at(format!("{fields}/{}", place.pick(public, private))),
            Some("add") => {
                Target::at(fields).with(json!({"name": format!("New {nth}"), "data_type": "text"}))
            }
            _ => Target::at(fields),
        }
    }

    async fn issue_field(&self, service: &Service, nth: usize) -> Target {
        let all = "/orgs/acme/issue-fields";
        let new = json!({"name": format!("New {nth}"), "data_type": "text"});
        match self.name {
            "create_issue_field" => Target::at(all).with(new),
            "update_issue_field" => {
                Target::at(format!("{all}/4001")).with(json!({"name": format!("Renamed {nth}")}))
            }
            "delete_issue_field" => {
                let administrator = service.as_(ADMINISTRATOR);
                let doomed = administrator.post(all, new).await.expect(200).json();
                Target::at(format!("{all}/{}", doomed["id"]))
            }
            _ => Target::at(all),
        }
    }

    async fn comment(&self, service: &Service, place: Place, nth: usize) -> Target {
        let pulls = format!("{}/pulls", place.repository());
        let text = json!({"body": format!("Text {nth}")});
        match self.name {
            "list_repo_review_comments" => Target::at(format!("{pulls}/comments")),
            "list_pull_review_comments" => Target::at(format!("{pulls}/1/comments")),
            "create_review_comment" => {
                let body = nth_comment(service, place, nth).await;
                Target::at(format!("{pulls}/1/comments")).with(body)
            }
            name => {
                let body = nth_comment(service, place, nth).await;
                let path = format!("{pulls}/1/comments");
                let comment = service
                    .as_("zoe-classic")
                    .post(&path, body)
                    .await
                    .expect(201);
                let id = comment.json()["id"].clone();
                match name {
                    "reply_to_review_comment" => {
                        Target::at(format!("{pulls}/1/comments/{id}/replies")).with(text)
                    }
                    "update_review_comment" => {
                        Target::at(format!("{pulls}/comments/{id}")).with(text)
                    }
                    _ => Target::at(format!("{pulls}/comments/{id}")),
                }
            }
        }
    }

    async fn reference(&self, service: &Service, place: Place, nth: usize) -> Target {
        let git = format!("{}/git", place.repository());
        let administrator = service.as_(ADMINISTRATOR);
        let branch = if nth.is_multiple_of(2) {
            "topic"
        } else {
            "main"
        };
        let path = format!("{git}/ref/heads/{branch}");
        let sha = administrator.get(&path).await.expect(200).json()["object"]["sha"].clone();
        let new = json!({"ref": format!("refs/heads/new-{nth}"), "sha": sha});
        match self.name {
            "list_matching_refs" => Target::at(format!("{git}/matching-refs/heads")),
            "get_ref" => Target::at(path),
            "create_ref" => Target::at(format!("{git}/refs")).with(new),
            "update_ref" => Target::at(format!("{git}/refs/heads/moving"))
                .with(json!({"sha": sha, "force": true})),
            _ => {
                let refs = format!("{git}/refs");
                administrator.post(&refs, new).await.expect(201);
                Target::at(format!("{git}/refs/heads/new-{nth}"))
            }
        }
    }

    async fn installation(&self, service: &Service, place: Place) -> Target {
        let administrator = service.as_(ADMINISTRATOR);
        match self.name {
            "list_installation_repositories" => Target::at("/installation/repositories"),
            "revoke_installation_token" => Target::at("/installation/token"),
            "list_user_installations" => Target::at("/user/installations"),
            "list_user_installation_repositories" => {
                Target::at("/user/installations/{installation}/repositories")
            }
            "remove_installation_repository" => {
                administrator.put(&place.installable()).await.expect(204);
                Target::at(place.installable())
            }
            _ => {
                // 404 at first, when it has not been added yet.
                administrator.delete(&place.installable()).await;
                Target::at(place.installable())
            }
        }
    }
}

impl Target {
    fn at(path: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            body: None,
        }
    }

    fn with(self, body: Value) -> Self {
        Self {
            body: Some(body),
            ..self
        }
    }
}

/// The same text twice in a short time would be refused.
async fn nth_comment(service: &Service, place: Place, nth: usize) -> Value {
    let mut body = new_comment(service, place.repository()).await;
    body["body"] = json!(format!("Why {nth}?"));
    body
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
