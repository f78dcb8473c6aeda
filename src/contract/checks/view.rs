//! What callers see of check runs and suites.

use poem_openapi::Object;
use poem_openapi::types::Example;
use serde::{Deserialize, Serialize};

use super::super::EXAMPLE_ORIGIN;
use super::super::apps::Integration;
use super::super::git_refs::EXAMPLE_SHA;
use super::super::shared::repository::MinimalRepository;
use super::super::values::{Nullable, Timestamp, Url};
use super::bodies::{AnnotationLevel, CheckConclusion, CheckStatus};

/// A check run.
#[derive(Debug, Clone, Object, Serialize, Deserialize)]
#[oai(example)]
pub struct CheckRun {
    pub id: i64,
    pub name: String,
    pub node_id: String,
    /// The SHA-1 of the commit.
    pub head_sha: String,
    /// What the app calls it; empty if it did not say.
    pub external_id: Nullable<String>,
    pub url: Url,
    pub html_url: Nullable<Url>,
    /// Where more can be read.
    pub details_url: Nullable<String>,
    pub status: CheckStatus,
    /// How it ended; null before.
    pub conclusion: Nullable<CheckConclusion>,
    /// When it began.
    pub started_at: Nullable<Timestamp>,
    /// When it ended; null before.
    pub completed_at: Nullable<Timestamp>,
    pub output: CheckOutput,
    pub check_suite: Nullable<CheckSuiteLink>,
    /// The app that reports.
    #[oai(skip_serializing_if_is_none)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub app: Option<Integration>,
    /// Open pull requests with this commit as their head, at most 100.
    pub pull_requests: Vec<MinimalPull>,
}

/// What a check run has found.
#[derive(Debug, Clone, Object, Serialize, Deserialize)]
pub struct CheckOutput {
    /// In a line.
    pub title: Nullable<String>,
    /// In short, in Markdown.
    pub summary: Nullable<String>,
    /// At length, in Markdown.
    pub text: Nullable<String>,
    /// How many remarks on lines there are.
    pub annotations_count: i64,
    pub annotations_url: Url,
}

/// A check suite by its identifier.
#[derive(Debug, Clone, Copy, Object, Serialize, Deserialize)]
pub struct CheckSuiteLink {
    pub id: i64,
}

/// The check runs of an app on a commit.
#[derive(Debug, Clone, Object, Serialize, Deserialize)]
#[oai(example)]
pub struct CheckSuite {
    pub id: i64,
    pub node_id: String,
    /// A branch that had the commit when the suite was made.
    pub head_branch: Nullable<String>,
    /// The SHA-1 of the commit.
    pub head_sha: String,
    /// `completed` if all of its check runs are, `queued` if all are queued or there are none.
    pub status: Nullable<CheckStatus>,
    /// The worst conclusion of its check runs once all are completed.
    pub conclusion: Nullable<CheckConclusion>,
    pub url: Nullable<Url>,
    /// Always null; kept for clients that expect it.
    pub before: Nullable<String>,
    /// The same as `head_sha`.
    pub after: Nullable<String>,
    /// Open pull requests with this commit as their head, at most 100.
    pub pull_requests: Nullable<Vec<MinimalPull>>,
    /// The app that reports.
    #[oai(skip_serializing_if_is_none)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub app: Option<Integration>,
    pub repository: MinimalRepository,
    pub created_at: Nullable<Timestamp>,
    pub updated_at: Nullable<Timestamp>,
    pub head_commit: SimpleCommit,
    /// How many check runs it has, of those with the same name the newest.
    pub latest_check_runs_count: i64,
    pub check_runs_url: Url,
}

/// A page of check runs.
#[derive(Debug, Clone, Object, Serialize, Deserialize)]
#[oai(example)]
pub struct CheckRunList {
    pub total_count: i64,
    /// The check runs of this page.
    pub check_runs: Vec<CheckRun>,
}

/// A page of check suites.
#[derive(Debug, Clone, Object, Serialize, Deserialize)]
#[oai(example)]
pub struct CheckSuiteList {
    pub total_count: i64,
    /// The check suites of this page.
    pub check_suites: Vec<CheckSuite>,
}

/// A remark on some lines of a file.
#[derive(Debug, Clone, Object, Serialize, Deserialize)]
#[oai(example)]
pub struct CheckAnnotation {
    /// The file, relative to the root of the repository.
    pub path: String,
    /// Where the file can be read as of the commit.
    pub blob_href: String,
    /// The first line, counted from 1.
    pub start_line: i64,
    /// The last line.
    pub end_line: i64,
    /// The first column; null if it is on several lines, or was not given.
    pub start_column: Nullable<i64>,
    /// The last column; null as above.
    pub end_column: Nullable<i64>,
    pub annotation_level: Nullable<AnnotationLevel>,
    /// In a line.
    pub title: Nullable<String>,
    /// What is remarked.
    pub message: Nullable<String>,
    /// At length.
    pub raw_details: Nullable<String>,
}

/// A pull request, in short.
#[derive(Debug, Clone, Object, Serialize, Deserialize)]
pub struct MinimalPull {
    pub id: i64,
    /// The number in its address.
    pub number: i64,
    pub url: Url,
    /// Where the changes come from.
    pub head: MinimalPullBranch,
    /// Where the changes are to go.
    pub base: MinimalPullBranch,
}

