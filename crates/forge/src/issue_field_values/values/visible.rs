//! The values of issues that a caller sees.

use std::collections::BTreeMap;

use migration::aggregates::{Aggregate, Kind};

use super::{FieldAccess, Fields, of_issues};
use crate::access::RepositoryGrant;
use crate::app::App;
use contract::issue_field_values::IssueFieldValue;
use contract::reply::Outcome;
use storage::entities::account::AccountKind;
use storage::entities::issue;

impl FieldAccess {
    /// Which issue fields the caller of a grant sees.
    pub async fn of(app: &App, grant: &RepositoryGrant) -> Outcome<Self> {
        if !app.settings.issue_field_visibility {
            return Ok(Self::All);
        }
        let belongs = app.access.belongs_to(&grant.caller, grant.owner.id);
        Ok(match belongs.await? {
            true => Self::All,
            false => Self::Public,
        })
    }
}

/// The visible values of a page of issues, by the ids of the issues. Only the issues of
/// organizations have values.
pub async fn visible(
    app: &App,
    grant: &RepositoryGrant,
    issues: &[issue::Model],
) -> Outcome<BTreeMap<i64, Vec<IssueFieldValue>>> {
    if issues.is_empty() || grant.owner.kind != AccountKind::Organization {
        return Ok(BTreeMap::new());
    }
    let access = FieldAccess::of(app, grant).await?;
    let ids = || issues.iter().map(|issue| issue.id);
    let mut aggregates: Vec<Aggregate> = ids().map(|id| Kind::Issue.of(id)).collect();
    aggregates.push(Kind::IssueFields.of(grant.owner.id));
    let reads = app.db.reading(&aggregates).await;
    let fields = Fields::of(reads, grant.owner.id, access).await?;
    if fields.is_empty() {
        return Ok(BTreeMap::new());
    }
    let values = of_issues(reads, ids()).await?;
    let shown = values
        .iter()
        .map(|(issue, values)| (*issue, fields.views(values)));
    Ok(shown.collect())
}
