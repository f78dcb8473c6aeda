// GitHub's response schemas as judges of answers.
//
// JSON Schema has no `nullable`, so it is translated; nothing else is changed, except
// where FORGIVEN says that GitHub's own answers do not fit GitHub's description.

import Ajv from "ajv";
import addFormats from "ajv-formats";
import { github, resolve } from "./description.mjs";

// Fields that are null when a comment is outdated, whatever the description says
// (GitHub).
const FORGIVEN = [
  ["pull-request-review-comment", "line"],
  ["pull-request-review-comment", "position"],
  ["review-comment", "line"],
  ["review-comment", "position"],
];
for (const [schema, field] of FORGIVEN) {
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

// A property may itself be called `example`, so properties are walked by name.
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

/** What GitHub's description finds wrong with an answer; an empty list if nothing. */
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
