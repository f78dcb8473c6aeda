//! Pull requests, reviews, their comments, and what these owe to others.

use super::Invariant;

pub const INVARIANTS: [Invariant; 12] = [
    Invariant::new(
        "pulls-name-commits",
        "Both ends of a pull request are commits of its repository",
        "SELECT pull.id AS id FROM pull WHERE NOT EXISTS
            (SELECT 1 FROM git_commit WHERE git_commit.repository_id = pull.repository_id
                AND git_commit.sha = pull.head_sha)
         OR NOT EXISTS
            (SELECT 1 FROM git_commit WHERE git_commit.repository_id = pull.repository_id
                AND git_commit.sha = pull.base_sha)",
    ),
    Invariant::new(
        "open-pulls-follow-their-branch",
        "An open pull request has the head that its branch has",
        "SELECT pull.id AS id FROM pull
         JOIN git_ref ON git_ref.repository_id = pull.repository_id
            AND git_ref.name = 'refs/heads/' || pull.head_ref
         WHERE pull.state = 'open' AND git_ref.sha <> pull.head_sha",
    ),
    Invariant::new(
        "comments-have-reviews",
        "Each comment's review exists, and is on the same pull request",
        "SELECT review_comment.id AS id FROM review_comment
         LEFT JOIN review ON review.id = review_comment.review_id
         WHERE review.id IS NULL OR review.pull_id <> review_comment.pull_id",
    ),
    Invariant::new(
        "comments-have-pulls",
        "Each comment's pull request exists, in the same repository",
        "SELECT review_comment.id AS id FROM review_comment
         LEFT JOIN pull ON pull.id = review_comment.pull_id
         WHERE pull.id IS NULL OR pull.repository_id <> review_comment.repository_id",
    ),
    Invariant::new(
        "replies-have-roots",
        "A reply answers the first comment of a thread on the same pull request and path",
        "SELECT reply.id AS id FROM review_comment AS reply
         LEFT JOIN review_comment AS root ON root.id = reply.in_reply_to_id
         WHERE reply.in_reply_to_id IS NOT NULL
            AND (root.id IS NULL OR root.in_reply_to_id IS NOT NULL
                OR root.pull_id <> reply.pull_id OR root.path <> reply.path)",
    ),
    Invariant::new(
        "comments-name-commits",
        "A comment names commits of its repository",
        "SELECT review_comment.id AS id FROM review_comment WHERE NOT EXISTS
            (SELECT 1 FROM git_commit
             WHERE git_commit.repository_id = review_comment.repository_id
                AND git_commit.sha = review_comment.commit_sha)
         OR NOT EXISTS
            (SELECT 1 FROM git_commit
             WHERE git_commit.repository_id = review_comment.repository_id
                AND git_commit.sha = review_comment.original_commit_sha)",
    ),
    Invariant::new(
        "comments-are-placed-or-outdated",
        "A comment has both a line and a position, or is outdated and has neither",
        "SELECT review_comment.id AS id FROM review_comment
         WHERE (line IS NULL) <> (position IS NULL)
            OR (start_line IS NOT NULL AND original_start_line IS NULL)",
    ),
    Invariant::new(
        "several-lines-are-in-order",
        "The first of several lines comes before the last, on the same side",
        "SELECT review_comment.id AS id FROM review_comment
         WHERE side = start_side
            AND (original_start_line >= original_line OR start_line >= line)",
    ),
    Invariant::new(
        "reviews-name-commits",
        "A review names a commit of its repository",
        "SELECT review.id AS id FROM review JOIN pull ON pull.id = review.pull_id
         WHERE NOT EXISTS (SELECT 1 FROM git_commit
            WHERE git_commit.repository_id = pull.repository_id
                AND git_commit.sha = review.commit_sha)",
    ),
    Invariant::new(
        "notifications-match-comments",
        "A notification is about a comment of the pull request that it names",
        "SELECT notification.id AS id FROM notification
         LEFT JOIN review_comment ON review_comment.id = notification.comment_id
         WHERE review_comment.id IS NULL OR review_comment.pull_id <> notification.pull_id",
    ),
    Invariant::new(
        "notifications-go-to-others",
        "Notifications go to users, and never to the one who wrote the comment",
        "SELECT notification.id AS id FROM notification
         JOIN account ON account.id = notification.recipient_id
         JOIN review_comment ON review_comment.id = notification.comment_id
         WHERE account.kind <> 'User' OR review_comment.author_id = notification.recipient_id",
    ),
    Invariant::new(
        "deliveries-reach-the-owner",
        "A webhook delivery is for an installation on the account that owns the repository",
        "SELECT webhook_delivery.id AS id FROM webhook_delivery
         JOIN installation ON installation.id = webhook_delivery.installation_id
         JOIN pull ON pull.id = webhook_delivery.pull_id
         JOIN repository ON repository.id = pull.repository_id
         WHERE repository.owner_id <> installation.account_id",
    ),
];
