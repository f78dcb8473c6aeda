//! Loading world files into real databases. The tests of single keys are in `crates/world/src/tests.rs`.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod fields;
mod histories;
#[cfg(unix)]
mod hostile_repositories;
mod keys;
mod reports;
#[path = "../support/mod.rs"]
mod support;
mod tokens;

use contract::values::Timestamp;
use sea_orm::EntityTrait;
use storage::clock::HeldClock;
use storage::database::{Database, Options};
use storage::entities::{account, repository};
use storage::entropy::SeededEntropy;
use support::database::with_database;
use support::tables::{changed_tables, dump};
use world::load::{LoadError, Loaded, Loader, WorldSource};

const EXAMPLE: &str = include_str!("../../crates/world/src/tests/example.yaml");

/// A migrated database, a fixed clock, and seeded randomness.
struct Setup {
    db: Database,
    clock: HeldClock,
    entropy: SeededEntropy,
}

impl Setup {
    async fn new(url: &str) -> Self {
        Database::migrate(url).await.unwrap();
        Self {
            db: Database::connect(url, Options::default()).await.unwrap(),
            clock: HeldClock::at(Timestamp::parse("2026-03-10T09:30:00Z").unwrap()),
            entropy: SeededEntropy::new(7),
        }
    }

    async fn try_load(&self, source: &WorldSource) -> Result<Loaded, LoadError> {
        Loader::new(&self.db, &self.clock, &self.entropy)
            .load(source)
            .await
    }

    async fn load(&self, text: &str) -> Loaded {
        let source = WorldSource::inline("world.yaml", text);
        self.try_load(&source)
            .await
            .unwrap_or_else(|error| panic!("{error}"))
    }

    /// The error of a file that cannot be loaded. A check must report the same.
    async fn load_error(&self, text: &str) -> String {
        let source = WorldSource::inline("world.yaml", text);
        let error = self.try_load(&source).await.unwrap_err().to_string();
        let loader = Loader::new(&self.db, &self.clock, &self.entropy);
        let found = loader.check(&source).await.unwrap_err().to_string();
        assert_eq!(found, error, "the check reports another error");
        error
    }
}

/// The published example without its repository on disk, which an inline world cannot have.
fn example() -> String {
    let git = EXAMPLE
        .find("    git:                          # exactly one")
        .unwrap();
    let next = EXAMPLE.find("  - full_name: acme/gadgets").unwrap();
    [&EXAMPLE[..git], &EXAMPLE[next..]].concat()
}

