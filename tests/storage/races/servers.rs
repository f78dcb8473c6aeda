//! Several servers on one database. Each has its own connections, and they share only the data,
//! like separate processes.

use poem::http::Method;
use sea_orm::ActiveValue::Set;
use sea_orm::{ActiveModelTrait, ConnectionTrait, DbBackend, Statement};
use serde_json::{Value, json};
use storage::database::{Connection, Database};
use storage::entities::pull;

use super::history::{Change, Request, Response};
use crate::support::server::Server;

const SERVERS: usize = 4;

/// One commit for each request of a race.
pub const COMMITS: usize = 400;

/// The contested branches. The first is a directory of the second.
const NAMES: [&str; 2] = ["heads/prize", "heads/prize/inner"];

/// A pack without objects.
const EMPTY_PACK: &str = "5041434b0000000200000000029d08823bd8a8eab510ad6ac75c823cfd3ed31e";

/// Triggers that record every change of a reference in the same transaction.
const JOURNAL: [&str; 2] = [
    "CREATE TABLE journal (n INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT, sha TEXT);
     CREATE TRIGGER journal_insert AFTER INSERT ON git_ref BEGIN
        INSERT INTO journal (name, sha) VALUES (NEW.name, NEW.sha);
     END;
     CREATE TRIGGER journal_update AFTER UPDATE ON git_ref BEGIN
        INSERT INTO journal (name, sha) VALUES (NEW.name, NEW.sha);
     END;
     CREATE TRIGGER journal_delete AFTER DELETE ON git_ref BEGIN
        INSERT INTO journal (name, sha) VALUES (OLD.name, NULL);
     END",
    "CREATE TABLE journal (n BIGSERIAL PRIMARY KEY, name TEXT, sha TEXT);
     CREATE FUNCTION write_journal() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN
        INSERT INTO journal (name, sha) VALUES (coalesce(NEW.name, OLD.name), NEW.sha);
        RETURN NULL;
     END $$;
     CREATE TRIGGER journal AFTER INSERT OR UPDATE OR DELETE ON git_ref
        FOR EACH ROW EXECUTE FUNCTION write_journal()",
];

pub struct Servers {
    servers: Vec<Server>,
    shas: Vec<String>,
}

impl Servers {
    pub async fn start(url: &str) -> Self {
        let mut servers = Self {
            servers: Vec::new(),
            shas: Vec::new(),
        };
        for _ in 0..SERVERS {
            servers.servers.push(Server::start(url).await);
        }
        servers.servers[0].load("races.yaml", &world()).await;
        let (status, body) = servers
            .send(0, Method::GET, "/matching-refs/keep", None)
            .await;
        assert_eq!(status, 200, "{body}");
        let kept = body.as_array().unwrap().iter();
        let shas = kept.map(|kept| kept["object"]["sha"].as_str().unwrap().to_owned());
        servers.shas.extend(shas);
        let is_postgres = servers.reads().get_database_backend() == DbBackend::Postgres;
        servers.run(JOURNAL[usize::from(is_postgres)]).await;
        servers
    }

    async fn run(&self, sql: &str) {
        let transaction = self.database().begin().await.unwrap();
        transaction.execute_unprepared(sql).await.unwrap();
        transaction.commit().await.unwrap();
    }

    /// The changes of the branches since `delete_branches`.
    pub async fn changes(&self) -> Vec<Change> {
        let reads = self.reads();
        let sql = "SELECT name, sha FROM journal ORDER BY n";
        let statement = Statement::from_string(reads.get_database_backend(), sql);
        let rows = reads.query_all_raw(statement).await.unwrap();
        let changes = rows.iter().map(|row| {
            let name: String = row.try_get_by_index(0).unwrap();
            let sha: Option<String> = row.try_get_by_index(1).unwrap();
            let which = NAMES.iter().position(|known| name.ends_with(known));
            (which.unwrap(), sha.map(|sha| self.commit(&sha)))
        });
        changes.collect()
    }

    pub async fn stop(&self) {
        for server in &self.servers {
            server.stop().await;
        }
    }

    fn database(&self) -> &Database {
        &self.servers[0].app.db
    }

    pub fn reads(&self) -> &Connection {
        self.database().reads()
    }

    pub fn sha(&self, commit: usize) -> &str {
        &self.shas[commit]
    }

    fn commit(&self, sha: &str) -> usize {
        self.shas.iter().position(|known| known == sha).unwrap()
    }

    /// Deletes both branches, if they exist, and their recorded changes.
    pub async fn delete_branches(&self) {
        for name in NAMES {
            let path = format!("/refs/{name}");
            self.send(0, Method::DELETE, &path, None).await;
        }
        self.run("DELETE FROM journal").await;
    }

