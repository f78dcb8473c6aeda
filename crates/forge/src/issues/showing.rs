//! Views of issues.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use migration::aggregates::{Aggregate, Kind};
use sea_orm::DbErr;

use crate::access::RepositoryGrant;
use crate::accounts::association::Associations;
use crate::accounts::rows::{AccountsById, accounts};
use crate::app::App;
use crate::issue_field_values::values;
use crate::labels;
use crate::labels::view::label_view;
use crate::node_id;
use crate::urls::Urls;
use crate::views::markdown::rendered_bodies;
use contract::call::Call;
use contract::issues::{Issue, IssueDependenciesSummary, IssuePull, StateReason, SubIssuesSummary};
use contract::labels::Label;
use contract::media::Media;
use contract::problem::Problem;
use contract::pulls::PullSummary;
use contract::reply::Outcome;
use contract::review_comments::ReactionRollup;
use contract::shared::state::LockReason;
use contract::shared::state::{PullState, RenderedBody};
use contract::shared::user::User;
use contract::values::Timestamp;
use storage::database::{ReadSource, rows_with};
use storage::entities::{issue, issue_assignee, label, pull, repository};

/// The resources that a page of issues refers to, loaded with one query for each kind.
#[derive(Debug, Default)]
pub struct IssueRelations {
    marks: LabelsAndAssignees,
    pulls: HashMap<i64, pull::Model>,
    accounts: AccountsById,
    associations: Associations,
}

impl IssueRelations {
    pub async fn of(
        source: &impl ReadSource,
        repository: &repository::Model,
        rows: &[issue::Model],
    ) -> Result<Self, DbErr> {
        let marks = LabelsAndAssignees::of(source, repository, rows).await?;
        let aggregates = [Kind::RepositoryPulls.of(repository.id)];
        let connection = source.reading(&aggregates).await;
        let pulls = rows.iter().filter_map(|row| row.pull_id);
        let pulls = rows_with(connection, pull::Column::Id, pulls).await?;
        let authors: BTreeSet<i64> = rows.iter().map(|row| row.author_id).collect();
        let closers = rows.iter().filter_map(|row| row.closed_by_id);
        let mergers = pulls.iter().filter_map(|pull| pull.merged_by_id);
        let people = authors.iter().copied().chain(closers).chain(mergers);
        let people: BTreeSet<i64> = people.collect();
        let associations = Associations::of(source, repository, &authors).await?;
        Ok(Self {
            marks,
            pulls: pulls.into_iter().map(|row| (row.id, row)).collect(),
            accounts: accounts(source, people).await?,
            associations,
        })
    }

    fn user(&self, urls: &Urls, id: i64) -> Option<User> {
        self.accounts.get(&id).map(|account| urls.user(account))
    }
}

/// The labels and assignees of issues.
#[derive(Debug, Default)]
pub struct LabelsAndAssignees {
    /// By name.
    labels: BTreeMap<i64, Vec<label::Model>>,
    /// Ascending by id.
    assignees: HashMap<i64, Vec<i64>>,
    accounts: AccountsById,
}

impl LabelsAndAssignees {
    async fn of(
        source: &impl ReadSource,
        repository: &repository::Model,
        rows: &[issue::Model],
    ) -> Result<Self, DbErr> {
        let ids = || rows.iter().map(|row| row.id);
        let mut aggregates: Vec<Aggregate> = ids().map(|id| Kind::Issue.of(id)).collect();
        aggregates.push(Kind::Labels.of(repository.id));
        let connection = source.reading(&aggregates).await;
        let labels = labels::rows::of_issues(connection, ids()).await?;
        let mut assignees: HashMap<i64, Vec<i64>> = HashMap::new();
        for row in rows_with(connection, issue_assignee::Column::IssueId, ids()).await? {
            assignees.entry(row.issue_id).or_default().push(row.user_id);
        }
        for users in assignees.values_mut() {
            users.sort_unstable();
        }
        let people = assignees.values().flatten().copied().collect();
        Ok(Self {
            labels,
            accounts: accounts(source, people).await?,
            assignees,
        })
    }

