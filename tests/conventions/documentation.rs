//! The documentation names only things that exist: files, links, headings, `just` recipes, test
//! binaries, and commands and flags of the binary. Every command in it either runs as an example
//! (`tests/examples/`) or in another step of CI.

mod commands;

use std::path::{Path, PathBuf};

/// The folders with documentation.
const FOLDERS: [&str; 8] = [
    ".",
    ".github",
    "benches",
    "docs",
    "openapi",
    "crates/forge/src/access",
    "tests",
    "tests/api/security",
];

/// The top-level folders of this repository.
const TOP: [&str; 12] = [
    ".cargo/",
    ".ci/",
    ".config/",
    ".github/",
    "benches/",
    "crates/",
    "docs/",
    "migration/",
    "openapi/",
    "packaging/",
    "src/",
    "tests/",
];

/// Paths in the repositories that the server serves.
const ELSEWHERE: [&str; 1] = [".github/workflows/"];

struct Document {
    path: PathBuf,
    text: String,
}

/// A fenced code block.
struct Block<'a> {
    info: &'a str,
    code: &'a str,
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap()
}

fn documents() -> Vec<Document> {
    let mut found = Vec::new();
    for folder in FOLDERS {
        for entry in std::fs::read_dir(root().join(folder)).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|extension| extension == "md") {
                let text = std::fs::read_to_string(&path).unwrap();
                found.push(Document { path, text });
            }
        }
    }
    assert!(
        found.len() > 12,
        "only {} documents were found",
        found.len()
    );
    found
}

impl Document {
    fn name(&self) -> String {
        let name = self.path.strip_prefix(root()).unwrap_or(&self.path);
        name.display().to_string()
    }

    /// The fenced blocks, and the prose between them.
    fn parts(&self) -> (Vec<Block<'_>>, String) {
        let (mut blocks, mut prose) = (Vec::new(), String::new());
        for (number, part) in self.text.split("```").enumerate() {
            if number % 2 == 0 {
                prose.push_str(part);
            } else {
                let (info, code) = part.split_once('\n').unwrap_or((part, ""));
                blocks.push(Block { info, code });
            }
        }
        (blocks, prose)
    }

    /// The inline code in the prose.
    fn code(&self) -> Vec<String> {
        let (_, prose) = self.parts();
        let spans = prose.split('`').skip(1).step_by(2);
        spans.map(str::to_owned).collect()
    }

    /// Every command in the prose and in `sh` blocks that are not run as examples.
    fn commands(&self) -> Vec<String> {
        let (blocks, _) = self.parts();
        let shown = blocks.iter().filter(|block| block.info == "sh");
        let lines = shown.flat_map(|block| block.code.lines());
        let lines = lines.map(|line| line.split(" # ").next().unwrap_or(line).trim());
        let lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
        let lines = lines.map(str::to_owned);
        let spans = self.code().into_iter();
        let programs = ["cargo ", "just ", "forgewright ", "apt-get "];
        lines
            .chain(spans.filter(|span| programs.iter().any(|name| span.starts_with(name))))
            .collect()
    }
}

/// The anchor of a heading, as GitHub generates it.
fn anchor(heading: &str) -> String {
    let lower = heading.trim().to_lowercase();
    let kept = lower.chars().filter_map(|character| match character {
        ' ' => Some('-'),
        '-' | '_' => Some(character),
        _ => character.is_alphanumeric().then_some(character),
    });
    kept.collect()
}

#[test]
fn every_link_has_an_existing_file_and_heading() {
    for document in documents() {
        let (_, prose) = document.parts();
        let folder = document.path.parent().unwrap();
        for link in prose.split("](").skip(1) {
            let link = link.split(')').next().unwrap();
            if link.contains("://") {
                continue;
            }
            let (file, heading) = link.split_once('#').unwrap_or((link, ""));
            let path = match file {
                "" => document.path.clone(),
                file => folder.join(file),
            };
            assert!(path.exists(), "{}: broken link {link}", document.name());
            if !heading.is_empty() {
                let text = std::fs::read_to_string(path).unwrap();
                let headings = text.lines().filter(|line| line.starts_with('#'));
                let mut anchors = headings.map(|line| anchor(line.trim_start_matches('#')));
                assert!(
                    anchors.any(|it| it == heading),
                    "{}: {link}",
                    document.name()
                );
            }
        }
    }
}

#[test]
fn the_readme_links_to_every_page() {
    let readme = read("README.md");
    for document in documents() {
        let name = document.name();
        if name.starts_with("docs/") {
            assert!(readme.contains(&format!("]({name}) |")), "{name}");
        }
    }
}

#[test]
fn every_path_in_a_document_exists() {
    for document in documents() {
        for span in document.code() {
            let is_path = TOP.iter().any(|top| span.starts_with(top));
            // A pattern or a placeholder.
            let is_pattern = span.contains(['*', '<', ' ', '…']);
            if !is_path || is_pattern || ELSEWHERE.contains(&&*span) {
                continue;
            }
            assert!(root().join(&span).exists(), "{}: {span}", document.name());
        }
    }
}
