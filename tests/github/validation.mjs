// Validates responses against GitHub's response schemas.
//
// JSON Schema has no `nullable`, so this module translates it. It makes no other changes, except
// for CORRECTED: fields of GitHub's own responses that violate GitHub's description.

import Ajv from "ajv";
import addFormats from "ajv-formats";
import { github, resolve } from "./description.mjs";

// Fields that are null when a comment is outdated, although the description does not allow it.
const CORRECTED = [
  ["pull-request-review-comment", "line"],
  ["pull-request-review-comment", "position"],
  ["review-comment", "line"],
  ["review-comment", "position"],
];
for (const [schema, field] of CORRECTED) {
  const described = github.components.schemas[schema].properties[field];
  described.nullable = true;
}

function translate(schema) {
  if (Array.isArray(schema)) return schema.map(translate);
  if (schema === null || typeof schema !== "object") return schema;
  const { nullable, example, examples, discriminator, ...rest } = schema;
  const translated = Object.fromEntries(
    Object.entries(rest).map(([key, value]) => [key, key === "enum" || key === "default" ? value : translate(value)]),
  );
  return nullable === true ? { anyOf: [translated, { type: "null" }] } : translated;
}

// A property may be named `example`, so properties are translated separately.
function translateSchema(schema) {
  if (Array.isArray(schema)) return schema.map(translateSchema);
  if (schema === null || typeof schema !== "object") return schema;
  if (!schema.properties) return translate(schema);
  const { properties, ...rest } = schema;
  const fields = Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, translateSchema(field)]));
  const outer = translate(rest);
  if (outer.anyOf && rest.nullable) return { anyOf: [{ ...outer.anyOf[0], properties: fields }, { type: "null" }] };
  return { ...outer, properties: fields };
}

const ajv = new Ajv({ strict: false, allErrors: true, validateSchema: false, inlineRefs: false });
addFormats(ajv);
const schemas = Object.fromEntries(
  Object.entries(github.components.schemas).map(([name, schema]) => [name, translateSchema(schema)]),
);
ajv.addSchema({ $id: "github", components: { schemas } });

const compiled = new Map();

/** The violations of GitHub's description in a response; null if it does not describe the status. */
export function faults(operation, status, body) {
  const described = resolve(github, operation.github.responses[status]);
  if (!described) return null;
  const schema = described.content?.["application/json"]?.schema;
  if (!schema) return body === "" ? [] : [`a body, where GitHub describes none for ${status}`];
  const key = `${operation.name} ${status}`;
  if (!compiled.has(key)) {
    const text = JSON.stringify(translateSchema(schema)).replaceAll('"#/components/', '"github#/components/');
    compiled.set(key, ajv.compile(JSON.parse(text)));
  }
  const validate = compiled.get(key);
  if (validate(body)) return [];
  return validate.errors.map((error) => `${error.instancePath || "/"} ${error.message}`);
}
