// Example rules for a pull request. danger removes the next line and provides the names as globals.
const { danger, fail, schedule, warn } = require("danger");

const { issue, pr, utils } = danger.github;
const labels = issue.labels.map(({ name }) => name);

schedule(async () => {
  const { added } = await danger.git.diffForFile("README.md");
  const text = await utils.fileContents("README.md");
  if (!labels.includes("ready")) fail(`${pr.user.login} has not labelled this as ready`);
  if (!pr.body) warn(`Say why ${danger.git.modified_files} gains ${added.split("\n").length} lines`);
  if (text.includes("2 handles")) warn("Write the number as a word", "README.md", 2);
});
