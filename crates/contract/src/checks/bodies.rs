//! The request bodies of check runs.

use contract_macros::schema;
use poem_openapi::types::Example;

use super::super::body::Readable;
use super::super::git_refs::EXAMPLE_SHA;
use super::super::values::Timestamp;

/// The status of a check run or a check suite.
#[schema(rename_all = "snake_case")]
pub enum CheckStatus {
    Queued,
    InProgress,
    Completed,
}

/// The conclusion of a check run or a check suite.
#[schema(rename_all = "snake_case")]
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
#[schema(rename_all = "snake_case")]
pub enum AnnotationLevel {
    Notice,
    Warning,
    Failure,
}

/// The body of `create_check_run`.
#[schema(example)]
pub struct CreateCheckRun {
    /// The name of the check run, at most 255 characters.
    pub name: String,
    /// The SHA-1 of the commit that the check run is for.
    pub head_sha: String,
    /// The `http` or `https` URL of the details of the check run, at most 2,048 characters. If
    /// omitted, the URL of the app's website.
    pub details_url: Option<String>,
    /// The app's own identifier for the check run, at most 255 characters.
    pub external_id: Option<String>,
    /// The status of the check run. If omitted, `queued`.
    pub status: Option<CheckStatus>,
    /// When the check run started. If omitted, the current time.
    pub started_at: Option<Timestamp>,
    /// The conclusion of the check run. Setting it also sets `status` to `completed`. Required if
    /// `completed_at` is set or `status` is `completed`.
    pub conclusion: Option<CheckConclusion>,
    /// When the check run completed. If omitted, the time at which `conclusion` is set.
    pub completed_at: Option<Timestamp>,
    pub output: Option<CheckOutputDraft>,
    /// The actions of the check run. Accepted and ignored.
    #[schema(validator(max_items = 3))]
    pub actions: Option<Vec<CheckAction>>,
}

/// The body of `update_check_run`. Omitted properties are not changed.
#[schema(example)]
#[derive(Default)]
pub struct UpdateCheckRun {
    /// The name of the check run, at most 255 characters.
    pub name: Option<String>,
    /// The `http` or `https` URL of the details of the check run, at most 2,048 characters.
    pub details_url: Option<String>,
    /// The app's own identifier for the check run, at most 255 characters.
    pub external_id: Option<String>,
    /// When the check run started.
    pub started_at: Option<Timestamp>,
    /// The status of the check run. Any status other than `completed` removes the conclusion.
    pub status: Option<CheckStatus>,
    /// The conclusion of the check run. Setting it also sets `status` to `completed`. Required if
    /// `completed_at` is set or `status` is `completed`.
    pub conclusion: Option<CheckConclusion>,
    /// When the check run completed. If omitted, the time at which `conclusion` is set.
    pub completed_at: Option<Timestamp>,
    pub output: Option<CheckOutputDraft>,
    /// The actions of the check run. Accepted and ignored.
    #[schema(validator(max_items = 3))]
    pub actions: Option<Vec<CheckAction>>,
}

/// The output of a check run.
#[schema]
#[derive(Default)]
pub struct CheckOutputDraft {
    /// The title of the output, at most 255 characters. Required for a new check run.
    pub title: Option<String>,
    /// The summary of the output, in Markdown.
    #[schema(validator(max_length = 65_535))]
    pub summary: String,
    /// The details of the output, in Markdown.
    #[schema(validator(max_length = 65_535))]
    pub text: Option<String>,
    /// The annotations of files. They are added to the existing ones.
    #[schema(validator(max_items = 50))]
    pub annotations: Option<Vec<CheckAnnotationDraft>>,
    /// The images of the output. Accepted and ignored.
    pub images: Option<Vec<CheckImage>>,
}

/// An annotation of lines in a file.
#[schema]
pub struct CheckAnnotationDraft {
    /// The path of the file, relative to the root of the repository.
    #[schema(validator(min_length = 1, max_length = 4096))]
    pub path: String,
    /// The first line of the annotation, starting at 1.
    pub start_line: i64,
    /// The last line of the annotation.
    pub end_line: i64,
    /// The first column of the annotation, starting at 1. Only allowed if `start_line` and
    /// `end_line` are the same.
    #[schema(nullable)]
    pub start_column: Option<i64>,
    /// The last column of the annotation. Only allowed if `start_line` and `end_line` are the
    /// same.
    #[schema(nullable)]
    pub end_column: Option<i64>,
    pub annotation_level: AnnotationLevel,
    /// The message of the annotation.
    #[schema(validator(max_length = 65_536))]
    pub message: String,
    /// The title of the annotation.
    #[schema(nullable, validator(max_length = 255))]
    pub title: Option<String>,
    /// The details of the annotation.
    #[schema(nullable, validator(max_length = 65_536))]
    pub raw_details: Option<String>,
}

/// An image in the output of a check run. Accepted and ignored.
#[schema]
pub struct CheckImage {
    /// The alternative text of the image.
    pub alt: String,
    /// The URL of the image.
    pub image_url: String,
    /// The caption of the image.
    pub caption: Option<String>,
}

/// An action that a check run offers as a button. Accepted and ignored.
#[schema]
pub struct CheckAction {
    /// The label of the button.
    #[schema(validator(max_length = 20))]
    pub label: String,
    /// The description of the action.
    #[schema(validator(max_length = 40))]
    pub description: String,
    /// The app's own identifier for the action.
    #[schema(validator(max_length = 20))]
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
