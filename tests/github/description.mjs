// Reads GitHub's published OpenAPI description and ours.
//
// Both are OpenAPI 3.0. GitHub's is the one of api.github.com, from an npm package; this
// repository has no copy of it.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { parse } from "yaml";

const published = createRequire(import.meta.url).resolve("@octokit/openapi/generated/api.github.com.json");

export const github = JSON.parse(readFileSync(published, "utf8"));
const own = (name) => parse(readFileSync(new URL(`../../openapi/${name}.yaml`, import.meta.url), "utf8"));
export const ours = own("service");
export const companion = own("companion");

/** Resolves references. */
export function resolve(document, thing) {
  while (thing?.$ref) {
    thing = thing.$ref
      .slice(2)
      .split("/")
      .reduce((found, key) => found[key.replaceAll("~1", "/").replaceAll("~0", "~")], document);
  }
  return thing;
}

/** Every operation of one of our documents, with GitHub's operation at the same path. */
export function operations(document = ours) {
  const found = [];
  for (const [path, item] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(item)) {
      found.push({ name: operation.operationId, method, path, ours: operation, github: github.paths[path]?.[method] });
    }
  }
  return found;
}
