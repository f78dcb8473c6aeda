/** Creates the branch of a release. Succeeds even if the response to the request is lost. */
export async function createReleaseBranch(octokit, repository, version) {
  const branch = `release/${version}`;
  const { data: main } = await octokit.rest.git.getRef({ ...repository, ref: "heads/main" });
  try {
    await octokit.rest.git.createRef({ ...repository, ref: `refs/heads/${branch}`, sha: main.object.sha });
  } catch (error) {
    if (error.status < 500) throw error;
    // The server may have created it before the error: this throws if it did not.
    await octokit.rest.git.getRef({ ...repository, ref: `heads/${branch}` });
  }
  return branch;
}
