// Clients for the tests: an @octokit/rest for each kind of caller. Only the base URL is
// changed. The app signs with a key that the server has.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createAppAuth } from "@octokit/auth-app";
import { RequestError } from "@octokit/request-error";
import { Octokit } from "@octokit/rest";

export const baseUrl = process.env.FORGEWRIGHT_URL;
assert(baseUrl, "run this through tests/clients/run, which starts a server");

export const privateKey = readFileSync(process.env.CLIENT_KEY, "utf8");

// Do not log the errors that the tests provoke.
const log = { debug() {}, info() {}, warn: console.warn, error() {} };

export const as = (token) => new Octokit({ baseUrl, auth: token, log });
export const anonymous = new Octokit({ baseUrl, log });
export const alice = as("alice-classic");
export const bob = as("bob-classic");

/** The app itself, or one of its installations with `{ installationId }`. */
export const asApp = (installation) =>
  new Octokit({ baseUrl, log, authStrategy: createAppAuth, auth: { appId: 6001, privateKey, ...installation } });

export const gadgets = { owner: "acme", repo: "gadgets" };

/** Expects a RequestError with this status and a message that starts with `message`. */
export async function refused(call, status, message) {
  await assert.rejects(call, (error) => {
    assert(error instanceof RequestError, `not a RequestError: ${error}`);
    assert.equal(error.status, status, error.message);
    assert.ok(error.message.startsWith(message), error.message);
    return true;
  });
}

/** The commit that a branch of acme/gadgets points at. */
export async function tip(branch) {
  const { data } = await alice.rest.git.getRef({ ...gadgets, ref: `heads/${branch}` });
  return data.object.sha;
}
