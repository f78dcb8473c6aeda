// Asks the control API for faults, which the plugins of Octokit are to survive.

import assert from "node:assert/strict";
import { baseUrl } from "./clients.js";

const faults = `${baseUrl}/_forgewright/worlds/main/faults`;

/** Adds a rule, and returns a function that tells how often it was used. */
export async function fault(rule) {
  const made = await fetch(faults, { method: "POST", body: JSON.stringify(rule) });
  const { id, message } = await made.json();
  assert.equal(made.status, 201, message);
  return async () => (await (await fetch(`${faults}/${id}`)).json()).used;
}

export const clear = () => fetch(faults, { method: "DELETE" });
