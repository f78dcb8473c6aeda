//! Commits built through the API have the same SHA as those of `git`.

use std::collections::BTreeMap;

use git::GitError;
use git::Sha;
use git::build::{TreeChanges, commit, edit_tree, tag};
use git::graph::{NewCommit, add_commits};
use git::ident::Ident;
use git::objects::ObjectKind;
use git::store::store_objects;

use crate::database::{Db, sha, with_repository};
use crate::support::git::run_in;

const TESS: Ident<'_> = Ident {
    name: "Tess Ter",
    email: "tess@example.com",
    seconds: 1_700_000_000,
    offset_minutes: 0,
};

/// Files to set, paths to delete, and a commit message or the expected error.
type Step<'a> = (&'a [(&'a str, &'a str)], &'a [&'a str], &'a str);

fn changes(set: &[(&str, &str)], delete: &[&str]) -> TreeChanges {
    let set = set
        .iter()
        .map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec()));
    TreeChanges {
        set: set.collect::<BTreeMap<_, _>>(),
        delete: delete.iter().map(|path| (*path).to_owned()).collect(),
    }
}

/// Stores a commit on top of another; returns the SHAs of its tree and itself.
async fn create_commit(
    db: &Db,
    base: Option<(Sha, Sha)>,
    changes: &TreeChanges,
    message: &str,
) -> (Sha, Sha) {
    let transaction = db.begin().await;
    let id = db.repository_id;
    let mut built = edit_tree(&transaction, id, base.map(|(tree, _)| tree), changes)
        .await
        .unwrap();
    let parents = base.map(|(_, commit)| commit).into_iter().collect();
    let created = commit(built.tree, parents, &TESS, &TESS, message);
    let object = created.write();
    let name = object.sha();
    built.objects.push(object);
    store_objects(&transaction, id, &built.objects)
        .await
        .unwrap();
    let added = add_commits(&transaction, id, &[NewCommit::new(name, &created)])
        .await
        .unwrap();
    assert_eq!(added, 1);
    transaction.commit().await.unwrap();
    (built.tree, name)
}

#[tokio::test]
async fn built_commits_have_the_same_sha_as_gits() {
    with_repository(async |db| {
        let folder = tempfile::tempdir().unwrap();
        let git = |arguments: &[&str]| {
            let output = run_in(folder.path(), arguments, b"");
            assert!(
                output.status.success(),
                "{}",
                String::from_utf8_lossy(&output.stderr)
            );
            String::from_utf8(output.stdout).unwrap().trim().to_owned()
        };
        git(&["init", "-q", "-b", "main", "."]);
        let steps: [Step<'_>; 5] = [
            (
                &[
                    ("README.md", "one\n"),
                    ("src/deep/a.rs", "a"),
                    ("src.d/x", ""),
                    ("src0", "z"),
                ],
                &[],
                "First",
            ),
            (
                &[("src/b.rs", "b\r\n"), ("README.md", "two\n")],
                &[],
                "  Second \n\n\n\nbody\t\n\n",
            ),
            (&[("src", "now a file\n")], &["src"], "Third"),
            (&[("src/deep/er/x", "x")], &["src"], "#4"),
            (
                &[],
                &["README.md", "src/deep/er/x", "src.d", "src0"],
                "Nothing left",
            ),
        ];
        let mut last = None;
        for (set, delete, message) in steps {
            for path in delete {
                git(&["rm", "-q", "-r", path]);
            }
            for (path, text) in set {
                let file = folder.path().join(path);
                std::fs::create_dir_all(file.parent().unwrap()).unwrap();
                std::fs::write(file, text).unwrap();
            }
            git(&["add", "-A"]);
            git(&["-c", "core.autocrlf=false", "commit", "-q", "-m", message]);
            let created = create_commit(db, last, &changes(set, delete), message).await;
            assert_eq!(
                created.0,
                sha(&git(&["rev-parse", "HEAD^{tree}"])),
                "{message}"
            );
            assert_eq!(created.1, sha(&git(&["rev-parse", "HEAD"])), "{message}");
            last = Some(created);
        }
        let (_, head) = last.unwrap();
        git(&["tag", "-a", "-m", " Release one ", "v1"]);
        let created = tag("v1", head, ObjectKind::Commit, &TESS, " Release one ").write();
        assert_eq!(created.sha(), sha(&git(&["rev-parse", "v1"])));
    })
    .await;
}

