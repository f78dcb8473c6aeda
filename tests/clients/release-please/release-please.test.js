// release-please from the command line. With the REST API it writes its configuration and opens
// a pull request for it. It reads the history with GraphQL, and fails there.

import assert from "node:assert/strict";
import { test } from "node:test";
import { alice, baseUrl, gadgets, missing, run } from "../programs.js";

const releasePlease = (command) =>
  run("release-please", [command, "--token=alice-classic", "--repo-url=acme/gadgets", `--api-url=${baseUrl}`, `--graphql-url=${baseUrl}`, "--release-type=simple"]);

const pulls = async () => (await alice.rest.pulls.list(gadgets)).data.filter(({ number }) => number > 1);

test("bootstrap opens a pull request with the configuration", async () => {
  const { code, output } = await releasePlease("bootstrap");
  assert.equal(code, 0, output);
  const [pull, ...more] = await pulls();
  assert.deepEqual([pull.title, pull.base.ref, more], ["chore: bootstrap releases for path: .", "main", []]);
  const { data: files } = await alice.rest.pulls.listFiles({ ...gadgets, pull_number: pull.number });
  assert.deepEqual(files.map(({ filename, status }) => [filename, status]), [
    [".release-please-manifest.json", "added"],
    ["release-please-config.json", "added"],
  ]);
});

for (const command of ["release-pr", "github-release"]) {
  test(`${command} fails because it reads the history with GraphQL`, async () => {
    const { code, output } = await releasePlease(command);
    assert.equal(code, 1, output);
    assert.match(output, /Field 'repository' doesn't exist on type 'Query'/);
    assert.equal((await pulls()).length, 1);
  });
}

test("no REST operation was missing", async () => {
  assert.deepEqual(await missing(), []);
});
