-- The invariants of the database that its own constraints do not enforce. Each query selects
-- the rows that violate an invariant, as a column `id`. The comment above it has the name of the
-- invariant and the rule; `doctor.rs` reads both. Everything runs on SQLite and PostgreSQL.

-- Accounts and memberships.

-- members-are-users: Members of organizations are users
SELECT membership.user_id AS id FROM membership
JOIN account ON account.id = membership.user_id WHERE account.kind <> 'User';

-- organizations-have-the-members: Only organizations have members
SELECT DISTINCT membership.organization_id AS id FROM membership
JOIN account ON account.id = membership.organization_id
WHERE account.kind <> 'Organization';

-- collaborators-are-users: Collaborators of repositories are users
SELECT collaborator.repository_id || '/' || collaborator.user_id AS id FROM collaborator
JOIN account ON account.id = collaborator.user_id WHERE account.kind <> 'User';

-- repositories-have-owners: Repositories and projects belong to users and organizations, not to bots
SELECT 'repository ' || repository.id AS id FROM repository
JOIN account ON account.id = repository.owner_id WHERE account.kind = 'Bot'
UNION ALL
SELECT 'project ' || project.id AS id FROM project
JOIN account ON account.id = project.owner_id WHERE account.kind = 'Bot';

-- bots-have-apps: Every app acts through a bot, and every bot belongs to an app
SELECT account.id AS id FROM account WHERE account.kind = 'Bot'
  AND NOT EXISTS (SELECT 1 FROM app WHERE app.bot_id = account.id)
UNION ALL
SELECT app.bot_id AS id FROM app
JOIN account ON account.id = app.bot_id WHERE account.kind <> 'Bot';

-- Issue fields and project fields, their options and their iterations.

-- issue-fields-of-organizations: Issue fields belong to organizations
SELECT issue_field.id AS id FROM issue_field
JOIN account ON account.id = issue_field.organization_id
WHERE account.kind <> 'Organization';

-- select-fields-have-options: Issue fields of the select types have options
SELECT issue_field.id AS id FROM issue_field
WHERE issue_field.data_type IN ('single_select', 'multi_select') AND NOT EXISTS
  (SELECT 1 FROM issue_field_option WHERE issue_field_option.field_id = issue_field.id);

-- options-of-select-fields: Options of issue fields belong to fields of the select types
SELECT issue_field_option.id AS id FROM issue_field_option
JOIN issue_field ON issue_field.id = issue_field_option.field_id
WHERE issue_field.data_type NOT IN ('single_select', 'multi_select');

-- project-options-of-select-fields: Options of project fields belong to single_select fields that the project itself defines
SELECT project_field_option.id AS id FROM project_field_option
JOIN project_field ON project_field.id = project_field_option.field_id
WHERE COALESCE(project_field.data_type, '') <> 'single_select';

-- project-option-positions: The options of a project field are numbered from 0 without gaps
SELECT project_field_option.field_id AS id FROM project_field_option
GROUP BY project_field_option.field_id
HAVING MIN(position) <> 0 OR MAX(position) <> COUNT(*) - 1;

-- iterations-of-iteration-fields: Iterations belong to iteration fields
SELECT project_field_iteration.id AS id FROM project_field_iteration
JOIN project_field ON project_field.id = project_field_iteration.field_id
WHERE COALESCE(project_field.data_type, '') <> 'iteration';

-- iteration-positions: The iterations of a project field are numbered from 0 without gaps
SELECT project_field_iteration.field_id AS id FROM project_field_iteration
GROUP BY project_field_iteration.field_id
HAVING MIN(position) <> 0 OR MAX(position) <> COUNT(*) - 1;

-- project-fields-of-own-issue-fields: A project field that represents an issue field refers to one of the organization that owns the project
SELECT project_field.id AS id FROM project_field
JOIN project ON project.id = project_field.project_id
JOIN issue_field ON issue_field.id = project_field.issue_field_id
WHERE issue_field.organization_id <> project.owner_id;

-- References and the commit graph. The row of a commit follows from the rows of its
-- parents, so each commit is compared only with its parents, however long the history is.

-- references-name-objects: Each reference points to a stored object of the recorded kind
SELECT git_ref.id AS id FROM git_ref
LEFT JOIN git_object ON git_object.repository_id = git_ref.repository_id
  AND git_object.sha = git_ref.sha
WHERE git_object.sha IS NULL OR git_object.kind <> git_ref.kind;