#[tokio::test]
async fn identities_are_formatted_as_by_git() {
    let folder = tempfile::tempdir().unwrap();
    run_in(folder.path(), &["init", "-q", "-b", "main", "."], b"");
    let tree = sha(std::str::from_utf8(&run_in(folder.path(), &["mktree"], b"").stdout).unwrap());
    for (name, email) in [
        (" .Jr. O'Neil, \"x\" ", "<a@b>"),
        ("Zoë <z>", " z@z."),
        ("a.b;", "c\\d\\"),
    ] {
        let (name_setting, email_setting) =
            (format!("user.name={name}"), format!("user.email={email}"));
        let output = std::process::Command::new("git")
            .current_dir(folder.path())
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_AUTHOR_DATE", "1700000000 +0545")
            .env("GIT_COMMITTER_DATE", "1700000000 -0330")
            .args(["-c", &name_setting, "-c", &email_setting])
            .args(["commit-tree", "-m", "x", &tree.to_string()])
            .output()
            .unwrap();
        let expected = String::from_utf8(output.stdout).unwrap();
        let person = |offset_minutes| Ident {
            name,
            email,
            seconds: 1_700_000_000,
            offset_minutes,
        };
        let created = commit(tree, Vec::new(), &person(345), &person(-210), "x");
        let author = String::from_utf8(created.author.clone()).unwrap();
        assert_eq!(created.write().sha(), sha(&expected), "{author}");
    }
}

#[tokio::test]
async fn an_invalid_path_is_rejected_with_the_reason() {
    with_repository(async |db| {
        let base = create_commit(db, None, &changes(&[("dir/file", "x")], &[]), "Base").await;
        let cases: [Step<'_>; 8] = [
            (&[("dir", "x")], &[], "is a directory"),
            (
                &[("dir/file/below", "x")],
                &[],
                "has a file in place of a directory",
            ),
            (&[], &["nowhere"], "does not exist and cannot be deleted"),
            (&[], &["dir/file/x"], "does not exist and cannot be deleted"),
            (&[("/x", "x")], &[], "is empty, starts"),
            (&[("a//x", "x")], &[], "is empty, starts"),
            (&[("a/../x", "x")], &[], "that Git does not allow"),
            (&[(".GIT/config", "x")], &[], "that Git does not allow"),
        ];
        for (set, delete, reason) in cases {
            let edited = edit_tree(
                db.reads(),
                db.repository_id,
                Some(base.0),
                &changes(set, delete),
            )
            .await;
            let error = edited.unwrap_err();
            assert!(matches!(error, GitError::Path { .. }));
            assert!(error.to_string().contains(reason), "{error}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_commit_without_its_parent_is_rejected() {
    with_repository(async |db| {
        let orphan = commit(
            Sha::EMPTY_TREE,
            vec![Sha::EMPTY_TREE],
            &TESS,
            &TESS,
            "Orphan",
        );
        let object = orphan.write();
        let transaction = db.begin().await;
        store_objects(
            &transaction,
            db.repository_id,
            std::slice::from_ref(&object),
        )
        .await
        .unwrap();
        let node = NewCommit::new(object.sha(), &orphan);
        let added = add_commits(&transaction, db.repository_id, &[node]).await;
        assert!(matches!(added, Err(GitError::Missing(name)) if name == Sha::EMPTY_TREE));
    })
    .await;
}
