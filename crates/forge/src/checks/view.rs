//! Views of rows.

use super::suites::SuiteSummary;
use crate::git_objects::view::GitObjectView;
use crate::node_id;
use contract::apps::Integration;
use contract::checks::{
    AnnotationLevel, CheckAnnotation, CheckConclusion, CheckOutput, CheckRun, CheckStatus,
    CheckSuite, CheckSuiteLink, MinimalPull, MinimalPullBranch, RepositoryLink, SimpleCommit,
    SimpleSignature,
};
use contract::shared::repository::MinimalRepository;
use contract::values::{Timestamp, Url};
use git::ident::{name_and_email, seconds_of};
use git::objects::Commit;
use storage::entities::check_annotation::{self, CheckAnnotationLevel};
use storage::entities::check_run::{CheckRunStatus, Conclusion, Model};
use storage::entities::{check_suite, pull};

/// The data for views of the check runs and suites of a commit.
#[derive(Debug, Clone)]
pub struct CheckRelations {
    pub head: SimpleCommit,
    pub pulls: Vec<MinimalPull>,
    pub repository: MinimalRepository,
}

impl GitObjectView {
    pub fn check_run(
        &self,
        row: &Model,
        app: Option<&Integration>,
        relations: &CheckRelations,
    ) -> CheckRun {
        let id = row.id.to_string();
        let url = self.urls.below(&self.full_name, "check-runs", &id);
        let page = self.urls.page(&self.full_name, "runs", &id);
        let homepage = || app.map(|app| app.external_url.0.clone());
        CheckRun {
            id: row.id,
            name: row.name.clone(),
            node_id: node_id::check_run(self.repository_id, row.id),
            head_sha: relations.head.id.clone(),
            external_id: Some(row.external_id.clone()).into(),
            html_url: Some(Url(page)).into(),
            details_url: row.details_url.clone().or_else(homepage).into(),
            status: status(row.status),
            conclusion: row.conclusion.map(conclusion).into(),
            started_at: Some(Timestamp(row.started_at)).into(),
            completed_at: row.completed_at.map(Timestamp).into(),
            output: CheckOutput {
                title: row.title.clone().into(),
                summary: row.summary.clone().into(),
                text: row.text.clone().into(),
                annotations_count: row.annotations,
                annotations_url: format!("{url}/annotations").into(),
            },
            url: url.into(),
            check_suite: Some(CheckSuiteLink { id: row.suite_id }).into(),
            app: app.cloned(),
            pull_requests: relations.pulls.clone(),
        }
    }

    pub fn check_suite(
        &self,
        row: &check_suite::Model,
        summary: SuiteSummary,
        app: Option<&Integration>,
        relations: &CheckRelations,
    ) -> CheckSuite {
        let id = row.id.to_string();
        let url = self.urls.below(&self.full_name, "check-suites", &id);
        CheckSuite {
            id: row.id,
            node_id: node_id::check_suite(self.repository_id, row.id),
            head_branch: row.head_branch.clone().into(),
            head_sha: relations.head.id.clone(),
            status: Some(status(summary.status)).into(),
            conclusion: summary.conclusion.map(conclusion).into(),
            check_runs_url: format!("{url}/check-runs").into(),
            url: Some(Url(url)).into(),
            before: None.into(),
            after: Some(relations.head.id.clone()).into(),
            pull_requests: Some(relations.pulls.clone()).into(),
            app: app.cloned(),
            repository: relations.repository.clone(),
            created_at: Some(Timestamp(row.created_at)).into(),
            updated_at: Some(Timestamp(row.updated_at)).into(),
            head_commit: relations.head.clone(),
            latest_check_runs_count: summary.runs,
        }
    }

    pub fn annotation(&self, row: check_annotation::Model, sha: &str) -> CheckAnnotation {
        let path = row.path.as_bytes();
        CheckAnnotation {
            blob_href: self.urls.file_page(&self.full_name, "blob", sha, path),
            path: row.path,
            start_line: row.start_line,
            end_line: row.end_line,
            start_column: row.start_column.into(),
            end_column: row.end_column.into(),
            annotation_level: Some(level(row.level)).into(),
            title: row.title.into(),
            message: Some(row.message).into(),
            raw_details: row.raw_details.into(),
        }
    }

    pub fn minimal_pull(&self, name: &str, row: &pull::Model) -> MinimalPull {
        let branch = |branch: &str, sha: &str| MinimalPullBranch {
            name: branch.to_owned(),
            sha: sha.to_owned(),
            repo: RepositoryLink {
                id: self.repository_id,
                url: self.urls.repository(&self.full_name).into(),
                name: name.to_owned(),
            },
        };
        MinimalPull {
            id: row.id,
            number: row.number,
            url: self.urls.pull(&self.full_name, row.number).into(),
            head: branch(&row.head_ref, &row.head_sha),
            base: branch(&row.base_ref, &row.base_sha),
        }
    }
}

/// A commit as suites show it.
pub fn simple_commit(sha: &str, commit: &Commit) -> SimpleCommit {
    let message = commit.message.as_deref().unwrap_or_default();
    let message = String::from_utf8_lossy(message);
    SimpleCommit {
        id: sha.to_owned(),
        tree_id: commit.tree.to_string(),
        message: message.trim_end_matches('\n').to_owned(),
        timestamp: Timestamp(seconds_of(&commit.committer)),
        author: Some(signature(&commit.author)).into(),
        committer: Some(signature(&commit.committer)).into(),
    }
}

fn signature(line: &[u8]) -> SimpleSignature {
    let (name, email) = name_and_email(line);
    SimpleSignature {
        name: String::from_utf8_lossy(name).into_owned(),
        email: String::from_utf8_lossy(email).into_owned(),
    }
}

fn status(status: CheckRunStatus) -> CheckStatus {
    match status {
        CheckRunStatus::Queued => CheckStatus::Queued,
        CheckRunStatus::InProgress => CheckStatus::InProgress,
        CheckRunStatus::Completed => CheckStatus::Completed,
    }
}

fn conclusion(conclusion: Conclusion) -> CheckConclusion {
    match conclusion {
        Conclusion::ActionRequired => CheckConclusion::ActionRequired,
        Conclusion::Cancelled => CheckConclusion::Cancelled,
        Conclusion::Failure => CheckConclusion::Failure,
        Conclusion::Neutral => CheckConclusion::Neutral,
        Conclusion::Success => CheckConclusion::Success,
        Conclusion::Skipped => CheckConclusion::Skipped,
        Conclusion::TimedOut => CheckConclusion::TimedOut,
    }
}

fn level(level: CheckAnnotationLevel) -> AnnotationLevel {
    match level {
        CheckAnnotationLevel::Notice => AnnotationLevel::Notice,
        CheckAnnotationLevel::Warning => AnnotationLevel::Warning,
        CheckAnnotationLevel::Failure => AnnotationLevel::Failure,
    }
}
