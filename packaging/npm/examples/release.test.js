// Tests a script that uses Octokit: success, a server error and a refused request.
import { expect } from "vitest";
import { Octokit } from "@octokit/rest";
import { test } from "forgewright/vitest";
import { createReleaseBranch } from "./release.js";

const gadgets = { owner: "acme", repo: "gadgets" };
const client = (forge, holder) => new Octokit({ baseUrl: forge.url, auth: forge.token(holder) });

test("a release gets a branch", async ({ forge }) => {
  expect(await createReleaseBranch(client(forge, "alice"), gadgets, "1.0")).toBe("release/1.0");
  const push = await forge.deliveries.wait({ event: "push" });
  expect(push.request.payload.ref).toBe("refs/heads/release/1.0");
});

test("a lost response does not fail the release or repeat the request", async ({ forge }) => {
  await forge.faults.add({ operation: "create_ref", effect: "status", status: 502, after: true, times: 1 });
  expect(await createReleaseBranch(client(forge, "alice"), gadgets, "1.0")).toBe("release/1.0");
  expect(await forge.journal.list({ operation: "create_ref" })).toHaveLength(1);
});

test("the journal explains why a user without write access is refused", async ({ forge }) => {
  const error = await createReleaseBranch(client(forge, "dave"), gadgets, "1.0").catch((error) => error);
  expect(error.status).toBe(403);
  const { line, steps } = await forge.journal.explain(error);
  expect(line).toContain("dave");
  expect(steps.at(-1).advice.map(({ action }) => action)).toContain("add_collaborator");
});
