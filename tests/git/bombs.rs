//! Decompression bombs and similar: repositories that are small on disk and huge in memory.

use std::io::Write;
use std::time::Duration;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use git::diff::{ContentKind, FileStatus, changes, diff_path};
use git::objects::Object;
use git::store::{CompressedContent, read_each, store_objects};
use git::tree::{Mode, Tree, TreeEntry};
use git::{GitError, Sha};

use crate::counting::Counting;
use crate::database::{Db, with_repository};
use crate::support::git::Git;
use crate::support::processor_time::{in_own_process, within};

/// A tree with ten levels, each with ten entries for the same object: ten billion files.
async fn tree_bomb(db: &Db) -> Sha {
    let blob = Object::blob(b"boom\n".to_vec());
    let mut name = blob.sha();
    let mut mode = Mode::File;
    let mut objects = vec![blob];
    for _ in 0..10 {
        let entries = (0..10).map(|digit| TreeEntry {
            mode,
            name: digit.to_string().into_bytes(),
            sha: name,
        });
        let tree = Tree {
            entries: entries.collect(),
        };
        objects.push(tree.write());
        (name, mode) = (tree.write().sha(), Mode::Tree);
    }
    let transaction = db.begin().await;
    store_objects(&transaction, db.repository_id, &objects)
        .await
        .unwrap();
    transaction.commit().await.unwrap();
    name
}

#[tokio::test]
async fn a_tree_bomb_is_compared_with_few_rows() {
    with_repository(async |db| {
        let bomb = tree_bomb(db).await;
        let (empty, counting) = (Sha::EMPTY_TREE, Counting::new(db.database()));
        let all = changes(&counting, db.repository_id, empty, bomb).await;
        assert_eq!(all.unwrap(), None);
        let path = ["7"; 10].join("/");
        let diff = diff_path(&counting, db.repository_id, empty, bomb, &path).await;
        let diff = diff.unwrap().unwrap();
        assert_eq!((diff.status, diff.hunks.len()), (FileStatus::Added, 1));
        let diff = diff_path(&counting, db.repository_id, bomb, empty, &path).await;
        assert_eq!(diff.unwrap().unwrap().status, FileStatus::Deleted);
        assert!(counting.rows() <= 1000, "{} rows", counting.rows());
    })
    .await;
}

/// A repository with a tag of a loose object whose declared size may differ from its content.
fn with_loose_object(size: usize, content: usize) -> Git {
    let git = Git::bare();
    let name = "0123456789abcdef0123456789abcdef01234567";
    let folder = git.path().join("objects").join(&name[..2]);
    std::fs::create_dir_all(&folder).unwrap();
    let file = std::fs::File::create(folder.join(&name[2..])).unwrap();
    let mut encoder = ZlibEncoder::new(file, Compression::fast());
    write!(encoder, "blob {size}\0").unwrap();
    let zeros = vec![0; 1 << 20];
    for _ in 0..content >> 20 {
        encoder.write_all(&zeros).unwrap();
    }
    encoder.finish().unwrap();
    let tags = git.path().join("refs/tags");
    std::fs::create_dir_all(&tags).unwrap();
    std::fs::write(tags.join("bomb"), format!("{name}\n")).unwrap();
    git
}

#[tokio::test]
async fn a_decompression_bomb_is_rejected() {
    // The declared size is enough to reject it without unpacking.
    let import = async |db: &Db| {
        let large = with_loose_object(101 << 20, 1 << 20);
        let error = db.import(large.path()).await.unwrap_err();
        assert!(matches!(error, GitError::TooLarge { .. }), "{error}");
        let lying = with_loose_object(10, 16 << 20);
        db.import(lying.path()).await.unwrap_err();
    };
    let limit = Duration::from_secs(8);
    in_own_process(async || {
        with_repository(async |db| within(limit, "importing bombs", import(db)).await).await;
    })
    .await;
}

#[tokio::test]
async fn a_large_file_is_read_in_small_pieces() {
    with_repository(async |db| {
        const SIZE: usize = 20 << 20;
        let blob = Object::blob(vec![b'x'; SIZE]);
        let sha = blob.sha();
        store(db, vec![blob]).await;
        let content = CompressedContent::load(db.reads(), db.repository_id, sha);
        let content = content.await.unwrap();
        assert!(content.bytes() < SIZE / 100, "{}", content.bytes());
        let (mut reader, mut read) = (content.reader(), 0);
        loop {
            let piece = reader.next(10_007).unwrap();
            assert!(piece.len() <= 10_007 && piece.capacity() <= 32_768);
            assert!(piece.iter().all(|byte| *byte == b'x'));
            read += piece.len();
            if piece.is_empty() {
                break;
            }
        }
        assert_eq!(read, SIZE);
    })
    .await;
}

#[tokio::test]
async fn many_objects_are_read_in_order_whatever_their_sizes() {
    with_repository(async |db| {
        let blob = |letter: u8, size: usize| Object::blob(vec![letter; size]);
        let objects = [blob(b'a', 3 << 20), blob(b'b', 9), blob(b'c', 6 << 20)];
        store(db, objects.to_vec()).await;
        let order = [2, 0, 1, 0, 2, 2];
        let shas: Vec<Sha> = order.iter().map(|at| objects[*at].sha()).collect();
        let mut read = Vec::new();
        let keep = |sha, object: Object| {
            assert_eq!(object.sha(), sha);
            read.push(object.content[0]);
            Ok(())
        };
        let all = read_each(db.reads(), db.repository_id, &shas, keep);
        all.await.unwrap();
        assert_eq!(read, b"cabacc");
        let missing = [Sha::EMPTY_TREE];
        let none = read_each(db.reads(), db.repository_id, &missing, |_, _| Ok(()));
        let error = none.await.unwrap_err();
        assert!(matches!(error, GitError::Missing(sha) if sha == Sha::EMPTY_TREE));
    })
    .await;
}

#[tokio::test]
async fn a_file_above_five_mebibytes_is_not_compared() {
    with_repository(async |db| {
        for (lines, expected) in [(1 << 18, ContentKind::TooLarge), (1000, ContentKind::Text)] {
            let blob = Object::blob(b"twenty-one characters\n".repeat(lines));
            let entries = vec![TreeEntry {
                mode: Mode::File,
                name: b"f".to_vec(),
                sha: blob.sha(),
            }];
            let tree = Tree { entries }.write();
            let sha = tree.sha();
            store(db, vec![blob, tree]).await;
            let (reads, id) = (db.reads(), db.repository_id);
            let diff = diff_path(reads, id, Sha::EMPTY_TREE, sha, "f").await;
            assert_eq!(diff.unwrap().unwrap().content, expected);
        }
    })
    .await;
}

async fn store(db: &Db, objects: Vec<Object>) {
    let transaction = db.begin().await;
    let stored = store_objects(&transaction, db.repository_id, &objects).await;
    stored.unwrap();
    transaction.commit().await.unwrap();
}
