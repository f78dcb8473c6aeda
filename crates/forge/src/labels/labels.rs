//! Labels: the rules for their fields, and the labels of issues.

use std::collections::{BTreeMap, BTreeSet};

use sea_orm::{
    ColumnTrait, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect, Set, TryInsertResult,
    TryIntoModel,
};

use crate::access::RepositoryGrant;
use crate::node_id;
use crate::urls::Urls;
use contract::labels::Label;
use contract::problem::{FieldProblem, Problem};
use contract::reply::Outcome;
use storage::database::{Connection, reserve_ids, rows_with};
use storage::entities::{issue, issue_label, label};

/// The unique key of a label.
const NAME: [label::Column; 2] = [label::Column::RepositoryId, label::Column::NameKey];

/// The resource in validation errors.
pub const LABEL: &str = "Label";

/// The default color.
pub const GRAY: &str = "ededed";

/// The most labels of an issue.
const MOST: usize = 100;

const LONGEST_NAME: usize = 50;
const LONGEST_DESCRIPTION: usize = 100;

/// Trims and validates a name.
pub fn check_name(name: &str) -> Result<String, FieldProblem> {
    let name = name.trim();
    if name.is_empty() {
        return Err(FieldProblem::missing(LABEL, "name"));
    }
    if name.chars().count() > LONGEST_NAME {
        let message = format!("name is too long (maximum is {LONGEST_NAME} characters)");
        return Err(FieldProblem::custom(LABEL, "name", message));
    }
    Ok(name.to_owned())
}

/// Validates a color, and returns it in lower case, as it is stored.
pub fn check_color(color: &str) -> Result<String, FieldProblem> {
    let digits = color.len() == 6 && color.bytes().all(|byte| byte.is_ascii_hexdigit());
    match digits {
        true => Ok(color.to_ascii_lowercase()),
        false => Err(FieldProblem::invalid(LABEL, "color")),
    }
}

pub fn check_description(text: &str) -> Result<(), FieldProblem> {
    if text.chars().count() > LONGEST_DESCRIPTION {
        let message =
            format!("description is too long (maximum is {LONGEST_DESCRIPTION} characters)");
        return Err(FieldProblem::custom(LABEL, "description", message));
    }
    Ok(())
}

/// The names of labels to add to an issue, unique ignoring case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LabelNames(BTreeMap<String, String>);

impl LabelNames {
    pub fn of(names: &[String]) -> Outcome<Self> {
        let mut keyed = BTreeMap::new();
        for name in names {
            let name = check_name(name)?;
            keyed.entry(name.to_lowercase()).or_insert(name);
        }
        if keyed.len() > MOST {
            return Err(too_many());
        }
        Ok(Self(keyed))
    }

    /// The labels with these names, and those of them that were created because they did not
    /// exist.
    async fn rows(
        self,
        transaction: &Connection,
        grant: Option<&RepositoryGrant>,
        repository: i64,
        now: i64,
    ) -> Outcome<(Vec<label::Model>, Vec<label::Model>)> {
        let existing = by_keys(transaction, repository, self.0.keys()).await?;
        let keys: BTreeSet<&str> = existing.iter().map(|row| row.name_key.as_str()).collect();
        let missing: Vec<&String> = self
            .0
            .iter()
            .filter_map(|(key, name)| (!keys.contains(key.as_str())).then_some(name))
            .collect();
        if missing.is_empty() {
            return Ok((existing, Vec::new()));
        }
        grant.map_or(Ok(()), RepositoryGrant::may_create_labels)?;
        let ids = reserve_ids(transaction, "label", missing.len()).await?;
        let rows = missing.into_iter().zip(&ids).map(|(name, id)| {
            let new = NewLabel {
                name: name.clone(),
                color: GRAY.to_owned(),
                description: None,
            };
            label::ActiveModel {
                id: Set(*id),
                ..row(repository, new, now)
            }
        });
        label::Entity::insert_many(rows)
            .on_conflict_do_nothing_on(NAME)
            .exec_without_returning(transaction)
            .await?;
        // Another writer may have created some of them in the meantime.
        let rows = by_keys(transaction, repository, self.0.keys()).await?;
        let created = rows.iter().filter(|row| ids.contains(&row.id)).cloned();
        let created = created.collect();
        Ok((rows, created))
    }
}

