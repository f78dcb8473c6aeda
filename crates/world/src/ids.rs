//! The ids that a file fixes. Each belongs to one item of its kind. It must equal the id that
//! the item has in the database, or else be free. Users and organizations are one kind: both are
//! accounts.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::file::World;
use super::findings::{Finding, Findings};
use super::scalar::Positive;
use super::stored::StoredRows;
use super::yaml::At;

/// An item whose id the file fixes.
pub struct FixedId<'w> {
    table: &'static str,
    id: &'w At<Positive>,
    /// The id that it has in the database.
    stored: Option<i64>,
}

/// The name of a row of a table in findings.
fn label(table: &str) -> String {
    match table {
        "pull" => "pull request".to_owned(),
        "issue_comment" | "review_comment" => "comment".to_owned(),
        other => other.replace('_', " "),
    }
}

/// Every id that the file fixes, by the table that it is for.
pub fn fixed_ids<'w>(world: &'w World, stored: &StoredRows) -> Vec<FixedId<'w>> {
    let mut ids = Vec::new();
    let mut add = |table, id: &'w Option<At<Positive>>, stored: Option<i64>| {
        ids.extend(id.iter().map(|id| FixedId { table, id, stored }));
    };
    let account = |login: &At<String>| Some(stored.account(&login.value)?.id);
    for item in &world.users {
        add("account", &item.id, account(&item.login));
    }
    for item in &world.organizations {
        add("account", &item.id, account(&item.login));
        // Here and below, a field that could not be read is reported already.
        for field in item.issue_fields.iter().filter(|field| field.id.is_some()) {
            if let Some(name) = field.request.text("name") {
                let row = stored.issue_field(&item.login.value, id_of(&field.id), name.value);
                add("issue_field", &field.id, row.map(|row| row.id));
            }
        }
    }
    for item in &world.repositories {
        let row = stored.repository(&item.full_name.value);
        add("repository", &item.id, row.map(|row| row.id));
        for pull in &item.pulls {
            let row = stored.pull(&item.full_name.value, pull.number.value.0);
            let row = row.map(|row| row.id);
            add("pull", &pull.id, row);
            for review in &pull.reviews {
                let own = id_of(&review.id).filter(|id| stored.has_review(row, *id));
                add("review", &review.id, own);
            }
            for comment in &pull.comments {
                let own = id_of(&comment.id).filter(|id| stored.has_comment(row, *id));
                add("review_comment", &comment.id, own);
            }
        }
        for issue in item.issues.iter().filter(|issue| issue.id.is_some()) {
            let row = row.and_then(|row| stored.issue_id(row.id, issue.number.value.0));
            add("issue", &issue.id, row);
        }
        for (number, comment) in item.conversations() {
            let own = id_of(&comment.id);
            let own = own.filter(|id| stored.has_issue_comment(row, number, *id));
            add("issue_comment", &comment.id, own);
        }
    }
    for item in &world.projects {
        let row = stored.project(&item.owner.value, item.number.value.0);
        add("project", &item.id, row.map(|row| row.id));
        for field in item.fields.iter().filter(|field| field.id.is_some()) {
            if let Ok(draft) = field.request.project_field(false) {
                let fixed = id_of(&field.id);
                let row = row.and_then(|row| stored.project_field(row.id, fixed, &draft));
                add("project_field", &field.id, row.map(|row| row.id));
            }
        }
    }
    for project in &world.projects {
        let row = stored.project(&project.owner.value, project.number.value.0);
        for item in &project.items {
            let own = id_of(&item.id).filter(|id| stored.has_item(row.map(|row| row.id), *id));
            add("project_item", &item.id, own);
        }
    }
    for item in &world.apps {
        let row = stored.app(&item.slug.value);
        add("app", &item.id, row.map(|row| row.id));
    }
    for item in &world.installations {
        let row = stored.installation(&item.app.value, &item.account.value);
        add("installation", &item.id, row.map(|row| row.id));
    }
    for item in &world.tokens {
        let row = item
            .value
            .as_ref()
            .and_then(|field| stored.token(&field.value));
        add("token", &item.id, row.map(|row| row.id));
    }
    ids
}

pub fn id_of(field: &Option<At<Positive>>) -> Option<i64> {
    field.as_ref().map(|id| id.value.0)
}

/// The ids that must be free, by table.
pub fn new_ids(world: &World, stored: &StoredRows) -> BTreeMap<&'static str, BTreeSet<i64>> {
    let mut by_table: BTreeMap<_, BTreeSet<i64>> = BTreeMap::new();
    let ids = fixed_ids(world, stored).into_iter();
    for id in ids.filter(|id| id.stored.is_none()) {
        by_table.entry(id.table).or_default().insert(id.id.value.0);
    }
    by_table
}

/// Ids of rows, by table.
pub type TakenIds = HashMap<&'static str, HashSet<i64>>;

pub fn check(world: &World, stored: &StoredRows, findings: &mut Findings) {
    let mut first_lines: HashMap<(&str, i64), u64> = HashMap::new();
    for fixed in fixed_ids(world, stored) {
        let (at, value, label) = (fixed.id.location, fixed.id.value.0, label(fixed.table));
        let finding = match (fixed.stored, first_lines.get(&(fixed.table, value))) {
            (_, Some(line)) => Finding::at(at, format!("duplicate {label} id `{value}`"))
                .found(format!("the first on line {line}")),
            (Some(stored), None) if stored != value => {
                let expected = format!("`{stored}` or no `id`");
                Finding::at(at, format!("the {label} has another id in the database"))
                    .expected(expected)
                    .found(format!("`{value}`"))
            }
            (None, None) if stored.is_taken(fixed.table, value) => {
                Finding::at(at, format!("the {label} id `{value}` is taken"))
                    .expected("an id that is not in the database")
            }
            _ => {
                first_lines.insert((fixed.table, value), at.line);
                continue;
            }
        };
        findings.push(finding);
    }
}
