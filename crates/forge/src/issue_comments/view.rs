//! The view of a comment.

use crate::issues::showing::IssueName;
use crate::markup::comment::with_host;
use crate::node_id;
use crate::reactions;
use crate::urls::Urls;
use contract::issue_comments::IssueComment;
use contract::media::Media;
use contract::review_comments::AuthorAssociation;
use contract::values::Timestamp;
use storage::entities::account;
use storage::entities::issue_comment::Model;

/// The data for the view of a comment.
#[derive(Debug, Clone, Copy)]
pub struct IssueCommentRelations<'a> {
    pub full_name: &'a str,
    pub issue: IssueName,
    pub author: Option<&'a account::Model>,
    pub association: AuthorAssociation,
}

pub fn comment(
    urls: &Urls,
    media: Media,
    row: &Model,
    relations: IssueCommentRelations<'_>,
) -> IssueComment {
    let full_name = relations.full_name;
    let url = urls.issue_comment(full_name, row.id);
    let page = relations.issue.page(urls, full_name);
    IssueComment {
        id: row.id,
        node_id: node_id::issue_comment(row.repository_id, row.id),
        html_url: format!("{page}#issuecomment-{}", row.id).into(),
        issue_url: urls.issue(full_name, relations.issue.number).into(),
        reactions: reactions::rollup(row.reactions.as_deref(), format!("{url}/reactions")),
        url: url.into(),
        user: relations.author.map(|account| urls.user(account)).into(),
        created_at: Timestamp(row.created_at),
        updated_at: Timestamp(row.updated_at),
        body: media.has_raw().then(|| row.body.clone()),
        body_text: media.has_text().then(|| row.body_text.clone()),
        body_html: media
            .has_html()
            .then(|| with_host(&row.body_html, &urls.web)),
        author_association: relations.association,
        performed_via_github_app: None.into(),
    }
}
