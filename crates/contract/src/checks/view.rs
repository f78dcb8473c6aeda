//! Check runs and suites in responses.

use contract_macros::schema;
use poem_openapi::types::Example;

use super::super::EXAMPLE_ORIGIN;
use super::super::apps::Integration;
use super::super::git_refs::EXAMPLE_SHA;
use super::super::shared::repository::MinimalRepository;
use super::super::values::{Nullable, Timestamp, Url};
use super::bodies::{AnnotationLevel, CheckConclusion, CheckStatus};

/// A check run.
#[schema(example)]
pub struct CheckRun {
    /// The identifier of the check run.
    pub id: i64,
    /// The name of the check run.
    pub name: String,
    pub node_id: String,
    /// The SHA-1 of the commit.
    pub head_sha: String,
    /// The app's own identifier for the check run. Empty if the app did not set one.
    pub external_id: Nullable<String>,
    /// The API URL of the check run.
    pub url: Url,
    /// The URL of the check run's page.
    pub html_url: Nullable<Url>,
    /// The URL of the details of the check run.
    pub details_url: Nullable<String>,
    pub status: CheckStatus,
    /// The conclusion of the check run. `null` until it completes.
    pub conclusion: Nullable<CheckConclusion>,
    /// When the check run started.
    pub started_at: Nullable<Timestamp>,
    /// When the check run completed. `null` until then.
    pub completed_at: Nullable<Timestamp>,
    pub output: CheckOutput,
    pub check_suite: Nullable<CheckSuiteLink>,
    /// The app that created the check run.
    pub app: Option<Integration>,
    /// The open pull requests whose head is this commit, at most 100.
    pub pull_requests: Vec<MinimalPull>,
}

/// The output of a check run.
#[schema]
pub struct CheckOutput {
    /// The title of the output.
    pub title: Nullable<String>,
    /// The summary of the output, in Markdown.
    pub summary: Nullable<String>,
    /// The details of the output, in Markdown.
    pub text: Nullable<String>,
    /// The number of annotations.
    pub annotations_count: i64,
    /// The API URL of the annotations.
    pub annotations_url: Url,
}

/// The identifier of a check suite.
#[schema]
#[derive(Copy)]
pub struct CheckSuiteLink {
    /// The identifier of the check suite.
    pub id: i64,
}

/// A check suite: the check runs of an app for a commit.
#[schema(example)]
pub struct CheckSuite {
    /// The identifier of the check suite.
    pub id: i64,
    pub node_id: String,
    /// A branch that pointed to the commit when the check suite was created. `null` if there was
    /// none.
    pub head_branch: Nullable<String>,
    /// The SHA-1 of the commit.
    pub head_sha: String,
    /// The status of the check suite: `completed` if all of its check runs are completed, `queued`
    /// if all are queued or there are none, otherwise `in_progress`.
    pub status: Nullable<CheckStatus>,
    /// The worst conclusion of the check runs. `null` until all are completed.
    pub conclusion: Nullable<CheckConclusion>,
    /// The API URL of the check suite.
    pub url: Nullable<Url>,
    /// Always null; kept for clients that expect it.
    pub before: Nullable<String>,
    /// The same as `head_sha`.
    pub after: Nullable<String>,
    /// The open pull requests whose head is this commit, at most 100.
    pub pull_requests: Nullable<Vec<MinimalPull>>,
    /// The app that created the check suite.
    pub app: Option<Integration>,
    pub repository: MinimalRepository,
    /// When the check suite was created.
    pub created_at: Nullable<Timestamp>,
    /// When the check suite was last updated.
    pub updated_at: Nullable<Timestamp>,
    pub head_commit: SimpleCommit,
    /// The number of check runs, counting only the newest of each name.
    pub latest_check_runs_count: i64,
    /// The API URL of the check runs of the suite.
    pub check_runs_url: Url,
}

/// A page of check runs.
#[schema(example)]
pub struct CheckRunList {
    /// The number of check runs on all pages.
    pub total_count: i64,
    /// The check runs of this page.
    pub check_runs: Vec<CheckRun>,
}

/// A page of check suites.
#[schema(example)]
pub struct CheckSuiteList {
    /// The number of check suites on all pages.
    pub total_count: i64,
    /// The check suites of this page.
    pub check_suites: Vec<CheckSuite>,
}

/// An annotation of lines in a file.
#[schema(example)]
pub struct CheckAnnotation {
    /// The path of the file, relative to the root of the repository.
    pub path: String,
    /// The URL of the file's page at the commit.
    pub blob_href: String,
    /// The first line of the annotation, starting at 1.
    pub start_line: i64,
    /// The last line of the annotation.
    pub end_line: i64,
    /// The first column of the annotation. `null` if it has several lines or no column was given.
    pub start_column: Nullable<i64>,
    /// The last column of the annotation. `null` if it has several lines or no column was given.
    pub end_column: Nullable<i64>,
    pub annotation_level: Nullable<AnnotationLevel>,
    /// The title of the annotation.
    pub title: Nullable<String>,
    /// The message of the annotation.
    pub message: Nullable<String>,
    /// The details of the annotation.
    pub raw_details: Nullable<String>,
}

/// A minimal pull request.
#[schema]
pub struct MinimalPull {
    /// The identifier of the pull request.
    pub id: i64,
    /// The number of the pull request.
    pub number: i64,
    /// The API URL of the pull request.
    pub url: Url,
    /// The branch that has the changes.
    pub head: MinimalPullBranch,
    /// The branch that the changes are merged into.
    pub base: MinimalPullBranch,
}

/// The head or base branch of a minimal pull request.
#[schema]
pub struct MinimalPullBranch {
    /// The name of the branch.
    #[schema(rename = "ref")]
    pub name: String,
    /// The SHA-1 of the head or base commit of the pull request.
    pub sha: String,
    pub repo: RepositoryLink,
}

/// A link to a repository.
#[schema]
pub struct RepositoryLink {
    /// The identifier of the repository.
    pub id: i64,
    /// The API URL of the repository.
    pub url: Url,
    /// The name of the repository.
    pub name: String,
}

/// A minimal commit.
#[schema]
pub struct SimpleCommit {
    /// The SHA-1 of the commit.
    pub id: String,
    /// The SHA-1 of the commit's tree.
    pub tree_id: String,
    /// The commit message.
    pub message: String,
    /// When the commit was created.
    pub timestamp: Timestamp,
    pub author: Nullable<SimpleSignature>,
    pub committer: Nullable<SimpleSignature>,
}

/// The author or the committer of a commit.
#[schema]
pub struct SimpleSignature {
    /// The name of the author or committer.
    pub name: String,
    /// The email address of the author or committer.
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
