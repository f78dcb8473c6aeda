// Fifty concurrent tests that use the same names, each in its own world. The files
// isolation-*.test.js run them in two processes on one server.
import { expect } from "vitest";
import { Octokit } from "@octokit/rest";
import { test } from "forgewright/vitest";

const gadgets = { owner: "acme", repo: "gadgets" };
const quiet = { debug() {}, info() {}, warn() {}, error() {} };

export function isolated(part) {
  for (let number = 1; number <= 50; number += 1) {
    test.concurrent(`test ${number} of part ${part} has its own world`, async ({ forge }) => {
      const year = 2030 + number;
      const { rest } = new Octokit({ baseUrl: forge.url, auth: forge.token("alice"), log: quiet });
      await forge.clock.freeze(`${year}-01-01T00:00:00Z`);
      await forge.faults.add({ operation: "create_ref", effect: "status", status: 502, times: 1 });

      const { data: head } = await rest.git.getRef({ ...gadgets, ref: "heads/main" });
      const news = { ...gadgets, ref: "refs/heads/news", sha: head.object.sha };
      await expect(rest.git.createRef(news)).rejects.toMatchObject({ status: 502 });
      expect((await rest.git.createRef(news)).status).toBe(201);
      const { data: pull } = await rest.pulls.get({ ...gadgets, pull_number: 1 });
      const comment = { ...gadgets, pull_number: 1, commit_id: pull.head.sha, body: `Number ${number} of ${part}` };
      const [file] = (await rest.pulls.listFiles({ ...gadgets, pull_number: 1 })).data;
      const { data: created } = await rest.pulls.createReviewComment({ ...comment, path: file.filename, line: 1, side: "RIGHT" });
      expect(created.created_at).toBe(`${year}-01-01T00:00:00Z`);

      const { data: comments } = await rest.pulls.listReviewComments({ ...gadgets, pull_number: 1, per_page: 100 });
      expect(comments.filter(({ body }) => body.startsWith("Number")).map(({ body }) => body)).toEqual([comment.body]);
      const written = await forge.journal.list({ method: "POST" });
      expect(written.map(({ status }) => status)).toEqual([201, 201, 502]);
      const push = await forge.deliveries.wait({ event: "push" }, { timeout: 60_000 });
      expect(push.request.payload.ref).toBe("refs/heads/news");
      expect(await forge.deliveries.list({ event: "push" })).toHaveLength(1);
      expect((await forge.faults.list())[0].used).toBe(1);
    });
  }
}
