//! Loading world files into real databases: SQLite always, and PostgreSQL when
//! TEST_DATABASE_URL names a server. What is wrong with single keys is tested beside
//! the checks, in `src/world/tests`.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod private_database;
mod tables;

use std::path::Path;

use forgewright::clock::HeldClock;
use forgewright::contract::values::Timestamp;
use forgewright::database::{Database, Options};
use forgewright::entities::{account, app, repository, token};
use forgewright::entropy::SeededEntropy;
use forgewright::world::load::{LoadError, Loaded, Loader, Source, demo_tokens};
use private_database::on_each;
use sea_orm::{EntityTrait, QueryFilter};
use tables::{dump, only_difference};

const EXAMPLE: &str = include_str!("../src/world/tests/example.yaml");

/// A migrated database, a clock that stands still, and randomness that repeats.
struct Place {
    db: Database,
    clock: HeldClock,
    entropy: SeededEntropy,
}

impl Place {
    async fn at(url: &str) -> Self {
        Database::migrate(url).await.unwrap();
        Self {
            db: Database::connect(url, Options::default()).await.unwrap(),
            clock: HeldClock::at(Timestamp::parse("2026-03-10T09:30:00Z").unwrap()),
            entropy: SeededEntropy::new(7),
        }
    }

    async fn try_load(&self, source: &Source) -> Result<Loaded, LoadError> {
        Loader::new(&self.db, &self.clock, &self.entropy)
            .load(source)
            .await
    }

    async fn load(&self, text: &str) -> Loaded {
        let source = Source::inline("world.yaml", text);
        self.try_load(&source)
            .await
            .unwrap_or_else(|error| panic!("{error}"))
    }

    async fn refusal(&self, text: &str) -> String {
        let source = Source::inline("world.yaml", text);
        let error = self.try_load(&source).await.unwrap_err().to_string();
        let loader = Loader::new(&self.db, &self.clock, &self.entropy);
        if let Err(found) = loader.check(&source).await {
            assert_eq!(found.to_string(), error, "checking and loading agree");
        }
        error
    }
}

/// The published example; its repository on disk is left out, because a text has no
/// folder that it could be relative to.
fn example() -> String {
    let path = "    git:                          # exactly one of `path` and `commits`; neither: an empty repository\n      path: ../widgets.git        # a real repository, relative to this file: all refs and all that they reach\n";
    assert!(EXAMPLE.contains(path));
    EXAMPLE.replace(path, "")
}

