// Injects faults with the control API. Octokit's plugins should survive them.

import assert from "node:assert/strict";
import { baseUrl } from "./clients.js";

const faults = `${baseUrl}/_forgewright/worlds/main/faults`;

/** Adds a rule; returns a function that reads how often the rule was used. */
export async function fault(rule) {
  const response = await fetch(faults, { method: "POST", body: JSON.stringify(rule) });
  const { id, message } = await response.json();
  assert.equal(response.status, 201, message);
  return async () => (await (await fetch(`${faults}/${id}`)).json()).used;
}

export const clear = () => fetch(faults, { method: "DELETE" });
