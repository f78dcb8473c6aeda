//! Random Git histories from a seed: merges, renames, ambiguous diffs, and unusual trees.

use std::collections::BTreeMap;

use rand::rngs::StdRng;
use rand::seq::{IndexedRandom, IteratorRandom};
use rand::{RngExt, SeedableRng};

use super::git::Git;

/// A file: mode and content.
type File = (&'static str, Vec<u8>);
type Files = BTreeMap<Vec<u8>, File>;

/// Lines that repeat, so that diffs are ambiguous.
const LINES: &[&str] = &[
    "",
    "",
    "{",
    "}",
    "    }",
    "    if ready {",
    "    return;",
    "fn first() {",
    "fn second(a: u8) {",
    "struct Thing {",
    "\tindented by a tab",
    "    // why",
    "int main(void)",
    "_private = 1",
    "$dollar",
    "The quick brown fox jumps over the lazy dog, again and again and again, until it is very tired.",
    "    deeper {",
    "        deepest();",
    "naïve café",
    "end",
];

/// Valid names that are difficult to handle.
const NAMES: &[&[u8]] = &[
    b"README.md",
    b"src/lib.rs",
    b"src/main.rs",
    b"src/deep/er/mod.rs",
    b"a",
    b"a.b",
    b"a0",
    b"with space.txt",
    b"quo\"te",
    b"tab\tname",
    b"new\nline",
    b"\xff\xfe.bin",
    b"caf\xc3\xa9/x",
    b"-dash",
    b"back\\slash",
    b".hidden",
    b"dir.d/file",
    b"dir/file",
    b"dir0/file",
    b".github/workflows/ci.yml",
];

/// A history of that many commits in a new repository.
pub fn random(seed: u64, commits: usize) -> Git {
    let git = Git::bare();
    let mut generator = Generator {
        random: StdRng::seed_from_u64(seed),
        trees: Vec::new(),
        stream: Vec::new(),
    };
    for _ in 0..commits {
        generator.commit();
    }
    generator.create_refs();
    git.feed(&["fast-import", "--quiet", "--force"], &generator.stream);
    add_unusual_refs(&git);
    git
}

/// A history with no files and many merges, some of them criss-cross.
pub fn tangled(seed: u64, commits: usize) -> Git {
    graph(seed, commits, |random, mark| {
        let lowest = mark.saturating_sub(6).max(1);
        let count = random.random_range(1..=3);
        let mut parents: Vec<usize> = (0..count)
            .map(|_| random.random_range(lowest..mark))
            .collect();
        parents.dedup();
        parents
    })
}

/// A history with no files: a few long lines, and rare merges between them.
pub fn braided(seed: u64, commits: usize) -> Git {
    const LINES: usize = 4;
    graph(seed, commits, |random, mark| {
        let mut parents = vec![mark.saturating_sub(LINES).max(1)];
        if random.random_ratio(1, 20) {
            parents.push(random.random_range(1..mark));
        }
        parents.dedup();
        parents
    })
}

/// Commits without files, with unordered dates, each with its own branch.
fn graph(
    seed: u64,
    commits: usize,
    mut parents_of: impl FnMut(&mut StdRng, usize) -> Vec<usize>,
) -> Git {
    let mut random = StdRng::seed_from_u64(seed);
    let mut stream = Vec::new();
    for mark in 1..=commits {
        let date = 1_600_000_000 + random.random_range(0..=mark / 3);
        let root = mark == 1 || random.random_ratio(1, 60);
        let parents = if root {
            Vec::new()
        } else {
            parents_of(&mut random, mark)
        };
        push_commit(&mut stream, mark, "A <a@b>", date, &parents);
        stream.extend(b"\n");
    }
    for mark in 1..=commits {
        stream.extend(format!("reset refs/heads/c{mark}\nfrom :{mark}\n\n").bytes());
    }
    let git = Git::bare();
    git.feed(&["fast-import", "--quiet", "--force"], &stream);
    git
}

/// Adds the start of a `commit` command for `git fast-import`.
pub fn push_commit(
    stream: &mut Vec<u8>,
    mark: usize,
    author: &str,
    date: usize,
    parents: &[usize],
) {
    stream.extend(b"reset refs/heads/last\n\ncommit refs/heads/last\n");
    let message = format!("Commit {mark}\n");
    stream.extend(format!("mark :{mark}\nauthor {author} {date} +0100\n").bytes());
    stream.extend(format!("committer C <c@d> {date} -0830\n").bytes());
    stream.extend(format!("data {}\n{message}", message.len()).bytes());
    for (index, parent) in parents.iter().enumerate() {
        let word = if index == 0 { "from" } else { "merge" };
        stream.extend(format!("{word} :{parent}\n").bytes());
    }
}

struct Generator {
    random: StdRng,
    trees: Vec<Files>,
    stream: Vec<u8>,
}

impl Generator {
    fn commit(&mut self) {
        let mark = self.trees.len() + 1;
        let parents = self.choose_parents();
        let mut files = match parents.first() {
            Some(first) => self.trees[first - 1].clone(),
            None => Files::new(),
        };
        for other in parents.iter().skip(1) {
            files.extend(self.trees[other - 1].clone());
        }
        for _ in 0..self.random.random_range(1..=4) {
            self.change(&mut files);
        }
        drop_conflicts(&mut files);
        let date = 1_600_000_000 + mark * 60;
        push_commit(&mut self.stream, mark, "A <a@b>", date, &parents);
        self.stream.extend(b"deleteall\n");
        for (path, (mode, content)) in &files {
            push_file(&mut self.stream, path, mode, content);
        }
        self.stream.extend(b"\n");
        self.trees.push(files);
    }

    fn choose_parents(&mut self) -> Vec<usize> {
        let count = self.trees.len();
        if count == 0 || self.random.random_ratio(1, 40) {
            return Vec::new();
        }
        let mut parents = vec![
            self.random
                .random_range(count.saturating_sub(5).max(1)..=count),
        ];
        while self.random.random_ratio(1, 4) && parents.len() < 4 {
            let other = self.random.random_range(1..=count);
            if !parents.contains(&other) {
                parents.push(other);
            }
        }
        parents
    }

    fn change(&mut self, files: &mut Files) {
        let kind = self.random.random_range(0..16);
        let existing = files.keys().choose(&mut self.random).cloned();
        let Some(path) = existing.filter(|_| kind > 2) else {
            let path = self.fresh_path();
            let file = self.fresh_file();
            files.insert(path, file);
            return;
        };
        match kind {
            3 => drop(files.remove(&path)),
            4..=6 => self.rename(files, &path),
            7 => {
                let (mode, _) = files.get_mut(&path).unwrap();
                *mode = match *mode {
                    "100644" => "100755",
                    "100755" => "100644",
                    other => other,
                };
            }
            8 => {
                let file = self.fresh_file();
                files.insert(path, file);
            }
            10 => {
                let (mode, content) = files.get_mut(&path).unwrap();
                if *mode == "120000" {
                    *mode = "100644";
                } else if *mode != "160000" && !content.is_empty() && !content.contains(&0) {
                    *mode = "120000";
                }
            }
            9 => {
                let moved: Vec<Vec<u8>> = files.keys().take(5).cloned().collect();
                moved.iter().for_each(|path| self.rename(files, path));
            }
            _ => self.edit(files, &path),
        }
    }

    fn fresh_path(&mut self) -> Vec<u8> {
        let name = NAMES.choose(&mut self.random).unwrap().to_vec();
        match self.random.random_range(0..4) {
            0 => name,
            1 => [b"moved/", &name[..]].concat(),
            _ => [
                &name[..],
                self.random.random_range(0..20).to_string().as_bytes(),
            ]
            .concat(),
        }
    }

    fn fresh_file(&mut self) -> File {
        match self.random.random_range(0..12) {
            0 => ("120000", b"a/link/target".to_vec()),
            1 => (
                "160000",
                format!("{:040x}", self.random.random::<u128>()).into_bytes(),
            ),
            2 => ("100644", Vec::new()),
            3 => (
                "100644",
                (0..600)
                    .map(|_| self.random.random::<u8>())
                    .chain([0])
                    .collect(),
            ),
            4 => (
                "100644",
                b"always the same\ncontent\nin this file\n".to_vec(),
            ),
            5 => ("100644", self.text().replace('\n', "\r\n").into_bytes()),
            6 => ("100755", self.text().trim_end().into()),
            7 => (
                "100644",
                self.text()
                    .replace("fox", "\u{fffd}")
                    .replace('\u{ef}', "\u{ff}")
                    .into(),
            ),
            _ => ("100644", self.text().into_bytes()),
        }
    }

    fn text(&mut self) -> String {
        let count = self.random.random_range(1..80);
        (0..count)
            .map(|_| format!("{}\n", LINES.choose(&mut self.random).unwrap()))
            .collect()
    }

    fn rename(&mut self, files: &mut Files, path: &[u8]) {
        let Some(file) = files.remove(path) else {
            return;
        };
        let target = match self.random.random_range(0..3) {
            0 => [b"moved/", path].concat(),
            1 => [path, b"~"].concat(),
            _ => self.fresh_path(),
        };
        files.insert(target.clone(), file);
        if self.random.random_ratio(1, 2) {
            self.edit(files, &target);
        }
    }

    fn edit(&mut self, files: &mut Files, path: &[u8]) {
        let (mode, content) = files.get_mut(path).unwrap();
        if *mode == "160000" {
            *content = format!("{:040x}", self.random.random::<u128>()).into_bytes();
            return;
        }
        if content.contains(&0) {
            content.push(7);
            return;
        }
        let mut lines: Vec<Vec<u8>> = content
            .split(|byte| *byte == b'\n')
            .map(<[u8]>::to_vec)
            .collect();
        for _ in 0..self.random.random_range(1..5) {
            let at = self.random.random_range(0..=lines.len());
            let line = LINES.choose(&mut self.random).unwrap().as_bytes().to_vec();
            match self.random.random_range(0..5) {
                0 | 1 => lines.insert(at, line),
                2 if at < lines.len() => lines[at] = line,
                3 if at < lines.len() => drop(lines.remove(at)),
                _ => lines.push(b"invalid \xff utf-8".to_vec()),
            }
        }
        *content = lines.join(&b'\n');
    }

    fn create_refs(&mut self) {
        let count = self.trees.len();
        let mut refs = vec![("refs/heads/main".to_owned(), count)];
        for index in 0..8 {
            refs.push((
                format!("refs/heads/topic/{index}"),
                self.random.random_range(1..=count),
            ));
        }
        refs.push(("refs/pull/1/head".to_owned(), count));
        refs.push(("refs/tags/light".to_owned(), 1));
        for mark in 1..=count {
            refs.push((format!("refs/keep/{mark}"), mark));
        }
        for (name, mark) in refs {
            self.stream
                .extend(format!("reset {name}\nfrom :{mark}\n\n").bytes());
        }
    }
}

/// A path cannot be a file and a directory.
fn drop_conflicts(files: &mut Files) {
    let paths: Vec<Vec<u8>> = files.keys().cloned().collect();
    for path in paths {
        let below = [&path[..], b"/"].concat();
        if files.keys().any(|other| other.starts_with(&below)) {
            files.remove(&path);
        }
    }
}

fn push_file(stream: &mut Vec<u8>, path: &[u8], mode: &str, content: &[u8]) {
    let quoted: String = path.iter().map(|byte| format!("\\{byte:03o}")).collect();
    if mode == "160000" {
        let name = String::from_utf8_lossy(content);
        stream.extend(format!("M 160000 {name} \"{quoted}\"\n").bytes());
        return;
    }
    stream.extend(format!("M {mode} inline \"{quoted}\"\ndata {}\n", content.len()).bytes());
    stream.extend(content);
    stream.extend(b"\n");
}

/// Adds notes, tags of tags, tags of other objects than commits, an author that is not UTF-8,
/// and a symbolic reference.
fn add_unusual_refs(git: &Git) {
    git.run(&["notes", "add", "-m", "a note", "main"]);
    git.run(&["tag", "-a", "-m", "one", "v1", "main"]);
    git.run(&["tag", "-a", "-m", "two", "v2", "v1"]);
    git.run(&["tag", "-a", "-m", "a tree", "tree", "main^{tree}"]);
    let blob = git.feed(&["hash-object", "-w", "--stdin"], b"loose\n");
    let blob = String::from_utf8(blob).unwrap();
    git.run(&["update-ref", "refs/odd/blob", blob.trim()]);
    git.run(&[
        "symbolic-ref",
        "refs/remotes/origin/HEAD",
        "refs/heads/main",
    ]);
    let tree = git.text(&["rev-parse", "main^{tree}"]);
    let parent = git.text(&["rev-parse", "main"]);
    let mut commit = format!("tree {tree}\nparent {parent}\nauthor J").into_bytes();
    commit.extend(b"\xf6rg <j@x> 1700000001 +0200\ncommitter J\xf6rg <j@x> 1700000001 +0200\n");
    commit.extend(b"encoding ISO-8859-1\n\nGr\xfc\xdfe\n");
    let odd = git.feed(&["hash-object", "-t", "commit", "-w", "--stdin"], &commit);
    let odd = String::from_utf8(odd).unwrap();
    git.run(&["update-ref", "refs/heads/latin", odd.trim()]);
    git.run(&["gc", "-q"]);
    git.run(&["update-ref", "refs/stash", "refs/heads/main"]);
}