#[tokio::test]
async fn loading_a_world_again_changes_nothing_and_says_so() {
    on_each(async |url: &str| {
        let place = Place::at(url).await;
        for source in [Source::demo(), Source::inline("example", example())] {
            let first = place.try_load(&source).await.unwrap();
            assert!(first.added > 10, "{first:?}");
            let before = dump(&place.db).await;
            place.clock.advance(100);
            let second = place.try_load(&source).await.unwrap();
            let all = first.added + first.changed + first.unchanged;
            assert_eq!((second.added, second.changed), (0, 0), "{}", source.name);
            assert_eq!(second.unchanged, all);
            assert_eq!(second.tokens, []);
            assert_eq!(dump(&place.db).await, before, "{}", source.name);
        }
        place.db.close().await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn a_changed_description_changes_that_alone() {
    on_each(async |url: &str| {
        let place = Place::at(url).await;
        let world = |description: &str| {
            format!(
                "users: [{{login: a}}]\nrepositories:\n  - {{full_name: a/b, description: {description}}}\n  - {{full_name: a/c}}\n"
            )
        };
        place.load(&world("one")).await;
        let before = dump(&place.db).await;
        place.clock.advance(60);
        let loaded = place.load(&world("two")).await;
        assert_eq!((loaded.added, loaded.changed, loaded.unchanged), (0, 1, 2));
        let after = dump(&place.db).await;
        assert_eq!(only_difference(&before, &after), "repository");
        let rows = repository::Entity::find().all(place.db.reads()).await.unwrap();
        let b = rows.iter().find(|row| row.name == "b").unwrap();
        assert_eq!(b.description.as_deref(), Some("two"));
        assert_eq!(b.updated_at, b.created_at + 60);
        let c = rows.iter().find(|row| row.name == "c").unwrap();
        assert_eq!(c.updated_at, c.created_at);
        place.db.close().await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn what_a_file_leaves_out_stays_as_it_is() {
    on_each(async |url: &str| {
        let place = Place::at(url).await;
        place
            .load("users: [{login: A, name: Ann, site_admin: true}]\nrepositories: [{full_name: a/b, visibility: public, topics: [x], homepage: h}]\n")
            .await;
        let before = dump(&place.db).await;
        let loaded = place
            .load("users: [{login: A}]\nrepositories: [{full_name: A/B}]\n")
            .await;
        // The case of a name is part of what the file says.
        assert_eq!((loaded.added, loaded.changed, loaded.unchanged), (0, 1, 1));
        let loaded = place
            .load("users: [{login: A}]\nrepositories: [{full_name: a/b}]\n")
            .await;
        assert_eq!(loaded.changed, 1);
        assert_eq!(dump(&place.db).await, before);
        place.db.close().await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn a_mistake_anywhere_leaves_the_database_untouched() {
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
    on_each(async |url: &str| {
        let place = Place::at(url).await;
        let before = dump(&place.db).await;
        for (right, wrong) in mistakes {
            let text = example();
            assert!(text.contains(right), "{right:?} stands in the example");
            let refusal = place.refusal(&text.replacen(right, wrong, 1)).await;
            assert!(refusal.starts_with("world.yaml:"), "{wrong}: {refusal}");
            assert_eq!(dump(&place.db).await, before, "{wrong}");
        }
        place.db.close().await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn ids_of_the_file_are_honoured_and_others_follow_them() {
    on_each(async |url: &str| {
        let place = Place::at(url).await;
        place
            .load("users: [{id: 70, login: a}, {login: b}]\nrepositories: [{id: 900, full_name: a/r}]\n")
            .await;
        place
            .load("users: [{login: c}]\nrepositories: [{full_name: c/r}]\n")
            .await;
        let users = account::Entity::find().all(place.db.reads()).await.unwrap();
        let id = |login: &str| users.iter().find(|user| user.login == login).unwrap().id;
        assert_eq!(id("a"), 70);
        assert!(id("c") > 70);
        let repositories = repository::Entity::find().all(place.db.reads()).await.unwrap();
        let ids: Vec<i64> = repositories.iter().map(|row| row.id).collect();
        assert_eq!(ids, [900, 901]);
        place.db.close().await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn an_id_that_something_else_has_is_reported_at_its_place() {
    on_each(async |url: &str| {
        let place = Place::at(url).await;
        place
            .load("users: [{id: 7, login: a}]\nprojects: [{id: 8, owner: a, number: 1, title: T}]\n")
            .await;
        assert_eq!(
            place.refusal("users:\n  - {id: 7, login: b}\n").await,
            "world.yaml:2:10: the account id `7` is taken; expected an id that nothing else in the database has"
        );
        assert_eq!(
            place
                .refusal("organizations:\n  - {id: 9, login: o}\n  - {id: 7, login: p}\nusers:\n  - {id: 8, login: a}\n")
                .await,
            "world.yaml:3:10: the account id `7` is taken; expected an id that nothing else in the database has\n\
             world.yaml:5:10: another id for this account; expected `7`, which it has in the database, or no `id`, found `8`"
        );
        assert_eq!(
            place
                .refusal("projects:\n  - {id: 8, owner: a, number: 2, title: T}\n")
                .await,
            "world.yaml:2:10: the project id `8` is taken; expected an id that nothing else in the database has"
        );
        place.db.close().await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn a_second_file_may_refer_to_what_the_first_one_brought() {
    on_each(async |url: &str| {
        let place = Place::at(url).await;
        place.load("users: [{login: a}]\nrepositories: [{full_name: a/r}]\napps: [{slug: s, owner: a}]\n").await;
        let loaded = place
            .load("installations: [{app: s, account: A, repository_selection: selected, repositories: [R]}]\ntokens: [{kind: classic, user: A}]\n")
            .await;
        assert_eq!((loaded.added, loaded.tokens.len()), (2, 1));
        assert_eq!(
            place.refusal("organizations:\n  - {login: A}\n").await,
            "world.yaml:2:13: the login `A` is taken; expected a login for an organization, found a user of that login in the database"
        );
        place.db.close().await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn two_processes_that_load_at_once_bring_everything_once() {
    on_each(async |url: &str| {
        let place = Place::at(url).await;
        let other = Place {
            db: Database::connect(url, Options::default()).await.unwrap(),
            clock: place.clock.clone(),
            entropy: SeededEntropy::new(8),
        };
        let source = Source::inline("example", example());
        let (one, two) = tokio::join!(place.try_load(&source), other.try_load(&source));
        let (one, two) = (one.unwrap(), two.unwrap());
        let (first, second) = match one.added > 0 {
            true => (one, two),
            false => (two, one),
        };
        assert_eq!((second.added, second.changed), (0, 0));
        assert_eq!(second.unchanged, first.added);
        assert_eq!((first.tokens.len(), second.tokens.len()), (5, 0));
        other.db.close().await.unwrap();
        place.db.close().await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn generated_tokens_are_given_out_once_and_kept_as_hashes() {
    on_each(async |url: &str| {
        let place = Place::at(url).await;
        let text = "users: [{login: a}]\ntokens:\n  - {kind: classic, user: a, scopes: [repo]}\n  - {kind: classic, user: a, scopes: [repo]}\n";
        let loaded = place.load(text).await;
        assert_eq!(loaded.tokens.len(), 2, "two equal items are two tokens");
        assert_ne!(loaded.tokens[0].value, loaded.tokens[1].value);
        assert!(loaded.tokens[0].value.starts_with("ghp_"));
        assert_eq!(loaded.tokens[0].description, "repo");
        assert!(!dump(&place.db).await.contains(&loaded.tokens[0].value));
        assert!(!format!("{loaded:?}").contains(&loaded.tokens[0].value));
        assert_eq!(place.load(text).await.tokens, []);
        let third = place.load(&format!("{text}  - {{kind: classic, user: a, scopes: [repo]}}\n")).await;
        assert_eq!(third.tokens.len(), 1);
        place.db.close().await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn a_token_with_seconds_to_live_is_renewed_only_when_they_are_over() {
    on_each(async |url: &str| {
        let place = Place::at(url).await;
        let text = "users: [{login: a}]\napps: [{slug: s, owner: a}]\ninstallations: [{app: s, account: a}]\ntokens:\n  - {kind: installation, app: s, account: a, expires_in: 100, value: known}\n  - {kind: installation, app: s, account: a, expires_in: 100}\n";
        place.load(text).await;
        place.clock.advance(99);
        assert_eq!(place.load(text).await.changed, 0);
        place.clock.advance(1);
        let later = place.load(text).await;
        assert_eq!((later.added, later.changed, later.tokens.len()), (1, 1, 1));
        assert_eq!(place.load(text).await.tokens, []);
        place.db.close().await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn a_revoked_token_stays_revoked() {
    on_each(async |url: &str| {
        let place = Place::at(url).await;
        let text = "users: [{login: a}]\ntokens: [{kind: classic, user: a, value: known}]\n";
        place.load(text).await;
        let transaction = place.db.begin().await.unwrap();
        let revoked = token::ActiveModel {
            revoked_at: sea_orm::Set(Some(5)),
            ..Default::default()
        };
        token::Entity::update_many()
            .set(revoked)
            .exec(&transaction)
            .await
            .unwrap();
        transaction.commit().await.unwrap();
        assert_eq!(place.load(text).await.changed, 0);
        let row = token::Entity::find()
            .one(place.db.reads())
            .await
            .unwrap()
            .unwrap();
        assert_eq!(row.revoked_at, Some(5));
        place.db.close().await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn the_tokens_of_the_demo_are_marked_and_listed() {
    on_each(async |url: &str| {
        let place = Place::at(url).await;
        place.try_load(&Source::demo()).await.unwrap();
        let marked = token::Entity::find()
            .filter(token::COLUMN.demo.eq(true))
            .all(place.db.reads())
            .await
            .unwrap();
        let listed = demo_tokens();
        assert_eq!(marked.len(), listed.len());
        for prefix in ["ghp_", "github_pat_", "gho_", "ghu_", "ghs_"] {
            let known = listed.iter().any(|token| token.value.starts_with(prefix));
            assert!(known, "a token with {prefix}");
        }
        place
            .load("users: [{login: own}]\ntokens: [{kind: classic, user: own, value: mine}]\n")
            .await;
        let all = token::Entity::find().all(place.db.reads()).await.unwrap();
        assert_eq!(all.iter().filter(|row| !row.demo).count(), 1);
        place.db.close().await.unwrap();
    })
    .await;
}

fn with_key(folder: &Path, path: &str) -> Source {
    let file = folder.join("world.yaml");
    let text =
        format!("users: [{{login: a}}]\napps:\n  - {{slug: s, owner: a, generate_key: {path}}}\n");
    std::fs::write(&file, text).unwrap();
    Source::file(&file)
}

#[tokio::test]
async fn a_key_file_is_written_once_for_its_owner_alone_and_reused() {
    let folder = tempfile::tempdir().unwrap();
    let source = with_key(folder.path(), "keys/app.pem");
    let path = folder.path().join("keys/app.pem");
    on_each(async |url: &str| {
        let place = Place::at(url).await;
        if !path.exists() {
            let refusal = place.try_load(&source).await.unwrap_err().to_string();
            assert!(
                refusal.contains("world.yaml:3:39: the key file `keys/app.pem` cannot be used"),
                "{refusal}"
            );
            std::fs::create_dir(folder.path().join("keys")).unwrap();
        }
        place.try_load(&source).await.unwrap();
        let pem = std::fs::read_to_string(&path).unwrap();
        assert!(pem.starts_with("-----BEGIN RSA PRIVATE KEY-----\n"));
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = std::fs::metadata(&path).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
        let row = app::Entity::find()
            .one(place.db.reads())
            .await
            .unwrap()
            .unwrap();
        assert!(row.public_key.starts_with("-----BEGIN PUBLIC KEY-----\n"));
        assert_eq!(place.try_load(&source).await.unwrap().changed, 0);
        std::fs::remove_file(&path).unwrap();
        assert_eq!(place.try_load(&source).await.unwrap().changed, 0);
        assert!(!path.exists(), "an app that has a key gets no other");
        std::fs::write(&path, pem).unwrap();
        place.db.close().await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn a_key_file_outside_the_folder_or_in_the_way_is_refused() {
    let outer = tempfile::tempdir().unwrap();
    let folder = outer.path().join("inner");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("note"), "not a key").unwrap();
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(outer.path(), folder.join("out")).unwrap();
        std::os::unix::fs::symlink(outer.path().join("new"), folder.join("link")).unwrap();
    }
    let absolute = outer.path().join("absolute.pem").display().to_string();
    let place = Place::at(&format!("sqlite://{}/test.db", outer.path().display())).await;
    let before = dump(&place.db).await;
    for (path, expected) in [
        ("../escaped.pem", "is outside the folder of the file"),
        ("a/../../escaped.pem", "is outside the folder of the file"),
        (&*absolute, "is outside the folder of the file"),
        ("out/escaped.pem", "is outside the folder of the file"),
        ("link", "is outside the folder of the file"),
        (".", "is outside the folder of the file"),
        ("note", "is there already; expected a private RSA key"),
    ] {
        let source = with_key(&folder, path);
        let refusal = place.try_load(&source).await.unwrap_err().to_string();
        assert!(refusal.contains(expected), "{path}: {refusal}");
    }
    assert_eq!(dump(&place.db).await, before);
    let left: Vec<_> = std::fs::read_dir(outer.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert!(
        left.iter()
            .all(|name| name == "inner" || name.to_string_lossy().starts_with("test.db")),
        "{left:?}"
    );
    assert_eq!(
        std::fs::read_to_string(folder.join("note")).unwrap(),
        "not a key"
    );
}

#[tokio::test]
async fn a_text_without_a_folder_can_neither_write_keys_nor_import() {
    on_each(async |url: &str| {
        let place = Place::at(url).await;
        let key = "users: [{login: a}]\napps:\n  - {slug: s, owner: a, generate_key: k.pem}\n";
        assert_eq!(
            place.refusal(key).await,
            "world.yaml:3:39: a key file for a world that is not a file; expected a `public_key`"
        );
        let git = "users: [{login: a}]\nrepositories:\n  - {full_name: a/b, git: {path: x.git}}\n";
        assert_eq!(
            place.refusal(git).await,
            "world.yaml:3:35: a repository on disk for a world that is not a file; expected `commits`"
        );
        place.db.close().await.unwrap();
    })
    .await;
}
