//! The rows of labels, and of the labels of issues.

use std::collections::{BTreeMap, BTreeSet};

use sea_orm::{
    ActiveModelTrait, ColumnTrait, DbErr, EntityTrait, IntoActiveModel, PaginatorTrait,
    QueryFilter, QueryOrder, QuerySelect, Set, TryInsertResult, TryIntoModel,
};

use super::rules::{GRAY, LabelNames, MOST, NewLabel, too_many};
use crate::access::RepositoryGrant;
use contract::paging::Page;
use contract::reply::Outcome;
use storage::database::{Connection, reserve_ids, rows_with};
use storage::entities::{issue, issue_label, label};

/// The unique key of a label.
const NAME: [label::Column; 2] = [label::Column::RepositoryId, label::Column::NameKey];

/// A page of the labels by name, and their total.
pub async fn page(
    connection: &Connection,
    repository: i64,
    page: Page,
) -> Result<(Vec<label::Model>, u64), DbErr> {
    let all = label::Entity::find().filter(label::COLUMN.repository_id.eq(repository));
    let total = all.clone().count(connection).await?;
    if page.skipped() >= total {
        return Ok((Vec::new(), total));
    }
    let rows = all
        .order_by_asc(label::Column::NameKey)
        .offset(page.skipped())
        .limit(page.per_page)
        .all(connection)
        .await?;
    Ok((rows, total))
}

/// Writes a changed label; false if another label has its name.
pub async fn save(transaction: &Connection, row: &label::Model) -> Result<bool, DbErr> {
    let other = find_by_name(transaction, row.repository_id, &row.name).await?;
    if other.is_some_and(|other| other.id != row.id) {
        return Ok(false);
    }
    let row = row.clone().into_active_model().reset_all();
    label::Entity::update(row).exec(transaction).await?;
    Ok(true)
}

pub async fn delete(transaction: &Connection, id: i64) -> Result<(), DbErr> {
    label::Entity::delete_by_id(id).exec(transaction).await?;
    Ok(())
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
    let (requested, created) = named(transaction, names, grant, issue.repository_id, now).await?;
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

/// The labels with these names, and those of them that were created because they did not exist.
async fn named(
    transaction: &Connection,
    names: LabelNames,
    grant: Option<&RepositoryGrant>,
    repository: i64,
    now: i64,
) -> Outcome<(Vec<label::Model>, Vec<label::Model>)> {
    let existing = by_keys(transaction, repository, names.0.keys()).await?;
    let keys: BTreeSet<&str> = existing.iter().map(|row| row.name_key.as_str()).collect();
    let missing: Vec<&String> = names
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
    let rows = by_keys(transaction, repository, names.0.keys()).await?;
    let created = rows.iter().filter(|row| ids.contains(&row.id)).cloned();
    let created = created.collect();
    Ok((rows, created))
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