-- branches-name-commits: Each branch points to a commit of the graph
SELECT git_ref.id AS id FROM git_ref
LEFT JOIN git_commit ON git_commit.repository_id = git_ref.repository_id
  AND git_commit.sha = git_ref.sha
WHERE git_ref.name >= 'refs/heads/' AND git_ref.name < 'refs/heads0'
  AND git_commit.id IS NULL;

-- references-do-not-nest: No reference name is a directory of another reference
SELECT outer_ref.id AS id FROM git_ref AS outer_ref WHERE EXISTS
  (SELECT 1 FROM git_ref AS inner_ref
  WHERE inner_ref.repository_id = outer_ref.repository_id
       AND inner_ref.name >= outer_ref.name || '/'
       AND inner_ref.name < outer_ref.name || '0');

-- commits-are-nodes: Each commit object is a node of the graph
SELECT git_object.repository_id || '/' || git_object.sha AS id FROM git_object
WHERE git_object.kind = 'commit' AND NOT EXISTS
  (SELECT 1 FROM git_commit WHERE git_commit.repository_id = git_object.repository_id
       AND git_commit.sha = git_object.sha)
  AND NOT EXISTS (SELECT 1 FROM git_upload WHERE git_upload.id = git_object.upload_id);

-- nodes-are-commits: Each node of the graph is a stored commit object
SELECT git_commit.id AS id FROM git_commit
LEFT JOIN git_object ON git_object.repository_id = git_commit.repository_id
  AND git_object.sha = git_commit.sha
WHERE COALESCE(git_object.kind, '') <> 'commit';

-- commits-have-trees: The tree of each commit is stored, unless it is the empty tree
SELECT git_commit.id AS id FROM git_commit
LEFT JOIN git_object ON git_object.repository_id = git_commit.repository_id
  AND git_object.sha = git_commit.tree_sha
WHERE COALESCE(git_object.kind, '') <> 'tree'
  AND git_commit.tree_sha <> '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

-- parents-in-order: The parents of a commit are numbered from 0 without gaps
SELECT git_commit_parent.commit_id AS id FROM git_commit_parent
GROUP BY git_commit_parent.commit_id
HAVING MIN(ordinal) <> 0 OR MAX(ordinal) <> COUNT(*) - 1;

-- parents-in-the-same-repository: A commit and its parents are in the same repository
SELECT DISTINCT child.id AS id FROM git_commit_parent AS edge
JOIN git_commit AS child ON child.id = edge.commit_id
JOIN git_commit AS parent ON parent.id = edge.parent_id
WHERE child.repository_id <> parent.repository_id;

-- roots-are-first: A commit without parents has generation 1, starts a chain and reaches no other commit
SELECT git_commit.id AS id FROM git_commit
WHERE (git_commit.generation <> 1 OR git_commit.position <> 0
       OR git_commit.reach IS NOT NULL)
  AND NOT EXISTS (SELECT 1 FROM git_commit_parent
       WHERE git_commit_parent.commit_id = git_commit.id);

-- generations: The generation of a commit is one more than the highest generation of its parents
SELECT child.id AS id FROM git_commit AS child
JOIN git_commit_parent AS edge ON edge.commit_id = child.id
JOIN git_commit AS parent ON parent.id = edge.parent_id
GROUP BY child.id, child.generation
HAVING child.generation <> MAX(parent.generation) + 1;

-- chains-are-lines: A commit that is not the first of its chain has a parent at the previous position
SELECT child.id AS id FROM git_commit AS child
WHERE child.position > 0 AND NOT EXISTS
  (SELECT 1 FROM git_commit_parent AS edge
  JOIN git_commit AS parent ON parent.id = edge.parent_id
  WHERE edge.commit_id = child.id AND parent.chain = child.chain
       AND parent.position = child.position - 1);

-- reaches-are-written: The reachability data of a commit is stored with a commit of the same repository
SELECT git_commit.id AS id FROM git_commit
WHERE git_commit.reach IS NOT NULL AND NOT EXISTS
  (SELECT 1 FROM git_reach
  JOIN git_commit AS writer ON writer.id = git_reach.commit_id
  WHERE git_reach.commit_id = git_commit.reach >> 20
       AND writer.repository_id = git_commit.repository_id);

-- visible-deltas-have-visible-bases: The base of a delta is stored, and not a part of an unfinished push unless the delta is too
SELECT delta.repository_id || '/' || delta.sha AS id FROM git_object AS delta
LEFT JOIN git_object AS base
  ON base.repository_id = delta.repository_id AND base.sha = delta.base_sha
