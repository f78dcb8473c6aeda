//! What is written is read back equal, by the reader of world files.

use std::collections::BTreeMap;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::RngSeed;
use serde_json::json;
use storage::entities::check_annotation::CheckAnnotationLevel;
use storage::entities::check_run::{CheckRunStatus, Conclusion};
use storage::entities::collaborator::Permission;
use storage::entities::commit_status::CommitStatusState;
use storage::entities::installation::RepositorySelection;
use storage::entities::issue::IssueState;
use storage::entities::issue_field::{FieldVisibility, IssueFieldDataType};
use storage::entities::issue_field_option::IssueFieldOptionColor;
use storage::entities::membership::Role;
use storage::entities::project_field::ProjectFieldDataType;
use storage::entities::project_field_option::ProjectFieldOptionColor;
use storage::entities::pull::PullState;
use storage::entities::repository::Visibility;
use storage::entities::review_comment::{Side, SubjectType};
use storage::entities::token::TokenKind;

use crate::file;
use crate::findings::Findings;
use crate::record::FromYaml;
use crate::written::{
    Annotation, App, CheckOutput, CheckRun, Collaborator, Comment, Git, GivenFieldValue,
    GrantedRepositories, Installation, Issue, IssueComment, IssueField, IssueFieldOption,
    Iteration, IterationConfiguration, Label, Member, Organization, Project, ProjectField,
    ProjectFieldOption, ProjectItem, Pull, Repository, Status, Time, Token, User, Webhook, Word,
    World, WorldFile, WriteError, write,
};
use crate::yaml;

/// Texts that YAML has a meaning for, or that a careless writer changes.
const ODD: &[&str] = &[
    "",
    " ",
    "  leading",
    "trailing  ",
    "\ttab",
    "tab\t",
    "line\n",
    "line\n\n\n",
    "\n",
    "\n\nlate",
    "a\nb",
    "a\n  b\n c",
    "  a\nb\n",
    "a  \nb \n",
    "a\r\nb\r\n",
    "a\rb",
    "---",
    "---\n",
    "...\n",
    "a\n---\nb\n",
    "- item",
    "key: value",
    "key:",
    "# comment",
    "a # b",
    "a\n# b\n",
    "'",
    "\"",
    "it's",
    "\\",
    "\\n",
    "`code`",
    "```rust\nfn main() {}\n```\n",
    "@carol",
    "%YAML 1.2",
    "!tag",
    "&anchor",
    "*alias",
    "|",
    ">",
    "|-\n",
    "? question",
    "{}",
    "[]",
    "{a: b}",
    "[a, b]",
    "a, b",
    "~",
    "null",
    "Null",
    "true",
    "True",
    "yes",
    "no",
    "on",
    "off",
    "y",
    "n",
    "1",
    "-1",
    "+1",
    "1.10",
    "1e3",
    "0x1f",
    "0o17",
    "017",
    "1_000",
    ".inf",
    "-.INF",
    ".nan",
    "12:30:45",
    "2026-01-02",
    "2026-01-02T03:04:05Z",
    "=",
    "<<",
    "🦀",
    "a🦀\nb🦀\n",
    "é",
    "\u{85}",
    "\u{a0}",
    "\u{2028}",
    "a\u{2029}b",
    "\u{feff}",
    "\u{feff}a\nb",
    "\u{7}",
    "\u{1b}[0m",
    "\u{7f}",
    "\u{80}",
    "\u{fffe}",
    "\u{10ffff}",
    "a\u{b}b\n",
    "very long: 0123456789 0123456789 0123456789 0123456789 \
     0123456789 0123456789 0123456789 0123456789 0123456789",
    "```suggestion\n\n```",
    "-",
    "--- a",
    "a\n\n\n  b",
    " \n",
    " \n a",
    "\t\n",
    "\n\t",
    "a\n\t\n",
    "a: |\n  b\n",
];

fn text() -> impl Strategy<Value = String> {
    let odd = select(ODD).prop_map(str::to_owned);
    let parts = vec(select(ODD), 1..4).prop_map(|parts| parts.concat());
    let any = "\\PC{0,12}|[^\\x00]{0,12}|[ \\t\\r\\n#:'\"a-]{0,16}";
    prop_oneof![odd, parts, any]
}

/// The values of one world, in the order in which its keys ask for them.
#[derive(Debug)]
struct WorldValues {
    texts: Vec<String>,
    numbers: Vec<u64>,
    next: usize,
}

impl WorldValues {
    fn number(&mut self) -> u64 {
        self.next += 1;
        self.numbers[self.next % self.numbers.len()].rotate_left(self.next as u32 % 64)
    }