#[tokio::test]
async fn loading_a_world_again_changes_nothing() {
    with_database(async |url: &str| {
        let setup = Setup::new(url).await;
        for source in [
            WorldSource::demo(),
            WorldSource::inline("example", example()),
        ] {
            let first = setup.try_load(&source).await.unwrap();
            assert!(first.added + first.changed > 10, "{first:?}");
            let before = dump(&setup.db).await;
            setup.clock.advance(100);
            let second = setup.try_load(&source).await.unwrap();
            let all = first.added + first.changed + first.unchanged;
            assert_eq!((second.added, second.changed), (0, 0), "{}", source.name);
            assert_eq!(second.unchanged, all);
            assert_eq!(second.tokens, []);
            assert_eq!(dump(&setup.db).await, before, "{}", source.name);
        }
        setup.db.close().await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn a_load_returns_new_ids_and_warns_of_unknown_events() {
    with_database(async |url: &str| {
        let setup = Setup::new(url).await;
        let text = "users: [{login: a, id: 7}]\nrepositories: [{full_name: a/b, id: 8}]\napps:\n  - {slug: s, id: 9, owner: a, events: [pull_request_review_comment]}\n  - {slug: t, id: 10, owner: a, events: [pull_request_review_coment]}\ninstallations: [{app: s, account: a, id: 11}]\n";
        let loaded = setup.load(text).await;
        let created: Vec<_> = loaded
            .created
            .iter()
            .map(|created| (created.kind, &*created.name, created.id))
            .collect();
        assert_eq!(
            created,
            [
                ("user", "a", 7),
                ("repository", "a/b", 8),
                ("app", "s", 9),
                ("app", "t", 10),
                ("installation", "s on a", 11),
            ]
        );
        assert_eq!(
            loaded.warnings,
            ["world.yaml:5:42: the event `pull_request_review_coment` is never sent; did you mean `pull_request_review_comment`?"]
        );
        assert_eq!(setup.load(text).await.created, []);
        setup.db.close().await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn a_changed_description_changes_only_its_repository() {
    with_database(async |url: &str| {
        let setup = Setup::new(url).await;
        let world = |description: &str| {
            format!(
                "users: [{{login: a}}]\nrepositories:\n  - {{full_name: a/b, description: {description}}}\n  - {{full_name: a/c}}\n"
            )
        };
        setup.load(&world("one")).await;
        let before = dump(&setup.db).await;
        setup.clock.advance(60);
        let loaded = setup.load(&world("two")).await;
        assert_eq!((loaded.added, loaded.changed, loaded.unchanged), (0, 1, 2));
        let after = dump(&setup.db).await;
        assert_eq!(changed_tables(&before, &after), "repository");
        let rows = repository::Entity::find().all(setup.db.reads()).await.unwrap();
        let b = rows.iter().find(|row| row.name == "b").unwrap();
        assert_eq!(b.description.as_deref(), Some("two"));
        assert_eq!(b.updated_at, b.created_at + 60);
        let c = rows.iter().find(|row| row.name == "c").unwrap();
        assert_eq!(c.updated_at, c.created_at);
        setup.db.close().await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn omitted_keys_keep_their_values() {
    with_database(async |url: &str| {
        let setup = Setup::new(url).await;
        setup
            .load("users: [{login: A, name: Ann, site_admin: true}]\nrepositories: [{full_name: a/b, visibility: public, topics: [x], homepage: h}]\n")
            .await;
        let before = dump(&setup.db).await;
        let loaded = setup
            .load("users: [{login: A}]\nrepositories: [{full_name: A/B}]\n")
            .await;
        // A name in another case is a change.
        assert_eq!((loaded.added, loaded.changed, loaded.unchanged), (0, 1, 1));
        let loaded = setup
            .load("users: [{login: A}]\nrepositories: [{full_name: a/b}]\n")
            .await;
        assert_eq!(loaded.changed, 1);
        assert_eq!(dump(&setup.db).await, before);
        setup.db.close().await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn a_file_with_an_error_changes_nothing() {
    let mistakes = [
        ("login: bob\n", "login: b b\n"),
        ("role: member", "role: owner"),
        ("full_name: acme/gadgets", "full_name: acme/../gadgets"),
        ("permission: write}", "permission: wrote}"),
        (
            "number: 1\n    title: Roadmap",
            "number: 0\n    title: Roadmap",
        ),
        ("app: ci-bot\n", "app: cibot\n"),
        (
            "repositories: [widgets]            #",
            "repositories: [wodgets]            #",
        ),
        ("expires_in: 3600", "expires_in: never"),
        ("parents: [c1]", "parents: [c9]"),
        ("data_type: single_select", "data_type: single"),
        ("duration: 14", "duration: 0"),
    ];
    with_database(async |url: &str| {
        let setup = Setup::new(url).await;
        let before = dump(&setup.db).await;
        for (right, wrong) in mistakes {
            let text = example();
            assert!(text.contains(right), "{right:?} is not in the example");
            let error = setup.load_error(&text.replacen(right, wrong, 1)).await;
            assert!(error.starts_with("world.yaml:"), "{wrong}: {error}");
            assert_eq!(dump(&setup.db).await, before, "{wrong}");
        }
        setup.db.close().await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn ids_of_the_file_are_used_and_generated_ids_follow_them() {
    with_database(async |url: &str| {
        let setup = Setup::new(url).await;
        setup
            .load("users: [{login: early}, {id: 1, login: first}, {id: 70, login: a}, {login: b}]\nrepositories: [{id: 900, full_name: a/r}]\n")
            .await;
        setup
            .load("users: [{login: c}]\nrepositories: [{full_name: c/r}]\n")
            .await;
        let users = account::Entity::find().all(setup.db.reads()).await.unwrap();
        let id = |login: &str| users.iter().find(|user| user.login == login).unwrap().id;
        assert_eq!((id("first"), id("a")), (1, 70));
        assert!(id("early") > 70 && id("b") > 70 && id("c") > 70);
        let repositories = repository::Entity::find().all(setup.db.reads()).await.unwrap();
        let ids: Vec<i64> = repositories.iter().map(|row| row.id).collect();
        assert_eq!(ids, [900, 901]);
        setup.db.close().await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn a_taken_id_is_reported_with_its_position() {
    with_database(async |url: &str| {
        let setup = Setup::new(url).await;
        setup
            .load("users: [{id: 7, login: a}]\nprojects: [{id: 8, owner: a, number: 1, title: T}]\n")
            .await;
        assert_eq!(
            setup.load_error("users:\n  - {id: 7, login: b}\n").await,
            "world.yaml:2:10: the account id `7` is taken; expected an id that is not in the database"
        );
        assert_eq!(
            setup
                .load_error("organizations:\n  - {id: 9, login: o}\n  - {id: 7, login: p}\nusers:\n  - {id: 8, login: a}\n")
                .await,
            "world.yaml:3:10: the account id `7` is taken; expected an id that is not in the database\n\
             world.yaml:5:10: the account has another id in the database; expected `7` or no `id`, found `8`"
        );
        assert_eq!(
            setup
                .load_error("projects:\n  - {id: 8, owner: a, number: 2, title: T}\n")
                .await,
            "world.yaml:2:10: the project id `8` is taken; expected an id that is not in the database"
        );
        setup.db.close().await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn a_second_file_can_refer_to_contents_of_the_first() {
    with_database(async |url: &str| {
        let setup = Setup::new(url).await;
        setup.load("users: [{login: a}]\nrepositories: [{full_name: a/r}]\napps: [{slug: s, owner: a}]\n").await;
        let loaded = setup
            .load("installations: [{app: s, account: A, repository_selection: selected, repositories: [R]}]\ntokens: [{kind: classic, user: A}]\n")
            .await;
        assert_eq!((loaded.added, loaded.tokens.len()), (2, 1));
        assert_eq!(
            setup.load_error("organizations:\n  - {login: A}\n").await,
            "world.yaml:2:13: the login `A` is taken; expected a login for an organization, found a user with that login in the database"
        );
        setup.db.close().await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn two_concurrent_loads_create_everything_once() {
    with_database(async |url: &str| {
        let setup = Setup::new(url).await;
        let other = Setup {
            db: Database::connect(url, Options::default()).await.unwrap(),
            clock: setup.clock.clone(),
            entropy: SeededEntropy::new(8),
        };
        let source = WorldSource::inline("example", example());
        let (one, two) = tokio::join!(setup.try_load(&source), other.try_load(&source));
        let (one, two) = (one.unwrap(), two.unwrap());
        let (first, second) = match one.added > 0 {
            true => (one, two),
            false => (two, one),
        };
        assert_eq!((second.added, second.changed), (0, 0));
        assert_eq!(second.unchanged, first.added);
        assert_eq!((first.tokens.len(), second.tokens.len()), (5, 0));
        other.db.close().await.unwrap();
        setup.db.close().await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn an_inline_world_can_neither_write_keys_nor_import() {
    with_database(async |url: &str| {
        let setup = Setup::new(url).await;
        let key = "users: [{login: a}]\napps:\n  - {slug: s, owner: a, generate_key: k.pem}\n";
        assert_eq!(
            setup.load_error(key).await,
            "world.yaml:3:39: `generate_key` in a world that is not a file on disk; expected `public_key`"
        );
        let git = "users: [{login: a}]\nrepositories:\n  - {full_name: a/b, git: {path: x.git}}\n";
        assert_eq!(
            setup.load_error(git).await,
            "world.yaml:3:34: `path` in a world that is not a file on disk; expected `commits`"
        );
        setup.db.close().await.unwrap();
    })
    .await;
}