/// A label to create.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewLabel {
    pub name: String,
    pub color: String,
    pub description: Option<String>,
}

/// Creates a label; None if the name is taken.
pub async fn insert(
    transaction: &Connection,
    repository: i64,
    new: NewLabel,
    now: i64,
) -> Result<Option<label::Model>, DbErr> {
    let mut row = row(repository, new, now);
    let inserted = label::Entity::insert(row.clone())
        .on_conflict_do_nothing_on(NAME)
        .exec(transaction)
        .await?;
    match inserted {
        TryInsertResult::Inserted(inserted) => {
            row.id = Set(inserted.last_insert_id);
            row.try_into_model().map(Some)
        }
        TryInsertResult::Empty | TryInsertResult::Conflicted => Ok(None),
    }
}

fn row(repository: i64, new: NewLabel, now: i64) -> label::ActiveModel {
    label::ActiveModel {
        repository_id: Set(repository),
        name_key: Set(new.name.to_lowercase()),
        name: Set(new.name),
        color: Set(new.color),
        description: Set(new.description),
        is_default: Set(false),
        created_at: Set(now),
        updated_at: Set(now),
        ..Default::default()
    }
}

async fn by_keys<'a>(
    connection: &Connection,
    repository: i64,
    keys: impl Iterator<Item = &'a String>,
) -> Result<Vec<label::Model>, DbErr> {
    label::Entity::find()
        .filter(label::COLUMN.repository_id.eq(repository))
        .filter(label::Column::NameKey.is_in(keys.cloned()))
        .order_by_asc(label::Column::NameKey)
        .all(connection)
        .await
}

/// The label with a name, ignoring case.
pub async fn find_by_name(
    connection: &Connection,
    repository: i64,
    name: &str,
) -> Result<Option<label::Model>, DbErr> {
    let keys = [name.to_lowercase()];
    let rows = by_keys(connection, repository, keys.iter()).await?;
    Ok(rows.into_iter().next())
}

/// The labels of issues, by name.
pub async fn of_issues(
    connection: &Connection,
    issues: impl IntoIterator<Item = i64>,
) -> Result<BTreeMap<i64, Vec<label::Model>>, DbErr> {
    let links = rows_with(connection, issue_label::Column::IssueId, issues).await?;
    let ids = links.iter().map(|row| row.label_id);
    let rows = rows_with(connection, label::Column::Id, ids).await?;
    let rows: BTreeMap<i64, label::Model> = rows.into_iter().map(|row| (row.id, row)).collect();
    let mut labels: BTreeMap<i64, Vec<label::Model>> = BTreeMap::new();
    for row in links {
        if let Some(label) = rows.get(&row.label_id) {
            labels.entry(row.issue_id).or_default().push(label.clone());
        }
    }
    for labels in labels.values_mut() {
        labels.sort_unstable_by(|left, right| left.name_key.cmp(&right.name_key));
    }
    Ok(labels)
}

/// The labels of one issue, by name.
pub async fn of_issue(connection: &Connection, issue: i64) -> Result<Vec<label::Model>, DbErr> {
    let mut labels = of_issues(connection, [issue]).await?;
    Ok(labels.remove(&issue).unwrap_or_default())
}

/// The created, added and removed labels of an issue.
#[derive(Debug, Default)]
pub struct LabelChanges {
    /// Labels that are new in the repository.
    pub created: Vec<label::Model>,
    pub added: Vec<label::Model>,
    pub removed: Vec<label::Model>,
}

impl LabelChanges {
    pub fn is_empty(&self) -> bool {
        self.added.is_empty() && self.removed.is_empty()
    }
}

