//! Translates a filter to a query condition on the items of one project. Every condition is true
//! or false and never unknown, so that it can be negated: columns of the issue are compared only
//! if there is one.

mod values;

use std::collections::HashMap;

use sea_orm::sea_query::{Expr, ExprTrait, Func, Query, SelectStatement, SimpleExpr};
use sea_orm::{ColumnTrait, Condition, EntityTrait, QueryFilter, Select};

use super::query::Term;
use super::rules::invalid;
use crate::access::RepositoryGrant;
use crate::projects::FieldWithContent;
use contract::problem::FieldProblem;
use storage::entities::{account, issue, issue_assignee, issue_label, label, project_item, pull};

/// The repositories whose content the caller may read.
#[derive(Debug, Default)]
pub struct ReadableRepositories {
    pub issues: HashMap<i64, RepositoryGrant>,
    pub pulls: HashMap<i64, RepositoryGrant>,
}

impl ReadableRepositories {
    /// An item has content that the caller may read.
    fn condition(&self) -> Condition {
        let within = |grants: &HashMap<i64, RepositoryGrant>| {
            issue::Column::RepositoryId.is_in(grants.keys().copied())
        };
        let issues = issue::Column::PullId.is_null().and(within(&self.issues));
        let pulls = issue::Column::PullId.is_not_null().and(within(&self.pulls));
        Condition::any()
            .add(is_draft())
            .add(Condition::all().add(has_issue()).add(issues.or(pulls)))
    }

    /// The repositories with one of these full names.
    fn ids_by_name(&self, names: &[String]) -> Vec<i64> {
        let grants = self.issues.iter().chain(&self.pulls);
        let is_requested = |grant: &RepositoryGrant| {
            let full_name = grant.full_name();
            names
                .iter()
                .any(|name| name.eq_ignore_ascii_case(&full_name))
        };
        let matching = grants.filter(|(_, grant)| is_requested(grant));
        matching.map(|(id, _)| *id).collect()
    }
}

/// The items of a project in a list without a filter.
pub fn unfiltered(project: i64) -> Select<project_item::Entity> {
    in_use(of_project(project), false)
}

/// The items of a project that match a filter. Those that the caller may not read never match.
pub fn filtered(
    project: i64,
    terms: &[Term],
    fields: &[FieldWithContent],
    readable: &ReadableRepositories,
) -> Result<Select<project_item::Entity>, Vec<FieldProblem>> {
    let (mut archived, mut problems) = (false, Vec::new());
    let mut items = of_project(project)
        .left_join(issue::Entity)
        .filter(readable.condition());
    for term in terms {
        if is_archived(term) {
            archived = !term.negated;
            continue;
        }
        match condition(term, fields, readable) {
            Ok(condition) if term.negated => items = items.filter(condition.not()),
            Ok(condition) => items = items.filter(condition),
            Err(message) => problems.push(invalid("q", message)),
        }
    }
    match problems.is_empty() {
        true => Ok(in_use(items, archived)),
        false => Err(problems),
    }
}

fn of_project(project: i64) -> Select<project_item::Entity> {
    project_item::Entity::find().filter(project_item::COLUMN.project_id.eq(project))
}

fn in_use(items: Select<project_item::Entity>, archived: bool) -> Select<project_item::Entity> {
    let at = project_item::Column::ArchivedAt;
    items.filter(match archived {
        true => at.is_not_null(),
        false => at.is_null(),
    })
}

fn is_archived(term: &Term) -> bool {
    let alone = matches!(term.values.as_slice(), [value] if value.eq_ignore_ascii_case("archived"));
    alone && term.name.as_deref() == Some("is")
}

fn condition(
    term: &Term,
    fields: &[FieldWithContent],
    readable: &ReadableRepositories,
) -> Result<Condition, String> {
    let values = term.values.as_slice();
    let Some(name) = term.name.as_deref() else {
        return Ok(titled(values));
    };
    match name {
        "is" => any(values, is),
        "state" => any(values, state),
        "label" => Ok(Condition::all().add(Expr::exists(labeled(values)))),
        "assignee" => Ok(Condition::all().add(Expr::exists(assigned(values)))),
        "repo" => {
            let in_repositories = issue::Column::RepositoryId.is_in(readable.ids_by_name(values));
            Ok(Condition::all().add(has_issue()).add(in_repositories))
        }
        "no" => any(values, |value| lacking(value, fields)),
        _ => match field(fields, name) {
            Some(field) => values::matching(field, values),
            None => Err(format!(
                "{name} is neither a qualifier nor a field of the project"
            )),
        },
    }
}

/// The field with a name; a dash may stand for a space.
fn field<'a>(fields: &'a [FieldWithContent], name: &str) -> Option<&'a FieldWithContent> {
    let fits = |field: &&FieldWithContent| {
        let field_name = field.name().to_lowercase();
        field_name == name || field_name.replace(' ', "-") == name
    };
    fields.iter().find(fits)
}