WHERE delta.base_sha IS NOT NULL
  AND (base.sha IS NULL OR EXISTS (SELECT 1 FROM git_upload WHERE git_upload.id = base.upload_id))
  AND NOT EXISTS (SELECT 1 FROM git_upload WHERE git_upload.id = delta.upload_id);

-- visible-commits-have-visible-parents: The parents of a commit are not a part of an unfinished push unless the commit is too
SELECT child.id AS id FROM git_upload
JOIN git_commit AS parent ON parent.upload_id = git_upload.id
JOIN git_commit_parent AS edge ON edge.parent_id = parent.id
JOIN git_commit AS child ON child.id = edge.commit_id
WHERE COALESCE(child.upload_id, 0) <> git_upload.id;

-- visible-commits-are-visible-objects: A commit is visible if and only if its object is
SELECT git_commit.id AS id FROM git_upload
JOIN git_commit ON git_commit.upload_id = git_upload.id
JOIN git_object ON git_object.repository_id = git_commit.repository_id
  AND git_object.sha = git_commit.sha
WHERE COALESCE(git_object.upload_id, 0) <> git_upload.id
UNION ALL
SELECT git_commit.id AS id FROM git_upload
JOIN git_object ON git_object.upload_id = git_upload.id
JOIN git_commit ON git_commit.repository_id = git_object.repository_id
  AND git_commit.sha = git_object.sha
WHERE COALESCE(git_commit.upload_id, 0) <> git_upload.id;

-- Reports on commits.

-- contexts-have-one-latest-status: Only the newest status of a commit in each context is marked as the latest
SELECT commit_status.id AS id FROM commit_status
WHERE commit_status.latest = EXISTS
  (SELECT 1 FROM commit_status AS newer
  WHERE newer.commit_id = commit_status.commit_id
       AND newer.context_key = commit_status.context_key AND newer.id > commit_status.id);

-- names-have-one-latest-run: Only the newest check run of each name in a suite is marked as the latest
SELECT check_run.id AS id FROM check_run
WHERE check_run.latest = EXISTS
  (SELECT 1 FROM check_run AS newer
  WHERE newer.suite_id = check_run.suite_id
       AND newer.name = check_run.name AND newer.id > check_run.id);

-- check-runs-are-of-the-commit-of-their-suite: A check run is for the commit of its suite
SELECT check_run.id AS id FROM check_run
LEFT JOIN check_suite ON check_suite.id = check_run.suite_id
WHERE check_suite.id IS NULL OR check_suite.commit_id <> check_run.commit_id;

-- annotations-are-counted: The annotation count of a check run equals its annotations
SELECT check_run.id AS id FROM check_run
WHERE check_run.annotations <> (SELECT COUNT(*) FROM check_annotation
  WHERE check_annotation.run_id = check_run.id);

-- Pull requests, reviews, their comments, notifications and webhook deliveries.

-- pulls-name-commits: The head and the base of a pull request are commits of its repository
SELECT pull.id AS id FROM pull WHERE NOT EXISTS
  (SELECT 1 FROM git_commit WHERE git_commit.repository_id = pull.repository_id
       AND git_commit.sha = pull.head_sha)
OR NOT EXISTS
  (SELECT 1 FROM git_commit WHERE git_commit.repository_id = pull.repository_id
       AND git_commit.sha = pull.base_sha);

-- open-pulls-follow-their-branch: The head of an open pull request is the head of its branch
SELECT pull.id AS id FROM pull
JOIN git_ref ON git_ref.repository_id = pull.repository_id
  AND git_ref.name = 'refs/heads/' || pull.head_ref
WHERE pull.state = 'open' AND git_ref.sha <> pull.head_sha;

-- pulls-are-issues: Each pull request is an issue with the same number, title and state
SELECT pull.id AS id FROM pull LEFT JOIN issue ON issue.pull_id = pull.id
WHERE issue.id IS NULL OR issue.repository_id <> pull.repository_id
  OR issue.number <> pull.number OR issue.title <> pull.title OR issue.locked <> pull.locked
  OR (issue.state = 'open') <> (pull.state = 'open') OR issue.updated_at <> pull.updated_at;

-- labels-are-of-the-repository: The labels of an issue belong to its repository
SELECT issue_label.issue_id AS id FROM issue_label
JOIN issue ON issue.id = issue_label.issue_id JOIN label ON label.id = issue_label.label_id
WHERE issue.repository_id <> label.repository_id;