    fn labels(&self, urls: &Urls, full_name: &str, issue: i64) -> Vec<Label> {
        let labels = self.labels.get(&issue).into_iter().flatten();
        labels
            .map(|label| label_view(urls, full_name, label))
            .collect()
    }

    fn assignees(&self, urls: &Urls, issue: i64) -> Vec<User> {
        let ids = self.assignees.get(&issue).into_iter().flatten();
        let rows = ids.filter_map(|id| self.accounts.get(id));
        rows.map(|account| urls.user(account)).collect()
    }
}

/// The labels, assignees and lock reasons of pull requests, which they have as issues.
#[derive(Debug, Default)]
pub struct PullMarks {
    /// By the id of the pull request.
    issues: HashMap<i64, issue::Model>,
    marks: LabelsAndAssignees,
}

impl PullMarks {
    pub async fn of(
        source: &impl ReadSource,
        repository: &repository::Model,
        pulls: &[pull::Model],
    ) -> Result<Self, DbErr> {
        let aggregates = [Kind::RepositoryIssues.of(repository.id)];
        let connection = source.reading(&aggregates).await;
        let ids = pulls.iter().map(|pull| Some(pull.id));
        let issues = rows_with(connection, issue::Column::PullId, ids).await?;
        let marks = LabelsAndAssignees::of(source, repository, &issues).await?;
        let by_pull = issues
            .into_iter()
            .filter_map(|row| Some((row.pull_id?, row)));
        Ok(Self {
            issues: by_pull.collect(),
            marks,
        })
    }

    /// Adds labels, assignees and the lock reason to the view of a pull request.
    pub fn add_to(&self, pull: &mut PullSummary, urls: &Urls, full_name: &str) {
        let Some(issue) = self.issues.get(&pull.id) else {
            return;
        };
        pull.labels = self.marks.labels(urls, full_name, issue.id);
        pull.assignees = self.marks.assignees(urls, issue.id);
        pull.assignee = pull.assignees.first().cloned().into();
        pull.active_lock_reason = Some(issue.lock_reason.map(lock_reason).into());
    }

    /// The number of comments in the conversation of a pull request.
    pub fn comments(&self, pull: i64) -> i64 {
        self.issues.get(&pull).map_or(0, |issue| issue.comments)
    }
}

/// The common data for views of issues.
#[derive(Debug, Clone, Copy)]
pub struct IssueViewContext<'a> {
    pub urls: &'a Urls,
    pub full_name: &'a str,
    pub media: Media,
}

/// The global identifier of an issue or a pull request.
pub fn node_id_of(row: &issue::Model) -> String {
    match row.pull_id {
        Some(pull) => node_id::pull(row.repository_id, pull),
        None => node_id::issue(row.repository_id, row.id),
    }
}

