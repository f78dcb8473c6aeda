//! Pull requests: what the server has about each, and the items of a world.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use serde_json::{Value, json};

use crate::ImportError;
use crate::answers::{
    GivenBranch, GivenIssueComment, GivenPull, GivenPullSummary, GivenRepository, GivenReview,
    GivenReviewComment,
};
use crate::gathered::{Gathered, ImportLimits};
use crate::issues::{conversation, labels, note_extras};
use crate::list::{Api, path};
use crate::text::{comment, id, is_branch, optional, record, sha, text, time, title};

/// A pull request with what belongs to it. In memory, there is one at a time.
pub struct Bundle {
    pub pull: GivenPull,
    pub reviews: Vec<GivenReview>,
    pub comments: Vec<GivenReviewComment>,
    pub conversation: Vec<GivenIssueComment>,
}

impl Bundle {
    /// Reads a pull request. A list that would be empty is not asked for.
    pub async fn read(
        api: &Api,
        base: &[&str],
        number: i64,
        world: &mut Gathered,
    ) -> Result<Option<Self>, ImportError> {
        let number = number.to_string();
        let pull = path(base, &["pulls", &number]);
        let pull = match api.one::<GivenPull>(&pull).await? {
            Ok(pull) => pull,
            Err(refusal) => {
                world.left_out.refused("a pull request", &refusal);
                return Ok(None);
            }
        };
        let reviews = path(base, &["pulls", &number, "reviews"]);
        let reviews = world.allowed("reviews", api.all::<Vec<GivenReview>>(&reviews, &[]).await?);
        let mut comments = Vec::new();
        if pull.review_comments != Some(0) {
            let path = path(base, &["pulls", &number, "comments"]);
            let all = api.all::<Vec<GivenReviewComment>>(&path, &[]).await?;
            comments = world.allowed("review comments", all);
        }
        let mut conversation = Vec::new();
        if pull.comments != Some(0) {
            let path = path(base, &["issues", &number, "comments"]);
            let all = api.all::<Vec<GivenIssueComment>>(&path, &[]).await?;
            conversation = world.allowed("comments", all);
        }
        Ok(Some(Self {
            pull,
            reviews,
            comments,
            conversation,
        }))
    }

    /// The commits that the pull request refers to.
    pub fn commits(&self) -> impl Iterator<Item = &str> {
        let own = [self.pull.head.sha.as_str(), self.pull.base.sha.as_str()];
        let reviews = self
            .reviews
            .iter()
            .filter_map(|review| review.commit_id.as_deref());
        let comments = self
            .comments
            .iter()
            .map(|comment| comment.original_commit_id.as_str());
        own.into_iter()
            .chain(reviews)
            .chain(comments)
            .filter_map(sha)
    }