-- project-values-are-of-the-project: The values of an item are in fields of its project and have the type of their field
SELECT value.item_id || '/' || value.field_id AS id FROM project_item_value AS value
JOIN project_item AS item ON item.id = value.item_id
JOIN project_field AS field ON field.id = value.field_id
WHERE item.project_id <> field.project_id OR COALESCE(field.data_type, '') <> CASE
  WHEN value.text_value IS NOT NULL THEN 'text'
  WHEN value.number_value IS NOT NULL THEN 'number'
  WHEN value.date_value IS NOT NULL THEN 'date'
  WHEN value.option_id IS NOT NULL THEN 'single_select' ELSE 'iteration' END;

-- project-choices-are-of-the-field: The option or iteration of a value belongs to the field of the value
SELECT value.item_id || '/' || value.field_id AS id FROM project_item_value AS value
LEFT JOIN project_field_option AS choice ON choice.id = value.option_id
LEFT JOIN project_field_iteration AS span ON span.id = value.iteration_id
WHERE COALESCE(choice.field_id, span.field_id, value.field_id) <> value.field_id;

-- values-are-of-the-organization: The values of an issue are in issue fields of its repository's organization
SELECT issue_field_value.id AS id FROM issue_field_value
JOIN issue ON issue.id = issue_field_value.issue_id
JOIN repository ON repository.id = issue.repository_id
JOIN issue_field ON issue_field.id = issue_field_value.field_id
WHERE issue_field.organization_id <> repository.owner_id;

-- values-fit-their-field: Only select fields have options as values, the options belong to the field, and a single_select field has at most one
SELECT issue_field_value.id AS id FROM issue_field_value
JOIN issue_field ON issue_field.id = issue_field_value.field_id
LEFT JOIN issue_field_option ON issue_field_option.id = issue_field_value.option_id
WHERE (issue_field_value.option_id IS NOT NULL)
    <> (issue_field.data_type IN ('single_select', 'multi_select'))
  OR issue_field_option.field_id <> issue_field_value.field_id
  OR (issue_field.data_type = 'single_select' AND EXISTS (
    SELECT 1 FROM issue_field_value AS other
    WHERE other.issue_id = issue_field_value.issue_id
      AND other.field_id = issue_field_value.field_id AND other.id <> issue_field_value.id));

-- reactions-are-counted: A comment has reaction counts if and only if it has reactions
SELECT id FROM issue_comment WHERE (reactions IS NOT NULL)
    <> EXISTS (SELECT 1 FROM reaction WHERE issue_comment_id = issue_comment.id)
UNION ALL
SELECT id FROM review_comment WHERE (reactions IS NOT NULL)
    <> EXISTS (SELECT 1 FROM reaction WHERE review_comment_id = review_comment.id);

-- comments-have-reviews: The review of each comment exists and is on the same pull request
SELECT review_comment.id AS id FROM review_comment
LEFT JOIN review ON review.id = review_comment.review_id
WHERE review.id IS NULL OR review.pull_id <> review_comment.pull_id;

-- comments-have-pulls: The pull request of each comment exists and is in the same repository
SELECT review_comment.id AS id FROM review_comment
LEFT JOIN pull ON pull.id = review_comment.pull_id
WHERE pull.id IS NULL OR pull.repository_id <> review_comment.repository_id;

-- replies-have-roots: A reply refers to the first comment of a thread on the same pull request and path
SELECT reply.id AS id FROM review_comment AS reply
LEFT JOIN review_comment AS root ON root.id = reply.in_reply_to_id
WHERE reply.in_reply_to_id IS NOT NULL
  AND (root.id IS NULL OR root.in_reply_to_id IS NOT NULL
       OR root.pull_id <> reply.pull_id OR root.path <> reply.path);

-- comments-name-commits: The commits of a comment are in its repository
SELECT review_comment.id AS id FROM review_comment WHERE NOT EXISTS
  (SELECT 1 FROM git_commit
  WHERE git_commit.repository_id = review_comment.repository_id
       AND git_commit.sha = review_comment.commit_sha)
OR NOT EXISTS
  (SELECT 1 FROM git_commit
  WHERE git_commit.repository_id = review_comment.repository_id
       AND git_commit.sha = review_comment.original_commit_sha);

-- comments-are-placed-or-outdated: A comment has both a line and a position, or is outdated and has neither
SELECT review_comment.id AS id FROM review_comment
WHERE (line IS NULL) <> (position IS NULL)
  OR (start_line IS NOT NULL AND original_start_line IS NULL);

