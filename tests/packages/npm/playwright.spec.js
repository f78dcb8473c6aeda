// The Playwright fixture: each test has its own world.
import { expect, test } from "forgewright/playwright";

const seen = new Set();

for (const name of ["one", "two"]) {
  test(`test ${name} has its own world`, async ({ forge, request }) => {
    expect(seen.has(forge.url)).toBe(false);
    seen.add(forge.url);
    expect((await request.get(`${forge.url}/meta`)).status()).toBe(200);
  });
}

test.describe("with another world", () => {
  test.use({ forgeOptions: { world: { users: [{ login: "zoe" }], tokens: [{ kind: "classic", user: "zoe" }] } } });
  test("the given world is used", ({ forge }) => expect(forge.tokens.map(({ holder }) => holder)).toEqual(["zoe"]));
});
