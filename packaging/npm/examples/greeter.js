/** A Probot app that greets the author of a new pull request. */
export default (app) => {
  app.on("pull_request.opened", async (context) => {
    const body = `Thank you, @${context.payload.sender.login}.`;
    await context.octokit.rest.pulls.createReview(context.pullRequest({ event: "COMMENT", body }));
  });
};