    fn text(&mut self) -> String {
        self.next += 1;
        self.texts[self.next % self.texts.len()].clone()
    }

    fn id(&mut self) -> i64 {
        1 + (self.number() % (1 << 52)) as i64
    }

    fn count(&mut self) -> usize {
        self.number() as usize % 3
    }

    fn one<T: Copy>(&mut self, values: &[T]) -> T {
        let chosen = self.number() as usize % values.len();
        values[chosen]
    }

    fn word<T: Copy>(&mut self, values: &[T]) -> Option<Word<T>> {
        Some(self.one(values).into())
    }

    fn maybe<T>(&mut self, value: impl FnOnce(&mut Self) -> T) -> Option<T> {
        match self.count() {
            0 => None,
            _ => Some(value(self)),
        }
    }

    fn time(&mut self) -> Time {
        Time((self.number() % 253_402_300_800) as i64)
    }

    fn list<T>(&mut self, mut item: impl FnMut(&mut Self) -> T) -> Vec<T> {
        (0..self.count()).map(|_| item(self)).collect()
    }

    fn entries<T>(&mut self, mut value: impl FnMut(&mut Self) -> T) -> BTreeMap<String, T> {
        let mut entries = BTreeMap::new();
        for _ in 0..self.count() {
            let key = self.text();
            entries.insert(key, value(self));
        }
        entries
    }

    fn field_values(&mut self) -> BTreeMap<String, GivenFieldValue> {
        self.entries(|values| match values.count() {
            0 => GivenFieldValue::Text(values.text()),
            1 => {
                let number = f64::from_bits(values.number());
                GivenFieldValue::Number(if number.is_finite() { number } else { 0.5 })
            }
            _ => GivenFieldValue::Names(vec![values.text()]),
        })
    }

    fn world(&mut self) -> World {
        World {
            users: self.list(Self::user),
            organizations: self.list(Self::organization),
            repositories: self.list(Self::repository),
            projects: self.list(Self::project),
            apps: self.list(Self::app),
            installations: self.list(Self::installation),
            tokens: self.list(Self::token),
        }
    }

    fn user(&mut self) -> User {
        User {
            id: self.maybe(Self::id),
            login: self.text(),
            name: self.maybe(Self::text),
            site_admin: Some(true),
            mannequin: Some(false),
            created_at: self.maybe(Self::time),
        }
    }

    fn organization(&mut self) -> Organization {
        Organization {
            id: self.maybe(Self::id),
            login: self.text(),
            name: self.maybe(Self::text),
            base_permission: self.word(&[Permission::None, Permission::Read, Permission::Admin]),
            created_at: self.maybe(Self::time),
            members: self.list(|values| Member {
                login: values.text(),
                role: values.word(&[Role::Admin, Role::Member]),
            }),
            issue_fields: self.list(Self::issue_field),
        }
    }

    fn issue_field(&mut self) -> IssueField {
        IssueField {
            id: self.maybe(Self::id),
            name: self.text(),
            description: self.maybe(Self::text),
            data_type: self.word(&[IssueFieldDataType::SingleSelect]),
            visibility: self.word(&[
                FieldVisibility::All,
                FieldVisibility::OrganizationMembersOnly,
            ]),
            created_at: self.maybe(Self::time),
            options: self.list(|values| IssueFieldOption {
                name: values.text(),
                description: values.maybe(Self::text),
                color: values.word(&[IssueFieldOptionColor::Red, IssueFieldOptionColor::Gray]),
                priority: values.id(),
            }),
        }
    }

    fn repository(&mut self) -> Repository {
        Repository {
            id: self.maybe(Self::id),
            full_name: self.text(),
            visibility: Some(self.one(&["public", "private", "internal"]).to_owned()),
            default_branch: self.maybe(Self::text),
            description: self.maybe(Self::text),
            homepage: self.maybe(Self::text),
            language: self.maybe(Self::text),
            topics: self.list(Self::text),
            license: self.maybe(Self::text),
            archived: Some(false),
            disabled: Some(true),
            stargazers_count: self.maybe(Self::id),
            custom_properties: self.entries(Self::text),
            created_at: self.maybe(Self::time),
            pushed_at: self.maybe(Self::time),
            collaborators: self.list(|values| Collaborator {
                login: values.text(),
                permission: values.word(&[Permission::Triage, Permission::Maintain]),
            }),
            git: self.maybe(|values| Git {
                path: values.text(),
            }),
            labels: self.list(|values| Label {
                name: values.text(),
                color: values.maybe(Self::text),
                description: values.maybe(Self::text),
                default: Some(true),
            }),
            issues: self.list(Self::issue),
            pulls: self.list(Self::pull),
            statuses: self.list(|values| Status {
                sha: values.text(),
                creator: values.text(),
                state: values.word(&[CommitStatusState::Error, CommitStatusState::Pending]),
                context: values.maybe(Self::text),
                description: values.maybe(Self::text),
                target_url: values.maybe(Self::text),
                created_at: values.maybe(Self::time),
            }),
            check_runs: self.list(Self::check_run),
            ..Repository::default()
        }
    }

