/** Makes the branch of a release, also if the answer to the request is lost. */
export async function makeReleaseBranch(octokit, repository, version) {
  const branch = `release/${version}`;
  const { data: main } = await octokit.rest.git.getRef({ ...repository, ref: "heads/main" });
  try {
    await octokit.rest.git.createRef({ ...repository, ref: `refs/heads/${branch}`, sha: main.object.sha });
  } catch (error) {
    if (error.status < 500) throw error;
    // Was it made all the same?
    await octokit.rest.git.getRef({ ...repository, ref: `heads/${branch}` });
  }
  return branch;
}
