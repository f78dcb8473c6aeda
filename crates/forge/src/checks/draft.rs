//! Converts request bodies to the rows of a check run and its annotations.

use sea_orm::Set;

use super::rules;
use super::rules::CheckRunProgress;
use contract::checks::{
    AnnotationLevel, CheckAnnotationDraft, CheckOutputDraft, CreateCheckRun, UpdateCheckRun,
};
use contract::reply::Outcome;
use storage::entities::check_annotation::{self, CheckAnnotationLevel};
use storage::entities::check_run::Model;

/// A check run to write, and its annotations.
#[derive(Debug)]
pub struct CheckRunDraft {
    pub row: Model,
    pub annotations: Vec<CheckAnnotationDraft>,
}

impl CheckRunDraft {
    /// A new check run on a commit.
    pub fn new(body: CreateCheckRun, commit: i64, now: i64) -> Outcome<Self> {
        let row = Model {
            id: 0,
            commit_id: commit,
            suite_id: 0,
            name: body.name,
            external_id: body.external_id.unwrap_or_default(),
            details_url: body.details_url,
            status: CheckRunProgress::QUEUED.status,
            conclusion: None,
            started_at: body.started_at.map_or(now, |time| time.0),
            completed_at: None,
            title: None,
            summary: None,
            text: None,
            annotations: 0,
            latest: true,
        };
        let progress =
            CheckRunProgress::QUEUED.after(body.status, body.conclusion, body.completed_at, now)?;
        Self {
            row,
            annotations: Vec::new(),
        }
        .with(progress, body.output)
    }

    /// A change of a check run.
    pub fn change(mut row: Model, body: UpdateCheckRun, now: i64) -> Outcome<Self> {
        let before = CheckRunProgress {
            status: row.status,
            conclusion: row.conclusion,
            completed_at: row.completed_at,
        };
        let progress = before.after(body.status, body.conclusion, body.completed_at, now)?;
        if let Some(name) = body.name {
            row.name = name;
        }
        if let Some(external_id) = body.external_id {
            row.external_id = external_id;
        }
        if let Some(started_at) = body.started_at {
            row.started_at = started_at.0;
        }
        row.details_url = body.details_url.or(row.details_url);
        Self {
            row,
            annotations: Vec::new(),
        }
        .with(progress, body.output)
    }

    fn with(
        mut self,
        progress: CheckRunProgress,
        output: Option<CheckOutputDraft>,
    ) -> Outcome<Self> {
        let row = &mut self.row;
        rules::fields(
            Some(&row.name),
            Some(&row.external_id),
            row.details_url.as_deref(),
        )?;
        row.status = progress.status;
        row.conclusion = progress.conclusion;
        row.completed_at = progress.completed_at;
        if let Some(output) = output {
            rules::output(&output, row.title.is_some())?;
            row.title = output.title.or(row.title.take());
            row.summary = Some(output.summary);
            row.text = output.text.or(row.text.take());
            self.annotations = output.annotations.unwrap_or_default();
            row.annotations += i64::try_from(self.annotations.len()).unwrap_or(0);
        }
        Ok(self)
    }
}

/// The rows of annotations.
pub fn annotations(
    run: i64,
    drafts: Vec<CheckAnnotationDraft>,
) -> Vec<check_annotation::ActiveModel> {
    let row = |draft: CheckAnnotationDraft| check_annotation::ActiveModel {
        run_id: Set(run),
        path: Set(draft.path),
        start_line: Set(draft.start_line),
        end_line: Set(draft.end_line),
        start_column: Set(draft.start_column),
        end_column: Set(draft.end_column),
        level: Set(level(draft.annotation_level)),
        title: Set(draft.title),
        message: Set(draft.message),
        raw_details: Set(draft.raw_details),
        ..Default::default()
    };
    drafts.into_iter().map(row).collect()
}

fn level(level: AnnotationLevel) -> CheckAnnotationLevel {
    match level {
        AnnotationLevel::Notice => CheckAnnotationLevel::Notice,
        AnnotationLevel::Warning => CheckAnnotationLevel::Warning,
        AnnotationLevel::Failure => CheckAnnotationLevel::Failure,
    }
}