/// One of the values matches.
fn any(
    values: &[String],
    one: impl Fn(&str) -> Result<Condition, String>,
) -> Result<Condition, String> {
    let mut any = Condition::any();
    for value in values {
        any = any.add(one(&value.to_lowercase())?);
    }
    Ok(any)
}

fn is(value: &str) -> Result<Condition, String> {
    let all = Condition::all();
    Ok(match value {
        "open" | "closed" => return state(value),
        "issue" => all.add(has_issue()).add(issue::Column::PullId.is_null()),
        "pr" => all.add(issue::Column::PullId.is_not_null()),
        "merged" => all.add(Expr::exists(pulls(pull::Column::MergedAt.is_not_null()))),
        "draft" => {
            let draft = Expr::exists(pulls(pull::Column::Draft.eq(true)));
            Condition::any().add(is_draft()).add(draft)
        }
        "archived" => return Err("is:archived cannot be combined with other values".to_owned()),
        _ => return Err(format!("is:{value} is not a valid qualifier")),
    })
}

/// A draft issue is open.
fn state(value: &str) -> Result<Condition, String> {
    let state = |state| {
        let state = issue::Column::State.eq(state);
        Condition::all().add(has_issue()).add(state)
    };
    match value {
        "open" => Ok(Condition::any()
            .add(is_draft())
            .add(state(issue::IssueState::Open))),
        "closed" => Ok(state(issue::IssueState::Closed)),
        _ => Err(format!("state:{value} is not a valid qualifier")),
    }
}

fn lacking(qualifier: &str, fields: &[FieldWithContent]) -> Result<Condition, String> {
    let present = match qualifier {
        "label" => Expr::exists(labeled(&[])),
        "assignee" => Expr::exists(assigned(&[])),
        _ => match field(fields, qualifier) {
            Some(field) => values::any(field),
            None => return Err(format!("no:{qualifier} is not a valid qualifier")),
        },
    };
    Ok(Condition::all().add(present.not()))
}

fn is_draft() -> SimpleExpr {
    project_item::Column::IssueId.is_null()
}

fn has_issue() -> SimpleExpr {
    issue::Column::Id.is_not_null()
}

/// The title of the issue or of the draft contains a text: removing the text changes the title.
/// The database ignores the case of both.
fn titled(words: &[String]) -> Condition {
    let title = || {
        let issue = Expr::col((issue::Entity, issue::Column::Title));
        let draft = Expr::col((project_item::Entity, project_item::Column::DraftTitle));
        Expr::expr(Func::lower(Func::coalesce([issue, draft])))
    };
    words.iter().fold(Condition::all(), |all, word| {
        let word = Expr::expr(Func::lower(Expr::val(word.as_str())));
        let without = Func::cust("REPLACE").args([title(), word, Expr::val("")]);
        all.add(title().ne(without))
    })
}

/// The labels of an item's issue; only those with one of these names, if any are given.
fn labeled(names: &[String]) -> SelectStatement {
    let mut labels = Query::select();
    labels
        .expr(Expr::val(1))
        .from(issue_label::Entity)
        .and_where(of_item((issue_label::Entity, issue_label::Column::IssueId)));
    if !names.is_empty() {
        let keys = names.iter().map(|name| name.to_lowercase());
        let with_names = Query::select()
            .expr(Expr::val(1))
            .from(label::Entity)
            .and_where(
                Expr::col((label::Entity, label::Column::Id))
                    .equals((issue_label::Entity, issue_label::Column::LabelId)),
            )
            .and_where(label::Column::NameKey.is_in(keys))
            .to_owned();
        labels.and_where(Expr::exists(with_names));
    }
    labels
}

/// The assignees of an item's issue; only those with one of these logins, if any are given.
fn assigned(logins: &[String]) -> SelectStatement {
    let mut assignees = Query::select();
    assignees
        .expr(Expr::val(1))
        .from(issue_assignee::Entity)
        .and_where(of_item((
            issue_assignee::Entity,
            issue_assignee::Column::IssueId,
        )));
    if !logins.is_empty() {
        let keys = logins.iter().map(|login| login.to_lowercase());
        let by_login = Query::select()
            .column(account::Column::Id)
            .from(account::Entity)
            .and_where(account::Column::LoginKey.is_in(keys))
            .to_owned();
        assignees.and_where(issue_assignee::Column::UserId.in_subquery(by_login));
    }
    assignees
}

/// A row belongs to the issue of an item.
fn of_item<C: sea_orm::sea_query::IntoColumnRef>(column: C) -> SimpleExpr {
    Expr::col(column).equals((project_item::Entity, project_item::Column::IssueId))
}

/// The pull request of an item, if it matches a condition.
fn pulls(condition: SimpleExpr) -> SelectStatement {
    Query::select()
        .expr(Expr::val(1))
        .from(pull::Entity)
        .and_where(
            Expr::col((pull::Entity, pull::Column::Id))
                .equals((issue::Entity, issue::Column::PullId)),
        )
        .and_where(condition)
        .to_owned()
}