    fn issue(&mut self) -> Issue {
        Issue {
            number: self.id(),
            title: self.text(),
            body: self.maybe(Self::text),
            author: self.text(),
            state: self.word(&[IssueState::Open, IssueState::Closed]),
            locked: Some(false),
            labels: self.list(Self::text),
            assignees: self.list(Self::text),
            field_values: self.field_values(),
            created_at: self.maybe(Self::time),
            conversation: self.list(Self::issue_comment),
        }
    }

    fn issue_comment(&mut self) -> IssueComment {
        IssueComment {
            id: self.maybe(Self::id),
            author: self.text(),
            body: self.text(),
            created_at: self.maybe(Self::time),
        }
    }

    fn pull(&mut self) -> Pull {
        Pull {
            id: self.maybe(Self::id),
            number: self.id(),
            title: self.text(),
            body: self.maybe(Self::text),
            author: self.text(),
            base: self.text(),
            head: self.text(),
            state: self.word(&[PullState::Open, PullState::Merged]),
            labels: self.list(Self::text),
            field_values: self.field_values(),
            conversation: self.list(Self::issue_comment),
            comments: self.list(|values| Comment {
                key: values.maybe(Self::text),
                author: values.text(),
                in_reply_to: values.maybe(Self::text),
                commit_id: values.maybe(Self::text),
                path: values.maybe(Self::text),
                start_line: values.maybe(Self::id),
                start_side: values.word(&[Side::Left, Side::Right]),
                line: values.maybe(Self::id),
                side: values.word(&[Side::Left, Side::Right]),
                subject_type: values.word(&[SubjectType::Line, SubjectType::File]),
                body: values.text(),
                ..Comment::default()
            }),
            ..Pull::default()
        }
    }

    fn check_run(&mut self) -> CheckRun {
        CheckRun {
            app: self.text(),
            head_sha: self.text(),
            name: self.text(),
            external_id: self.maybe(Self::text),
            details_url: self.maybe(Self::text),
            status: self.word(&[CheckRunStatus::InProgress, CheckRunStatus::Completed]),
            conclusion: self.word(&[Conclusion::TimedOut, Conclusion::Success]),
            started_at: self.maybe(Self::time),
            completed_at: self.maybe(Self::time),
            output: self.maybe(|values| CheckOutput {
                title: values.text(),
                summary: values.text(),
                text: values.maybe(Self::text),
                annotations: values.list(|values| Annotation {
                    path: values.text(),
                    start_line: values.id(),
                    end_line: values.id(),
                    annotation_level: values.word(&[CheckAnnotationLevel::Notice]),
                    message: values.text(),
                    raw_details: values.maybe(Self::text),
                    ..Annotation::default()
                }),
            }),
        }
    }

    fn project(&mut self) -> Project {
        Project {
            id: self.maybe(Self::id),
            owner: self.text(),
            number: self.id(),
            title: self.text(),
            visibility: self.word(&[Visibility::Public, Visibility::Private]),
            created_at: self.maybe(Self::time),
            fields: self.list(|values| ProjectField {
                name: values.maybe(Self::text),
                data_type: values.word(&[ProjectFieldDataType::SingleSelect]),
                issue_field_id: values.maybe(Self::id),
                single_select_options: values.list(|values| ProjectFieldOption {
                    name: values.text(),
                    color: values.word(&[ProjectFieldOptionColor::Pink]),
                    description: values.text(),
                }),
                iteration_configuration: values.maybe(|values| IterationConfiguration {
                    start_date: values.text(),
                    duration: values.id(),
                    iterations: values.maybe(|values| {
                        values.list(|values| Iteration {
                            title: values.text(),
                            start_date: values.text(),
                            duration: values.id(),
                        })
                    }),
                }),
                ..ProjectField::default()
            }),
            items: self.list(|values| ProjectItem {
                repository: values.maybe(Self::text),
                number: values.maybe(Self::id),
                title: values.maybe(Self::text),
                body: values.maybe(Self::text),
                author: values.maybe(Self::text),
                archived: Some(true),
                values: values.field_values(),
                ..ProjectItem::default()
            }),
        }
    }

