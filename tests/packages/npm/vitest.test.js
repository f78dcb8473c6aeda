// The helper for Vitest: each test has a world of its own, on one server.
import { expect } from "vitest";
import { test, testWith } from "forgewright/vitest";

const seen = new Set();
const servers = new Set();

for (const name of ["one", "two"]) {
  test(`test ${name} has a world of its own`, async ({ forge }) => {
    expect(seen.has(forge.url)).toBe(false);
    seen.add(forge.url);
    servers.add(new URL(forge.url).origin);
    const answer = await fetch(`${forge.url}/orgs/acme/issue-fields`, {
      method: "POST",
      headers: { authorization: `Bearer ${forge.token("alice")}` },
      body: JSON.stringify({ name: "Effort of each", data_type: "text" }),
    });
    // A second one of this name would be refused.
    expect(answer.status).toBe(200);
    expect(servers.size).toBe(1);
  });
}

testWith({ world: { users: [{ login: "zoe" }], tokens: [{ kind: "classic", user: "zoe" }] } })(
  "the world is chosen",
  async ({ forge }) => expect(forge.tokens.map((token) => token.holder)).toEqual(["zoe"]),
);