/// A branch of a pull request, in short.
#[derive(Debug, Clone, Object, Serialize, Deserialize)]
pub struct MinimalPullBranch {
    /// The name of the branch.
    #[oai(rename = "ref")]
    #[serde(rename = "ref")]
    pub name: String,
    /// The commit that the pull request has there.
    pub sha: String,
    pub repo: RepositoryLink,
}

/// A repository by its name.
#[derive(Debug, Clone, Object, Serialize, Deserialize)]
pub struct RepositoryLink {
    pub id: i64,
    pub url: Url,
    pub name: String,
}

/// A commit, in short.
#[derive(Debug, Clone, Object, Serialize, Deserialize)]
pub struct SimpleCommit {
    /// The SHA-1 of the commit.
    pub id: String,
    /// The SHA-1 of its tree.
    pub tree_id: String,
    /// What the commit says of itself.
    pub message: String,
    /// When it was committed.
    pub timestamp: Timestamp,
    pub author: Nullable<SimpleSignature>,
    pub committer: Nullable<SimpleSignature>,
}

/// A person, as a commit names them.
#[derive(Debug, Clone, Object, Serialize, Deserialize)]
pub struct SimpleSignature {
    pub name: String,
    /// The e-mail address.
    pub email: String,
}

const REPO: &str = "/repos/acme/gadgets";

impl Example for CheckRun {
    fn example() -> Self {
        let url = format!("{EXAMPLE_ORIGIN}{REPO}/check-runs/1");
        Self {
            id: 1,
            name: "lint".to_owned(),
            node_id: "CR_kwDNB9IB".to_owned(),
            head_sha: EXAMPLE_SHA.to_owned(),
            external_id: Some("42".to_owned()).into(),
            html_url: Some(format!("{EXAMPLE_ORIGIN}/acme/gadgets/runs/1").into()).into(),
            details_url: Some("https://ci.example/runs/1".to_owned()).into(),
            status: CheckStatus::Completed,
            conclusion: Some(CheckConclusion::Success).into(),
            started_at: Some(Timestamp(1_773_135_000)).into(),
            completed_at: Some(Timestamp(1_773_135_060)).into(),
            output: CheckOutput {
                title: Some("No findings".to_owned()).into(),
                summary: Some("All **9** files are fine.".to_owned()).into(),
                text: None.into(),
                annotations_count: 0,
                annotations_url: format!("{url}/annotations").into(),
            },
            url: url.into(),
            check_suite: Some(CheckSuiteLink { id: 1 }).into(),
            app: Some(Integration::example()),
            pull_requests: Vec::new(),
        }
    }
}

impl Example for CheckSuite {
    fn example() -> Self {
        let url = format!("{EXAMPLE_ORIGIN}{REPO}/check-suites/1");
        let signature = SimpleSignature {
            name: "Alice Liddell".to_owned(),
            email: "1001+alice@users.noreply.invalid".to_owned(),
        };
        Self {
            id: 1,
            node_id: "CS_kwDNB9IB".to_owned(),
            head_branch: Some("main".to_owned()).into(),
            head_sha: EXAMPLE_SHA.to_owned(),
            status: Some(CheckStatus::Completed).into(),
            conclusion: Some(CheckConclusion::Success).into(),
            check_runs_url: format!("{url}/check-runs").into(),
            url: Some(url.into()).into(),
            before: None.into(),
            after: Some(EXAMPLE_SHA.to_owned()).into(),
            pull_requests: Some(Vec::new()).into(),
            app: Some(Integration::example()),
            repository: MinimalRepository::example(),
            created_at: Some(Timestamp(1_773_135_000)).into(),
            updated_at: Some(Timestamp(1_773_135_060)).into(),
            head_commit: SimpleCommit {
                id: EXAMPLE_SHA.to_owned(),
                tree_id: EXAMPLE_SHA.to_owned(),
                message: "Use a digit".to_owned(),
                timestamp: Timestamp(1_773_135_000),
                author: Some(signature.clone()).into(),
                committer: Some(signature).into(),
            },
            latest_check_runs_count: 1,
        }
    }
}

impl Example for CheckRunList {
    fn example() -> Self {
        Self {
            total_count: 1,
            check_runs: vec![CheckRun::example()],
        }
    }
}

impl Example for CheckSuiteList {
    fn example() -> Self {
        Self {
            total_count: 1,
            check_suites: vec![CheckSuite::example()],
        }
    }
}

impl Example for CheckAnnotation {
    fn example() -> Self {
        Self {
            path: "README.md".to_owned(),
            blob_href: format!("{EXAMPLE_ORIGIN}/acme/gadgets/blob/{EXAMPLE_SHA}/README.md"),
            start_line: 2,
            end_line: 2,
            start_column: Some(5).into(),
            end_column: Some(10).into(),
            annotation_level: Some(AnnotationLevel::Warning).into(),
            title: Some("Spelling".to_owned()).into(),
            message: Some("Check the spelling of `banaas`.".to_owned()).into(),
            raw_details: None.into(),
        }
    }
}
