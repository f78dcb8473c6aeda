//! Pure decisions about items: what to add, and which fields to show. `rules/values.rs` validates
//! values.

mod values;

use percent_encoding::percent_decode_str;

use super::TITLE;
use contract::problem::FieldProblem;
use contract::project_items::{AddProjectItem, AddedItemType, CreateProjectDraft};
use contract::shared::address::RepoAddress;

pub use super::rules::values::{FieldAssignment, SetTo, own_value, settings};

/// The resource in errors.
pub const RESOURCE: &str = "ProjectV2Item";

/// The most items of a project (as on GitHub).
pub const ITEMS_AT_MOST: u64 = 50_000;

/// The most fields that can be requested at once (as on GitHub).
const FIELDS_AT_MOST: usize = 50;

/// The error for a parameter or a field of the body, with a message.
pub fn invalid(field: impl Into<String>, message: String) -> FieldProblem {
    FieldProblem::invalid(RESOURCE, field).because(message)
}

/// An issue or a pull request to add, as the body names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ContentReference {
    ById(i64),
    ByNumber(RepoAddress, i64),
}

impl ContentReference {
    /// The field of the body in errors.
    fn field(&self) -> &'static str {
        match self {
            Self::ById(_) => "id",
            Self::ByNumber(..) => "number",
        }
    }

    /// The error for content that does not exist, or looks absent to the caller.
    pub fn unknown(&self, kind: AddedItemType) -> FieldProblem {
        let label = match kind {
            AddedItemType::Issue => "Issue",
            AddedItemType::PullRequest => "Pull request",
        };
        invalid(self.field(), format!("{label} does not exist"))
    }
}

/// The content that a body names, by id or by number, but not both.
pub fn content_reference(
    body: AddProjectItem,
) -> Result<(AddedItemType, ContentReference), FieldProblem> {
    let parts = (body.id, body.owner, body.repo, body.number);
    let reference = match parts {
        (Some(id), None, None, None) => ContentReference::ById(id),
        (None, Some(owner), Some(repo), Some(number)) => {
            ContentReference::ByNumber(RepoAddress { owner, repo }, number)
        }
        (None, None, None, None) => return Err(FieldProblem::missing(RESOURCE, "id")),
        _ => {
            let message = "Give either `id`, or `owner`, `repo` and `number`";
            return Err(invalid("id", message.to_owned()));
        }
    };
    Ok((body.kind, reference))
}

/// A draft issue must have a title.
pub fn draft(body: CreateProjectDraft) -> Result<(String, Option<String>), FieldProblem> {
    let title = body.title.trim();
    match title.is_empty() {
        true => Err(FieldProblem::missing(RESOURCE, "title")),
        false => Ok((title.to_owned(), body.body)),
    }
}

/// Whether a project with this many items may have another.
pub fn check_room(count: u64) -> Result<(), FieldProblem> {
    if count < ITEMS_AT_MOST {
        return Ok(());
    }
    let message = format!("Projects can have at most {ITEMS_AT_MOST} items");
    Err(FieldProblem::custom(RESOURCE, "project", message))
}

/// The ids of the fields to show, in the requested order: from `fields`, and
/// from each `fields[]` of the query. The title by default.
pub fn selection(fields: Option<&str>, query: &str) -> Result<Vec<i64>, FieldProblem> {
    let listed = query.split('&').filter_map(|pair| {
        let (name, value) = pair.split_once('=')?;
        let decoded = |text: &str| percent_decode_str(text).decode_utf8_lossy().into_owned();
        (decoded(name) == "fields[]").then(|| decoded(value))
    });
    let texts: Vec<String> = fields
        .map(str::to_owned)
        .into_iter()
        .chain(listed)
        .collect();
    let words = texts.iter().flat_map(|text| text.split(','));
    let mut ids = Vec::new();
    for word in words.map(str::trim).filter(|word| !word.is_empty()) {
        let id = word.parse::<i64>();
        let id = id.map_err(|_| invalid("fields", format!("{word} is not a valid field id")))?;
        if !ids.contains(&id) {
            ids.push(id);
        }
        if ids.len() > FIELDS_AT_MOST {
            let message = format!("At most {FIELDS_AT_MOST} fields can be requested");
            return Err(invalid("fields", message));
        }
    }
    if ids.is_empty() {
        ids.push(TITLE);
    }
    Ok(ids)
}

/// The error for a field that the project does not have.
pub fn unknown_field(parameter: impl Into<String>, id: i64) -> FieldProblem {
    invalid(
        parameter,
        format!("Field {id} does not exist in the project"),
    )
}

#[cfg(test)]
mod tests;
