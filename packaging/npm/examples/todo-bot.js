/** A Probot app that opens a pull request for a new branch, reviews it, and answers comments. */

/** A comment for each line with a TODO that a file of a pull request adds. */
function todos({ filename, patch = "" }) {
  const comments = [];
  let line = 0;
  for (const text of patch.split("\n")) {
    const hunk = /^@@ -\d+(?:,\d+)? \+(\d+)/.exec(text);
    if (hunk) line = Number(hunk[1]);
    else if (!text.startsWith("-")) {
      if (/^\+.*TODO/.test(text)) comments.push({ path: filename, line, body: "When will this be done?" });
      line += 1;
    }
  }
  return comments;
}

export default (app) => {
  app.on("push", async (context) => {
    const { created, head_commit, ref, repository } = context.payload;
    const head = ref.replace("refs/heads/", "");
    if (!created || head === ref || head === repository.default_branch) return;
    const title = head_commit.message.split("\n")[0];
    await context.octokit.rest.pulls.create(context.repo({ title, head, base: repository.default_branch }));
  });

  app.on(["pull_request.opened", "pull_request.synchronize"], async (context) => {
    const { data: files } = await context.octokit.rest.pulls.listFiles(context.pullRequest());
    const comments = files.flatMap(todos);
    if (comments.length === 0) return;
    const body = `There is something left to do in ${comments.length} place(s).`;
    await context.octokit.rest.pulls.createReview(context.pullRequest({ event: "COMMENT", body, comments }));
  });

  app.on("pull_request_review_comment.created", async (context) => {
    if (context.isBot) return;
    const { id, in_reply_to_id, user } = context.payload.comment;
    // Replies belong to the first comment of a thread.
    const comment_id = in_reply_to_id ?? id;
    const body = `Thank you, @${user.login}.`;
    await context.octokit.rest.pulls.createReplyForReviewComment(context.pullRequest({ comment_id, body }));
  });
};