/// Adds labels to an issue, in addition to its labels or instead of them. The issue must be
/// locked. Missing labels are created; 403 if the grant does not allow that. A world file has no
/// grant.
pub async fn label_issue(
    transaction: &Connection,
    grant: Option<&RepositoryGrant>,
    issue: &issue::Model,
    names: LabelNames,
    replace: bool,
    now: i64,
) -> Outcome<LabelChanges> {
    let before = of_issue(transaction, issue.id).await?;
    let (requested, created) = names
        .rows(transaction, grant, issue.repository_id, now)
        .await?;
    let before_ids: BTreeSet<i64> = before.iter().map(|row| row.id).collect();
    let requested_ids: BTreeSet<i64> = requested.iter().map(|row| row.id).collect();
    let added: Vec<_> = requested
        .into_iter()
        .filter(|row| !before_ids.contains(&row.id))
        .collect();
    let removed: Vec<_> = match replace {
        true => before
            .into_iter()
            .filter(|row| !requested_ids.contains(&row.id))
            .collect(),
        false => Vec::new(),
    };
    if before_ids.len() + added.len() - removed.len() > MOST {
        return Err(too_many());
    }
    let rows = added.iter().map(|label| issue_label::ActiveModel {
        issue_id: Set(issue.id),
        label_id: Set(label.id),
    });
    if !added.is_empty() {
        issue_label::Entity::insert_many(rows)
            .exec_without_returning(transaction)
            .await?;
    }
    unlabel_issue(transaction, issue, &removed).await?;
    Ok(LabelChanges {
        created,
        added,
        removed,
    })
}

fn too_many() -> Problem {
    let message = format!("an issue may have no more than {MOST} labels");
    FieldProblem::custom("Issue", "labels", message).into()
}

/// Removes labels from an issue.
pub async fn unlabel_issue(
    transaction: &Connection,
    issue: &issue::Model,
    labels: &[label::Model],
) -> Result<(), DbErr> {
    if labels.is_empty() {
        return Ok(());
    }
    issue_label::Entity::delete_many()
        .filter(issue_label::COLUMN.issue_id.eq(issue.id))
        .filter(issue_label::Column::LabelId.is_in(labels.iter().map(|label| label.id)))
        .exec(transaction)
        .await?;
    Ok(())
}

/// The ids of the labels with these names; None if one of them does not exist.
pub async fn ids_of(
    connection: &Connection,
    repository: i64,
    names: &[&str],
) -> Result<Option<Vec<i64>>, DbErr> {
    let keys: BTreeSet<String> = names.iter().map(|name| name.to_lowercase()).collect();
    let ids: Vec<i64> = label::Entity::find()
        .select_only()
        .column(label::Column::Id)
        .filter(label::COLUMN.repository_id.eq(repository))
        .filter(label::Column::NameKey.is_in(keys.iter().cloned()))
        .into_tuple()
        .all(connection)
        .await?;
    Ok((ids.len() == keys.len()).then_some(ids))
}

/// A label as clients see it.
pub fn label_view(urls: &Urls, full_name: &str, row: &label::Model) -> Label {
    Label {
        id: row.id,
        node_id: node_id::label(row.repository_id, row.id),
        url: urls.label(full_name, &row.name).into(),
        name: row.name.clone(),
        color: row.color.clone(),
        default: row.is_default,
        description: row.description.clone().into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_between_one_and_fifty_characters() {
        assert_eq!(check_name(" bug ").as_deref(), Ok("bug"));
        assert!(check_name(&"ß".repeat(50)).is_ok());
        assert!(check_name(&"x".repeat(51)).is_err());
        assert!(check_name(" \t").is_err());
    }

    #[test]
    fn a_color_is_six_hexadecimal_digits() {
        assert_eq!(check_color("D73A4A").as_deref(), Ok("d73a4a"));
        for color in ["", "fff", "#d73a4a", "d73a4g", "d73a4aff"] {
            assert!(check_color(color).is_err(), "{color}");
        }
    }

    #[test]
    fn names_are_unique_ignoring_case() {
        let names = ["bug", "Bug", "help wanted"].map(str::to_owned);
        let names = LabelNames::of(&names).expect("names");
        assert_eq!(names.0.len(), 2);
    }
}
