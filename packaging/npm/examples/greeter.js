/** A Probot app that greets whoever opens a pull request. */
export default (app) => {
  app.on("pull_request.opened", async (context) => {
    const body = `Thank you, @${context.payload.sender.login}.`;
    await context.octokit.rest.pulls.createReview(context.pullRequest({ event: "COMMENT", body }));
  });
};
