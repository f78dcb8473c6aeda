//! What apps send.

use poem_openapi::types::Example;
use poem_openapi::{Enum, Object};
use serde::{Deserialize, Serialize};

use super::super::body::Readable;
use super::super::git_refs::EXAMPLE_SHA;
use super::super::values::Timestamp;

/// How far a check run is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum, Serialize, Deserialize)]
#[oai(rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum CheckStatus {
    Queued,
    InProgress,
    Completed,
}

/// How a check run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum, Serialize, Deserialize)]
#[oai(rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum CheckConclusion {
    ActionRequired,
    Cancelled,
    Failure,
    Neutral,
    Success,
    Skipped,
    TimedOut,
}

/// How much an annotation matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum, Serialize, Deserialize)]
#[oai(rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum AnnotationLevel {
    Notice,
    Warning,
    Failure,
}

/// The body of `create_check_run`.
#[derive(Debug, Clone, Object, Serialize, Deserialize)]
#[oai(example)]
pub struct CreateCheckRun {
    /// What is checked, at most 255 characters.
    pub name: String,
    /// The SHA-1 of the commit.
    pub head_sha: String,
    /// Where more can be read: an `http` or `https` URL of at most 2,048 characters. The page of
    /// the app if it is not given.
    #[oai(skip_serializing_if_is_none)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details_url: Option<String>,
    /// What the app calls the check run, at most 255 characters.
    #[oai(skip_serializing_if_is_none)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub external_id: Option<String>,
    /// How far it is; `queued` if it is not given.
    #[oai(skip_serializing_if_is_none)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<CheckStatus>,
    /// When it began; now if it is not given.
    #[oai(skip_serializing_if_is_none)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at: Option<Timestamp>,
    /// How it ended, which also makes it `completed`. Required with `completed_at` and with the
    /// status `completed`.
    #[oai(skip_serializing_if_is_none)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conclusion: Option<CheckConclusion>,
    /// When it ended; now if it is not given.
    #[oai(skip_serializing_if_is_none)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completed_at: Option<Timestamp>,
    #[oai(skip_serializing_if_is_none)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<CheckOutputDraft>,
    /// Accepted and ignored.
    #[oai(skip_serializing_if_is_none, validator(max_items = 3))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actions: Option<Vec<CheckAction>>,
}

/// The body of `update_check_run`. What is absent stays as it is.
#[derive(Debug, Clone, Default, Object, Serialize, Deserialize)]
#[oai(example)]
pub struct UpdateCheckRun {
    /// What is checked, at most 255 characters.
    #[oai(skip_serializing_if_is_none)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Where more can be read: an `http` or `https` URL of at most 2,048 characters.
    #[oai(skip_serializing_if_is_none)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details_url: Option<String>,
    /// What the app calls the check run, at most 255 characters.
    #[oai(skip_serializing_if_is_none)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub external_id: Option<String>,
    /// When it began.
    #[oai(skip_serializing_if_is_none)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at: Option<Timestamp>,
    /// How far it is. Any but `completed` takes the conclusion away.
    #[oai(skip_serializing_if_is_none)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<CheckStatus>,
    /// How it ended, which also makes it `completed`. Required with `completed_at` and with the
    /// status `completed`.
    #[oai(skip_serializing_if_is_none)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conclusion: Option<CheckConclusion>,
    /// When it ended; now if it is not given.
    #[oai(skip_serializing_if_is_none)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completed_at: Option<Timestamp>,
    #[oai(skip_serializing_if_is_none)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<CheckOutputDraft>,
    /// Accepted and ignored.
    #[oai(skip_serializing_if_is_none, validator(max_items = 3))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actions: Option<Vec<CheckAction>>,
}

/// What a check run has found.
#[derive(Debug, Clone, Default, Object, Serialize, Deserialize)]
pub struct CheckOutputDraft {
    /// In a line, at most 255 characters. Required for a new check run.
    #[oai(skip_serializing_if_is_none)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// In short, in Markdown.
    #[oai(validator(max_length = 65_535))]
    pub summary: String,
    /// At length, in Markdown.
    #[oai(skip_serializing_if_is_none, validator(max_length = 65_535))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Remarks on lines, which are added to those that are there.
    #[oai(skip_serializing_if_is_none, validator(max_items = 50))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub annotations: Option<Vec<CheckAnnotationDraft>>,
    /// Accepted and ignored.
    #[oai(skip_serializing_if_is_none)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub images: Option<Vec<CheckImage>>,
}

/// A remark on some lines of a file.
#[derive(Debug, Clone, Object, Serialize, Deserialize)]
pub struct CheckAnnotationDraft {
    /// The file, relative to the root of the repository.
    #[oai(validator(min_length = 1, max_length = 4096))]
    pub path: String,
    /// The first line, counted from 1.
    pub start_line: i64,
    /// The last line.
    pub end_line: i64,
    /// The first column, counted from 1. Only if it is all on one line.
    #[oai(nullable)]
    #[serde(default)]
    pub start_column: Option<i64>,
    /// The last column. Only if it is all on one line.
    #[oai(nullable)]
    #[serde(default)]
    pub end_column: Option<i64>,
    pub annotation_level: AnnotationLevel,
    /// What is remarked.
    #[oai(validator(max_length = 65_536))]
    pub message: String,
    /// In a line.
    #[oai(nullable, validator(max_length = 255))]
    #[serde(default)]
    pub title: Option<String>,
    /// At length.
    #[oai(nullable, validator(max_length = 65_536))]
    #[serde(default)]
    pub raw_details: Option<String>,
}

/// A picture; accepted and ignored.
#[derive(Debug, Clone, Object, Serialize, Deserialize)]
pub struct CheckImage {
    /// What is to be seen.
    pub alt: String,
    /// Where the picture is.
    pub image_url: String,
    /// What is said below it.
    #[oai(skip_serializing_if_is_none)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub caption: Option<String>,
}

/// A button; accepted and ignored.
#[derive(Debug, Clone, Object, Serialize, Deserialize)]
pub struct CheckAction {
    /// What it says.
    #[oai(validator(max_length = 20))]
    pub label: String,
    #[oai(validator(max_length = 40))]
    pub description: String,
    /// What the app calls it.
    #[oai(validator(max_length = 20))]
    pub identifier: String,
}

impl Readable for CreateCheckRun {}

impl Readable for UpdateCheckRun {
    const REQUIRED: bool = false;
}

impl Example for CreateCheckRun {
    fn example() -> Self {
        Self {
            name: "lint".to_owned(),
            head_sha: EXAMPLE_SHA.to_owned(),
            details_url: Some("https://ci.example/runs/1".to_owned()),
            external_id: Some("42".to_owned()),
            status: Some(CheckStatus::InProgress),
            started_at: Some(Timestamp(1_773_135_000)),
            conclusion: None,
            completed_at: None,
            output: None,
            actions: None,
        }
    }
}

impl Example for UpdateCheckRun {
    fn example() -> Self {
        Self {
            conclusion: Some(CheckConclusion::Success),
            output: Some(CheckOutputDraft {
                title: Some("No findings".to_owned()),
                summary: "All **9** files are fine.".to_owned(),
                ..CheckOutputDraft::default()
            }),
            ..Self::default()
        }
    }
}