    /// The pull request as a world has it; None if it cannot have it.
    pub fn item(
        &self,
        repository: &GivenRepository,
        commits: &BTreeSet<String>,
        field_values: &BTreeMap<String, Value>,
        world: &mut Gathered,
    ) -> Option<Value> {
        let pull = &self.pull;
        let head = branch(&pull.head, repository, world);
        let (base, base_sha, head_sha) = (&pull.base.name, &pull.base.sha, &pull.head.sha);
        let known = |sha: &str| commits.contains(sha);
        if !is_branch(base) || !is_branch(&head) || *base == head {
            world
                .left_out
                .add("a pull request", "the names of its branches are not valid");
            return None;
        }
        if !known(base_sha) || !known(head_sha) {
            world.left_out.add(
                "a pull request",
                "the repository does not have its commits any more",
            );
            return None;
        }
        note_extras(world, "pull requests", pull.milestone.is_some(), 0);
        let requested = pull.requested_reviewers.len();
        world
            .left_out
            .add_many("requested reviewers", "a world file has none", requested);
        let state = match (&pull.merged_at, pull.state.as_str()) {
            (Some(_), _) => "merged",
            (None, "closed") => "closed",
            (None, _) => "open",
        };
        let merged = state == "merged";
        let merged_by = pull.merged_by.as_ref().filter(|_| merged);
        let reviews = self.review_items(commits, world);
        let comments = self.comment_items(&reviews.keys, commits, world);
        Some(record(json!({
            "id": world.id("pull", pull.id),
            "number": id(pull.number)?,
            "title": title(&pull.title),
            "body": optional(&pull.body),
            "author": world.user(pull.user.as_ref()),
            "base": base,
            "head": head,
            "base_sha": base_sha,
            "head_sha": head_sha,
            "state": state,
            "draft": pull.draft.then_some(true),
            "maintainer_can_modify": pull.maintainer_can_modify.then_some(true),
            "locked": pull.locked.then_some(true),
            "labels": labels(&pull.labels, world),
            "assignees": world.users(&pull.assignees),
            "field_values": field_values,
            "created_at": time(&pull.created_at),
            "updated_at": time(&pull.updated_at),
            "closed_at": time(&pull.closed_at).filter(|_| state != "open"),
            "merged_at": time(&pull.merged_at),
            "merged_by": merged_by.map(|account| world.user(Some(account))),
            "merge_commit_sha": pull.merge_commit_sha.as_deref().and_then(sha).filter(|_| merged),
            "conversation": conversation(&self.conversation, world),
            "reviews": reviews.items,
            "comments": comments,
        })))
    }

    fn review_items(&self, commits: &BTreeSet<String>, world: &mut Gathered) -> ReviewItems {
        let mut reviews = ReviewItems::default();
        for review in &self.reviews {
            let state = review.state.as_str();
            if !matches!(
                state,
                "APPROVED" | "CHANGES_REQUESTED" | "COMMENTED" | "DISMISSED"
            ) {
                world.left_out.add("a review", "it is not submitted");
                continue;
            }
            let commit = review
                .commit_id
                .as_deref()
                .filter(|sha| commits.contains(*sha));
            if commit.is_none() {
                let why = "the repository does not have it any more; the head stands for it";
                world.left_out.add("the commit of a review", why);
            }
            if !reviews.keys.insert(review.id) {
                continue;
            }
            let body = review.body.as_deref().unwrap_or_default();
            reviews.items.push(record(json!({
                "id": world.id("review", review.id),
                "key": review.id.to_string(),
                "author": world.user(review.user.as_ref()),
                "state": state,
                "body": comment(body),
                "commit_id": commit,
                "submitted_at": time(&review.submitted_at),
            })));
        }
        reviews
    }

    /// The comments on lines and files, the first of each thread before its replies.
    fn comment_items(
        &self,
        reviews: &HashSet<i64>,
        commits: &BTreeSet<String>,
        world: &mut Gathered,
    ) -> Vec<Value> {
        let mut comments: Vec<&GivenReviewComment> = self.comments.iter().collect();
        comments.sort_by_key(|comment| (comment.in_reply_to_id.is_some(), comment.id));
        let mut roots: HashMap<i64, i64> = HashMap::new();
        let mut items = Vec::new();
        for comment in comments {
            if roots.contains_key(&comment.id) {
                continue;
            }
            let root = comment
                .in_reply_to_id
                .and_then(|id| roots.get(&id).copied());
            let Some(item) = comment_item(comment, root, commits, world) else {
                continue;
            };
            let review = comment
                .pull_request_review_id
                .filter(|id| reviews.contains(id));
            let mut item = item;
            item["review"] = review.map(|id| id.to_string()).into();
            roots.insert(comment.id, root.unwrap_or(comment.id));
            items.push((comment.id, record(item)));
        }
        items.sort_by_key(|(id, _)| *id);
        items.into_iter().map(|(_, item)| item).collect()
    }
}

#[derive(Default)]
struct ReviewItems {
    items: Vec<Value>,
    keys: HashSet<i64>,
}

