//! The request bodies of check runs.

use poem_openapi::types::Example;
use poem_openapi::{Enum, Object};
use serde::{Deserialize, Serialize};

use super::super::body::Readable;
use super::super::git_refs::EXAMPLE_SHA;
use super::super::values::Timestamp;

/// The status of a check run or a check suite.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum, Serialize, Deserialize)]
#[oai(rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum CheckStatus {
    Queued,
    InProgress,
    Completed,
}

/// The conclusion of a check run or a check suite.
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

/// The severity of an annotation.
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
    /// The name of the check run, at most 255 characters.
    pub name: String,
    /// The SHA-1 of the commit that the check run is for.
    pub head_sha: String,
    /// The `http` or `https` URL of the details of the check run, at most 2,048 characters. If
    /// omitted, the URL of the app's website.
    #[oai(skip_serializing_if_is_none)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details_url: Option<String>,
    /// The app's own identifier for the check run, at most 255 characters.
    #[oai(skip_serializing_if_is_none)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub external_id: Option<String>,
    /// The status of the check run. If omitted, `queued`.
    #[oai(skip_serializing_if_is_none)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<CheckStatus>,
    /// When the check run started. If omitted, the current time.
    #[oai(skip_serializing_if_is_none)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at: Option<Timestamp>,
    /// The conclusion of the check run. Setting it also sets `status` to `completed`. Required if
    /// `completed_at` is set or `status` is `completed`.
    #[oai(skip_serializing_if_is_none)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conclusion: Option<CheckConclusion>,
    /// When the check run completed. If omitted, the time at which `conclusion` is set.
    #[oai(skip_serializing_if_is_none)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completed_at: Option<Timestamp>,
    #[oai(skip_serializing_if_is_none)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<CheckOutputDraft>,
    /// The actions of the check run. Accepted and ignored.
    #[oai(skip_serializing_if_is_none, validator(max_items = 3))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actions: Option<Vec<CheckAction>>,
}

/// The body of `update_check_run`. Omitted properties are not changed.
#[derive(Debug, Clone, Default, Object, Serialize, Deserialize)]
#[oai(example)]
pub struct UpdateCheckRun {
    /// The name of the check run, at most 255 characters.
    #[oai(skip_serializing_if_is_none)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The `http` or `https` URL of the details of the check run, at most 2,048 characters.
    #[oai(skip_serializing_if_is_none)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details_url: Option<String>,
    /// The app's own identifier for the check run, at most 255 characters.
    #[oai(skip_serializing_if_is_none)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub external_id: Option<String>,
    /// When the check run started.
    #[oai(skip_serializing_if_is_none)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at: Option<Timestamp>,
    /// The status of the check run. Any status other than `completed` removes the conclusion.
    #[oai(skip_serializing_if_is_none)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<CheckStatus>,
    /// The conclusion of the check run. Setting it also sets `status` to `completed`. Required if
    /// `completed_at` is set or `status` is `completed`.
    #[oai(skip_serializing_if_is_none)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conclusion: Option<CheckConclusion>,
    /// When the check run completed. If omitted, the time at which `conclusion` is set.
    #[oai(skip_serializing_if_is_none)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completed_at: Option<Timestamp>,
    #[oai(skip_serializing_if_is_none)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<CheckOutputDraft>,
    /// The actions of the check run. Accepted and ignored.
    #[oai(skip_serializing_if_is_none, validator(max_items = 3))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actions: Option<Vec<CheckAction>>,
}

/// The output of a check run.
#[derive(Debug, Clone, Default, Object, Serialize, Deserialize)]
pub struct CheckOutputDraft {
    /// The title of the output, at most 255 characters. Required for a new check run.
    #[oai(skip_serializing_if_is_none)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The summary of the output, in Markdown.
    #[oai(validator(max_length = 65_535))]
    pub summary: String,
    /// The details of the output, in Markdown.
    #[oai(skip_serializing_if_is_none, validator(max_length = 65_535))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The annotations of files. They are added to the existing ones.
    #[oai(skip_serializing_if_is_none, validator(max_items = 50))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub annotations: Option<Vec<CheckAnnotationDraft>>,
    /// The images of the output. Accepted and ignored.
    #[oai(skip_serializing_if_is_none)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub images: Option<Vec<CheckImage>>,
}

/// An annotation of lines in a file.
#[derive(Debug, Clone, Object, Serialize, Deserialize)]
pub struct CheckAnnotationDraft {
    /// The path of the file, relative to the root of the repository.
    #[oai(validator(min_length = 1, max_length = 4096))]
    pub path: String,
    /// The first line of the annotation, starting at 1.
    pub start_line: i64,
    /// The last line of the annotation.
    pub end_line: i64,
    /// The first column of the annotation, starting at 1. Only allowed if `start_line` and
    /// `end_line` are the same.
    #[oai(nullable)]
    #[serde(default)]
    pub start_column: Option<i64>,
    /// The last column of the annotation. Only allowed if `start_line` and `end_line` are the
    /// same.
    #[oai(nullable)]
    #[serde(default)]
    pub end_column: Option<i64>,
    pub annotation_level: AnnotationLevel,
    /// The message of the annotation.
    #[oai(validator(max_length = 65_536))]
    pub message: String,
    /// The title of the annotation.
    #[oai(nullable, validator(max_length = 255))]
    #[serde(default)]
    pub title: Option<String>,
    /// The details of the annotation.
    #[oai(nullable, validator(max_length = 65_536))]
    #[serde(default)]
    pub raw_details: Option<String>,
}

/// An image in the output of a check run. Accepted and ignored.
#[derive(Debug, Clone, Object, Serialize, Deserialize)]
pub struct CheckImage {
    /// The alternative text of the image.
    pub alt: String,
    /// The URL of the image.
    pub image_url: String,
    /// The caption of the image.
    #[oai(skip_serializing_if_is_none)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub caption: Option<String>,
}

/// An action that a check run offers as a button. Accepted and ignored.
#[derive(Debug, Clone, Object, Serialize, Deserialize)]
pub struct CheckAction {
    /// The label of the button.
    #[oai(validator(max_length = 20))]
    pub label: String,
    /// The description of the action.
    #[oai(validator(max_length = 40))]
    pub description: String,
    /// The app's own identifier for the action.
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