    fn app(&mut self) -> App {
        App {
            slug: self.text(),
            name: self.maybe(Self::text),
            owner: self.text(),
            client_id: self.maybe(Self::text),
            public_key: self.maybe(Self::text),
            permissions: self.entries(Self::text),
            events: self.list(Self::text),
            webhook: self.maybe(|values| Webhook {
                url: values.text(),
                secret: values.maybe(Self::text),
            }),
            ..App::default()
        }
    }

    fn installation(&mut self) -> Installation {
        Installation {
            app: self.text(),
            account: self.text(),
            repository_selection: self.word(&[RepositorySelection::Selected]),
            repositories: self.maybe(|values| values.list(Self::text)),
            suspended_by: self.maybe(Self::text),
            single_file_paths: self.maybe(|values| values.list(Self::text)),
            ..Installation::default()
        }
    }

    fn token(&mut self) -> Token {
        Token {
            kind: self.word(&[TokenKind::FineGrained]),
            user: Some(self.text()),
            owner: Some(self.text()),
            repositories: match self.count() {
                0 => Some(GrantedRepositories::All),
                1 => Some(GrantedRepositories::Public),
                _ => Some(GrantedRepositories::Only(self.list(Self::text))),
            },
            permissions: self.entries(Self::text),
            description: self.maybe(Self::text),
            value: self.maybe(Self::text),
            expires_at: self.maybe(Self::time),
            ..Token::default()
        }
    }
}

fn values() -> impl Strategy<Value = WorldValues> {
    (vec(text(), 1..40), vec(any::<u64>(), 1..40)).prop_map(|(texts, numbers)| WorldValues {
        texts,
        numbers,
        next: 0,
    })
}

/// The text of a world that was written.
fn written(world: &World) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("world.yaml");
    write(&path, world).unwrap();
    std::fs::read_to_string(path).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, rng_seed: RngSeed::Fixed(11), ..ProptestConfig::default() })]

    #[test]
    fn a_written_world_is_read_back_equal(mut values in values()) {
        let world = values.world();
        let text = written(&world);
        let tree = yaml::parse(&text).map_err(|finding| TestCaseError::fail(format!("{finding}\n{text}")))?;
        let mut expected = json!({"version": 1});
        let keys = serde_json::to_value(&world).unwrap();
        expected.as_object_mut().unwrap().extend(keys.as_object().unwrap().clone());
        prop_assert_eq!(tree.to_json(), expected, "{}", text);
        // No key is unknown, and every value has the form that its key expects.
        let mut findings = Findings::of("world.yaml");
        file::World::from_yaml(&tree, "the file", &mut findings);
        prop_assert_eq!(findings.lines(), Vec::<String>::new(), "{}", text);
    }
}

/// A long file is written item by item, and in the same form.
#[test]
fn nested_lists_are_written_item_by_item() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("world.yaml");
    let comment = IssueComment {
        author: "bob".to_owned(),
        body: "  one\n\ntwo\n".to_owned(),
        ..IssueComment::default()
    };
    let issue = Issue {
        number: 1,
        title: "A".to_owned(),
        author: "alice".to_owned(),
        conversation: vec![comment.clone(), comment.clone()],
        ..Issue::default()
    };
    let repository = Repository {
        full_name: "acme/gadgets".to_owned(),
        issues: vec![issue.clone()],
        ..Repository::default()
    };
    let mut file = WorldFile::create(&path).unwrap();
    file.open("users");
    file.close();
    file.open("repositories");
    file.item(&Repository {
        issues: Vec::new(),
        ..repository.clone()
    })
    .unwrap();
    file.open("issues");
    file.item(&Issue {
        conversation: Vec::new(),
        ..issue
    })
    .unwrap();
    file.list("conversation", &[comment.clone(), comment])
        .unwrap();
    file.close();
    file.close();
    file.finish().unwrap();
    let world = World {
        repositories: vec![repository],
        ..World::default()
    };
    assert_eq!(std::fs::read_to_string(path).unwrap(), written(&world));
}

#[test]
fn a_file_that_exists_is_not_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("world.yaml");
    std::fs::write(&path, "mine").unwrap();
    let error = write(&path, &World::default()).unwrap_err();
    assert!(matches!(error, WriteError::Io { .. }), "{error}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "mine");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[cfg(unix)]
#[test]
fn only_its_owner_can_read_a_written_world() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("world.yaml");
    write(&path, &World::default()).unwrap();
    let mode = path.metadata().unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}
