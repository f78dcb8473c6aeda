//! Several servers on one database, as separate processes would be: each with its
//! own connections and nothing in common but the data.

use std::sync::Arc;

use forgewright::app::{App, Settings};
use forgewright::clock::SystemClock;
use forgewright::database::{Database, Options, Reads};
use forgewright::entities::pull;
use forgewright::entropy::SystemEntropy;
use forgewright::web;
use forgewright::world::load::{Loader, Source};
use poem::endpoint::BoxEndpoint;
use poem::http::{Method, StatusCode};
use poem::{Endpoint, Request, Response};
use sea_orm::ActiveModelTrait;
use sea_orm::ActiveValue::Set;
use serde_json::{Value, json};

use crate::history::{Ask, Contains, Told};

/// How many servers there are.
const SERVERS: usize = 4;

/// How many commits the clients choose from.
pub const COMMITS: usize = 5;

/// A line of four commits, and one beside it.
const WORLD: &str = "
users: [{id: 1001, login: alice}]
repositories:
  - id: 2001
    full_name: alice/race
    visibility: public
    git:
      commits:
        - {id: c0, message: Zero, files: {a: zero}}
        - {id: c1, message: One, files: {a: one}}
        - {id: c2, message: Two, files: {a: two}}
        - {id: c3, message: Three, files: {a: three}}
        - {id: c4, message: Beside, parents: [c0], files: {b: beside}}
      refs:
        refs/heads/main: c0
        refs/keep/0: c0
        refs/keep/1: c1
        refs/keep/2: c2
        refs/keep/3: c3
        refs/keep/4: c4
tokens:
  - {kind: classic, user: alice, scopes: [repo, workflow], value: alice-classic}
";

/// Which of the commits contains which.
pub fn contains() -> Contains {
    let within = |old: usize, new: usize| old == new || old == 0 || (old < new && new < 4);
    (0..COMMITS)
        .map(|new| (0..COMMITS).map(|old| within(old, new)).collect())
        .collect()
}

/// The branches that are fought for: the first is a directory of the second.
const NAMES: [&str; 2] = ["heads/prize", "heads/prize/inner"];

pub struct Servers {
    databases: Vec<Database>,
    routers: Vec<BoxEndpoint<'static, Response>>,
    shas: Vec<String>,
}

impl Servers {
    pub async fn start(url: &str) -> Self {
        Database::migrate(url).await.unwrap();
        let mut servers = Self {
            databases: Vec::new(),
            routers: Vec::new(),
            shas: Vec::new(),
        };
        for _ in 0..SERVERS {
            let database = Database::connect(url, Options::default()).await.unwrap();
            let clock = Arc::new(SystemClock);
            let entropy = Arc::new(SystemEntropy);
            let app = App::new(database.clone(), clock, entropy, Settings::default());
            servers.routers.push(web::router(&app));
            servers.databases.push(database);
        }
        let loader = Loader::new(&servers.databases[0], &SystemClock, &SystemEntropy);
        let world = Source::inline("races.yaml", WORLD);
        if let Err(error) = loader.load(&world).await {
            panic!("{error}");
        }
        for commit in 0..COMMITS {
            let path = format!("/ref/keep/{commit}");
            let (status, body) = servers.send(0, Method::GET, &path, None).await;
            assert_eq!(status, StatusCode::OK, "{body}");
            let sha = body["object"]["sha"].as_str().unwrap();
            servers.shas.push(sha.to_owned());
        }
        servers
    }

    pub async fn stop(&self) {
        for database in &self.databases {
            database.close().await.unwrap();
        }
    }

    pub fn reads(&self) -> &Reads {
        self.databases[0].reads()
    }

    pub fn sha(&self, commit: usize) -> &str {
        &self.shas[commit]
    }

    /// Takes both branches away, if they are there.
    pub async fn forget(&self) {
        for name in NAMES {
            let path = format!("/refs/{name}");
            self.send(0, Method::DELETE, &path, None).await;
        }
    }

    /// Opens a pull request from the first branch.
    pub async fn open_pull(&self) -> i64 {
        let transaction = self.databases[0].begin().await.unwrap();
        let row = pull::ActiveModel {
            repository_id: Set(2001),
            number: Set(1),
            title: Set("The prize".to_owned()),
            author_id: Set(1001),
            base_ref: Set("main".to_owned()),
            base_sha: Set(self.shas[0].clone()),
            head_ref: Set("prize".to_owned()),
            head_sha: Set(self.shas[0].clone()),
            state: Set(pull::State::Open),
            created_at: Set(1),
            updated_at: Set(1),
            ..Default::default()
        };
        let row = row.insert(&transaction).await.unwrap();
        transaction.commit().await.unwrap();
        row.id
    }

    /// Asks one of the servers.
    pub async fn ask(&self, client: u64, ask: Ask) -> Told {
        let (method, path, body) = self.request(ask);
        let (status, answer) = self.send(client, method, &path, body).await;
        match status.as_u16() {
            200 | 201 => {
                let sha = answer["object"]["sha"].as_str().unwrap();
                let commit = self.shas.iter().position(|known| known == sha);
                Told::Commit(commit.unwrap())
            }
            204 => Told::Deleted,
            other => Told::Refused(other, answer["message"].as_str().unwrap().to_owned()),
        }
    }

    fn request(&self, ask: Ask) -> (Method, String, Option<Value>) {
        let sha = |commit: usize| self.shas[commit].as_str();
        match ask {
            Ask::Get(which) => (Method::GET, format!("/ref/{}", NAMES[which]), None),
            Ask::Create(which, commit) => {
                let name = format!("refs/{}", NAMES[which]);
                let body = json!({"ref": name, "sha": sha(commit)});
                (Method::POST, "/refs".to_owned(), Some(body))
            }
            Ask::Update {
                which,
                commit,
                force,
            } => {
                let body = json!({"sha": sha(commit), "force": force});
                (Method::PATCH, format!("/refs/{}", NAMES[which]), Some(body))
            }
            Ask::Delete(which) => (Method::DELETE, format!("/refs/{}", NAMES[which]), None),
        }
    }

    async fn send(
        &self,
        client: u64,
        method: Method,
        path: &str,
        body: Option<Value>,
    ) -> (StatusCode, Value) {
        let server = usize::try_from(client).unwrap() % SERVERS;
        let request = Request::builder()
            .method(method)
            .uri_str(format!("http://forge.test/repos/alice/race/git{path}"))
            .header("Authorization", "Bearer alice-classic")
            .body(body.map_or(String::new(), |body| body.to_string()));
        let mut response = self.routers[server].get_response(request).await;
        let text = response.take_body().into_string().await.unwrap();
        let body = serde_json::from_str(&text).unwrap_or(Value::Null);
        (response.status(), body)
    }
}

/// A setting of the tests, from the environment.
#[allow(
    clippy::disallowed_methods,
    reason = "tests are configured by the environment alone"
)]
pub fn setting(name: &str) -> Option<String> {
    std::env::var(name).ok()
}