-- several-lines-are-in-order: The start line of a comment comes before its end line on the same side
SELECT review_comment.id AS id FROM review_comment
WHERE side = start_side
  AND (original_start_line >= original_line OR start_line >= line);

-- reviews-name-commits: The commit of a review is in its repository
SELECT review.id AS id FROM review JOIN pull ON pull.id = review.pull_id
WHERE NOT EXISTS (SELECT 1 FROM git_commit
  WHERE git_commit.repository_id = pull.repository_id
       AND git_commit.sha = review.commit_sha);

-- pending-comments-have-pending-reviews: A pending comment belongs to a pending review of the same pull request
SELECT pending_review_comment.id AS id FROM pending_review_comment
LEFT JOIN review ON review.id = pending_review_comment.review_id
WHERE review.id IS NULL OR review.pull_id <> pending_review_comment.pull_id
  OR review.state <> 'PENDING';

-- issue-comments-have-issues: A comment on an issue is in the repository of the issue
SELECT issue_comment.id AS id FROM issue_comment
LEFT JOIN issue ON issue.id = issue_comment.issue_id
WHERE issue.id IS NULL OR issue.repository_id <> issue_comment.repository_id;

-- issue-comment-counts-match: The comment count of each issue and pull request equals its comments
SELECT issue.id AS id FROM issue
LEFT JOIN (SELECT issue_id, COUNT(*) AS comments FROM issue_comment GROUP BY issue_id) AS found
  ON found.issue_id = issue.id
WHERE issue.comments <> COALESCE(found.comments, 0);

-- notifications-match-comments: The comment of a notification is on the pull request of the notification
SELECT notification.id AS id FROM notification
LEFT JOIN review_comment ON review_comment.id = notification.comment_id
WHERE review_comment.id IS NULL OR review_comment.pull_id <> notification.pull_id;

-- notifications-go-to-others: Notifications go to users, and never to the author of the comment
SELECT notification.id AS id FROM notification
JOIN account ON account.id = notification.recipient_id
JOIN review_comment ON review_comment.id = notification.comment_id
WHERE account.kind <> 'User' OR review_comment.author_id = notification.recipient_id;

-- deliveries-reach-the-owner: A webhook delivery is for an installation of its app, on the account that owns the repository
SELECT webhook_delivery.id AS id FROM webhook_delivery
JOIN installation ON installation.id = webhook_delivery.installation_id
LEFT JOIN repository ON repository.id = webhook_delivery.repository_id
WHERE installation.app_id <> webhook_delivery.app_id
  OR repository.owner_id <> installation.account_id;

-- Installations, tokens and their repositories.

-- selected-installations-have-repositories: An installation on selected repositories has at least one repository
SELECT installation.id AS id FROM installation
WHERE installation.repository_selection = 'selected' AND NOT EXISTS
  (SELECT 1 FROM installation_repository AS chosen
  WHERE chosen.installation_id = installation.id);

-- installations-reach-their-account: The repositories of an installation belong to its account
SELECT chosen.installation_id || '/' || chosen.repository_id AS id
FROM installation_repository AS chosen
JOIN installation ON installation.id = chosen.installation_id
JOIN repository ON repository.id = chosen.repository_id
WHERE repository.owner_id <> installation.account_id;

-- installations-on-owners: Apps are installed on users and organizations, not on bots
SELECT installation.id AS id FROM installation
JOIN account ON account.id = installation.account_id WHERE account.kind = 'Bot';

-- tokens-have-holders: A token belongs to a user or to an installation
SELECT token.id AS id FROM token
LEFT JOIN account ON account.id = token.user_id
LEFT JOIN installation ON installation.id = token.installation_id
WHERE CASE WHEN token.kind = 'installation' THEN installation.id IS NULL
  ELSE COALESCE(account.kind, '') <> 'User' END;

-- token-repositories-of-selecting-tokens: Only tokens for selected repositories list repositories
SELECT DISTINCT token.id AS id FROM token_repository
JOIN token ON token.id = token_repository.token_id
WHERE COALESCE(token.repository_selection, '') <> 'selected';

-- tokens-reach-their-owner: The repositories of a token belong to the account of the token
SELECT token_repository.token_id || '/' || token_repository.repository_id AS id
FROM token_repository
JOIN token ON token.id = token_repository.token_id
JOIN repository ON repository.id = token_repository.repository_id
LEFT JOIN installation ON installation.id = token.installation_id
WHERE repository.owner_id <> COALESCE(token.owner_id, installation.account_id, 0);