fn comment_item(
    given: &GivenReviewComment,
    root: Option<i64>,
    commits: &BTreeSet<String>,
    world: &mut Gathered,
) -> Option<Value> {
    let Some(body) = comment(&given.body) else {
        world
            .left_out
            .add("a review comment", "its text is empty or too long");
        return None;
    };
    world.note_reactions(given.reactions.as_ref());
    let about = json!({
        "id": world.id("review_comment", given.id),
        "key": given.id.to_string(),
        "author": world.user(given.user.as_ref()),
        "body": body,
        "created_at": time(&given.created_at),
        "updated_at": time(&given.updated_at),
    });
    let mut item = about;
    if let Some(root) = root {
        item["in_reply_to"] = root.to_string().into();
        return Some(item);
    }
    if !commits.contains(&given.original_commit_id) {
        world.left_out.add(
            "a review comment",
            "the repository does not have its commit any more",
        );
        return None;
    }
    let side = |side: &Option<String>| {
        side.clone()
            .filter(|side| matches!(&**side, "LEFT" | "RIGHT"))
    };
    let of_file = given.subject_type.as_deref() == Some("file");
    let positive = |number: Option<i64>| number.and_then(id).filter(|_| !of_file);
    let (line, position) = (
        positive(given.original_line),
        positive(given.original_position),
    );
    if !of_file && line.is_none() && position.is_none() {
        world.left_out.add("a review comment", "it is on no line");
        return None;
    }
    let start = positive(given.original_start_line).zip(side(&given.start_side));
    item["commit_id"] = given.original_commit_id.clone().into();
    item["path"] = text(&given.path).into();
    item["subject_type"] = if of_file { "file".into() } else { Value::Null };
    item["line"] = line.into();
    item["side"] = side(&given.side).filter(|_| line.is_some()).into();
    item["start_line"] = start.as_ref().map(|(line, _)| *line).into();
    item["start_side"] = start.map(|(_, side)| side).into();
    item["position"] = position.into();
    // The diff of its commit may not have the lines any more, but an outdated comment stays.
    item["diff_hunk"] = text(given.diff_hunk.as_deref().unwrap_or_default()).into();
    Some(item)
}

/// The name of a branch. That of a fork gets the name of its owner: a world has no forks, and
/// the repository may have a branch of the same name.
fn branch(branch: &GivenBranch, repository: &GivenRepository, world: &mut Gathered) -> String {
    if branch
        .repo
        .as_ref()
        .is_some_and(|repo| repo.id == repository.id)
    {
        return branch.name.clone();
    }
    let why = "a world has no forks; the branch has the name of its owner before its own";
    world.left_out.add("the fork of a pull request", why);
    let label = branch.label.as_deref().unwrap_or_default();
    let owner = label.split_once(':').map_or("unknown", |(owner, _)| owner);
    format!("{owner}/{}", branch.name)
}

/// The numbers of the pull requests to import, the oldest first.
pub async fn numbers(
    api: &Api,
    base: &[&str],
    limits: &ImportLimits,
    world: &mut Gathered,
) -> Result<Vec<i64>, ImportError> {
    let path = path(base, &["pulls"]);
    let query = [("state", "all"), ("sort", "created"), ("direction", "desc")];
    let mut pages = api.pages::<Vec<GivenPullSummary>>(&path, &query)?;
    let mut numbers = BTreeSet::new();
    let most = limits.pulls.unwrap_or(usize::MAX);
    let mut skipped = 0;
    loop {
        let page = match pages.next(api).await? {
            Ok(Some(page)) => page,
            Ok(None) => break,
            Err(refusal) => {
                world.left_out.refused("pull requests", &refusal);
                break;
            }
        };
        for pull in page {
            match numbers.len() < most && limits.includes(&pull.updated_at) {
                true => drop(numbers.insert(pull.number)),
                false => skipped += 1,
            }
        }
        if numbers.len() >= most {
            break;
        }
    }
    world
        .left_out
        .add_many("pull requests", "--pulls or --since excludes them", skipped);
    Ok(numbers.into_iter().collect())
}