    /// Opens a pull request from the first branch.
    pub async fn open_pull(&self) -> i64 {
        let transaction = self.database().begin().await.unwrap();
        let row = pull::ActiveModel {
            repository_id: Set(2001),
            number: Set(1),
            title: Set("The prize".to_owned()),
            author_id: Set(1001),
            base_ref: Set("main".to_owned()),
            base_sha: Set(self.shas[0].clone()),
            head_ref: Set("prize".to_owned()),
            head_sha: Set(self.shas[0].clone()),
            state: Set(pull::PullState::Open),
            created_at: Set(1),
            updated_at: Set(1),
            ..Default::default()
        };
        let row = row.insert(&*transaction).await.unwrap();
        transaction.commit().await.unwrap();
        row.id
    }

    /// Sends a request to one of the servers.
    pub async fn execute(&self, client: usize, request: Request) -> Response {
        if let Request::Push(which, commit) = request {
            return self.push(client, which, commit).await;
        }
        let (method, path, body) = self.http_request(request);
        let (status, body) = self.send(client, method, &path, body).await;
        match status {
            200 | 201 => {
                let sha = body["object"]["sha"].as_str().unwrap();
                Response::Commit(self.commit(sha))
            }
            204 => Response::Deleted,
            other => Response::Refused(other, body["message"].as_str().unwrap().to_owned()),
        }
    }

    fn http_request(&self, request: Request) -> (Method, String, Option<Value>) {
        let sha = |commit: usize| self.shas[commit].as_str();
        match request {
            Request::Get(which) => (Method::GET, format!("/ref/{}", NAMES[which]), None),
            Request::Create(which, commit) => {
                let name = format!("refs/{}", NAMES[which]);
                let body = json!({"ref": name, "sha": sha(commit)});
                (Method::POST, "/refs".to_owned(), Some(body))
            }
            Request::Update {
                which,
                commit,
                force,
            } => {
                let body = json!({"sha": sha(commit), "force": force});
                (Method::PATCH, format!("/refs/{}", NAMES[which]), Some(body))
            }
            Request::Delete(which) => (Method::DELETE, format!("/refs/{}", NAMES[which]), None),
            Request::Push(..) => unreachable!("a push is not an API request"),
        }
    }

    /// Pushes a new reference with an empty pack, because the repository has all commits.
    async fn push(&self, client: usize, which: usize, commit: usize) -> Response {
        let name = format!("refs/{}", NAMES[which]);
        let zero = "0".repeat(40);
        let command = format!("{zero} {} {name}\0report-status", self.shas[commit]);
        let command = format!("{:04x}{command}0000", command.len() + 4);
        let pack = hex::decode(EMPTY_PACK).unwrap();
        let body = [command.as_bytes(), &pack].concat();
        let caller = self.servers[client % SERVERS].as_("alice-classic");
        let path = "/alice/race.git/git-receive-pack";
        let report = caller.send_body(Method::POST, path, body.into()).await;
        let status = report.status.as_u16();
        if report.text.contains(&format!("ok {name}\n")) {
            return Response::Commit(commit);
        }
        let errors = ["reference already exists", "directory file conflict"];
        let error = errors.into_iter().find(|error| report.text.contains(error));
        Response::Refused(status, error.unwrap_or(&report.text).to_owned())
    }

    async fn send(
        &self,
        client: usize,
        method: Method,
        path: &str,
        body: Option<Value>,
    ) -> (u16, Value) {
        let path = format!("/repos/alice/race/git{path}");
        let body = body.map(|body| body.to_string());
        let caller = self.servers[client % SERVERS].as_("alice-classic");
        caller.send(method, &path, body).await.parts()
    }
}

/// The commits that `history::contains` describes.
fn world() -> String {
    let mut commits = String::new();
    let mut refs = String::new();
    for commit in 0..COMMITS {
        let parents = match commit {
            0 => "[]".to_owned(),
            _ => format!("[c{}]", (commit - 1) / 2 * 2),
        };
        commits += &format!(
            "\n        - {{id: c{commit}, message: c{commit}, parents: {parents}, files: {{a: c{commit}}}}}"
        );
        refs += &format!("\n        refs/keep/{commit:03}: c{commit}");
    }
    format!(
        "
users: [{{id: 1001, login: alice}}]
repositories:
  - id: 2001
    full_name: alice/race
    visibility: public
    git:
      commits:{commits}
      refs:
        refs/heads/main: c0{refs}
tokens:
  - {{kind: classic, user: alice, scopes: [repo, workflow], value: alice-classic}}
"
    )
}