/// The view of an issue.
pub fn issue_view(
    context: IssueViewContext<'_>,
    row: &issue::Model,
    relations: &IssueRelations,
    rendered: RenderedBody,
) -> Outcome<Issue> {
    let IssueViewContext {
        urls,
        full_name,
        media,
    } = context;
    let author = relations.user(urls, row.author_id);
    let author = author.ok_or_else(|| Problem::internal("an issue has no author"))?;
    let pull = row.pull_id.and_then(|id| relations.pulls.get(&id));
    let url = urls.issue(full_name, row.number);
    let assignees = relations.marks.assignees(urls, row.id);
    let closer = row.closed_by_id.or(pull.and_then(|pull| pull.merged_by_id));
    Ok(Issue {
        id: row.id,
        node_id: node_id_of(row),
        repository_url: urls.repository(full_name).into(),
        labels_url: format!("{url}/labels{{/name}}").into(),
        comments_url: format!("{url}/comments").into(),
        events_url: format!("{url}/events").into(),
        timeline_url: format!("{url}/timeline").into(),
        reactions: ReactionRollup::none(format!("{url}/reactions")),
        html_url: IssueName::of(row).page(urls, full_name).into(),
        url: url.into(),
        number: row.number,
        state: match row.state {
            issue::IssueState::Open => PullState::Open,
            issue::IssueState::Closed => PullState::Closed,
        },
        state_reason: row.state_reason.map(state_reason).into(),
        title: row.title.clone(),
        body: media.has_raw().then(|| row.body.clone().into()),
        rendered,
        user: author,
        labels: relations.marks.labels(urls, full_name, row.id),
        assignee: assignees.first().cloned().into(),
        assignees,
        milestone: None.into(),
        locked: row.locked,
        active_lock_reason: row.lock_reason.map(lock_reason).into(),
        comments: row.comments,
        pull_request: pull.map(|pull| {
            let page = urls.pull_page(full_name, row.number);
            let merged_at = pull.merged_at.map(Timestamp);
            IssuePull::new(urls.pull(full_name, row.number), &page, merged_at)
        }),
        draft: pull.map(|pull| pull.draft),
        closed_at: row.closed_at.map(Timestamp).into(),
        created_at: Timestamp(row.created_at),
        updated_at: Timestamp(row.updated_at),
        closed_by: closer.and_then(|id| relations.user(urls, id)).into(),
        author_association: relations.associations.association(Some(row.author_id)),
        performed_via_github_app: None.into(),
        kind: None.into(),
        pinned_comment: None.into(),
        sub_issues_summary: SubIssuesSummary::default(),
        issue_dependencies_summary: IssueDependenciesSummary::default(),
        issue_field_values: Vec::new(),
    })
}

/// The views of a page of issues.
pub async fn show_all(
    app: &App,
    call: &Call,
    grant: &RepositoryGrant,
    rows: &[issue::Model],
) -> Outcome<Vec<Issue>> {
    let (urls, full_name) = (Urls::of(call), grant.full_name());
    let relations = IssueRelations::of(&app.db, &grant.repository, rows).await?;
    let mut values = values::visible(app, grant, rows).await?;
    let bodies = rows.iter().map(|row| row.body.clone());
    let rendered = rendered_bodies(app.db.reads(), &urls, call.media, bodies).await?;
    let context = IssueViewContext {
        urls: &urls,
        full_name: &full_name,
        media: call.media,
    };
    let rows = rows.iter().zip(rendered);
    rows.map(|(row, rendered)| {
        let issue = issue_view(context, row, &relations, rendered)?;
        Ok(Issue {
            issue_field_values: values.remove(&row.id).unwrap_or_default(),
            ..issue
        })
    })
    .collect()
}

/// The view of one issue.
pub async fn show_one(
    app: &App,
    call: &Call,
    grant: &RepositoryGrant,
    row: &issue::Model,
) -> Outcome<Issue> {
    let views = show_all(app, call, grant, std::slice::from_ref(row)).await?;
    let view = views.into_iter().next();
    view.ok_or_else(|| Problem::internal("an issue was not shown"))
}

/// The number of an issue or a pull request, for URLs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IssueName {
    pub number: i64,
    pub is_pull: bool,
}

impl IssueName {
    pub fn of(row: &issue::Model) -> Self {
        Self {
            number: row.number,
            is_pull: row.pull_id.is_some(),
        }
    }

    /// The URL of its page.
    pub fn page(self, urls: &Urls, full_name: &str) -> String {
        match self.is_pull {
            true => urls.pull_page(full_name, self.number),
            false => urls.issue_page(full_name, self.number),
        }
    }
}

fn state_reason(reason: issue::StateReason) -> StateReason {
    match reason {
        issue::StateReason::Completed => StateReason::Completed,
        issue::StateReason::NotPlanned => StateReason::NotPlanned,
        issue::StateReason::Duplicate => StateReason::Duplicate,
        issue::StateReason::Reopened => StateReason::Reopened,
    }
}

fn lock_reason(reason: issue::LockReason) -> LockReason {
    match reason {
        issue::LockReason::OffTopic => LockReason::OffTopic,
        issue::LockReason::TooHeated => LockReason::TooHeated,
        issue::LockReason::Resolved => LockReason::Resolved,
        issue::LockReason::Spam => LockReason::Spam,
    }
}
