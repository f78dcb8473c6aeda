// Compares openapi/service.yaml with GitHub's description: parameters, bodies, statuses and the
// fields of responses.
//
// Every difference is a line. A rule in differences.yaml can allow lines and must give a reason.
// A line without a rule and a rule without a line both fail the comparison. A response may have
// narrower types than GitHub's (never null, fewer values), because GitHub's clients accept them;
// that is not a difference. A field that only our document requires is one: a client generated
// from our document would reject GitHub's responses without it.

import { readFileSync } from "node:fs";
import { parse } from "yaml";
import { github, operations, ours, resolve } from "./description.mjs";

const NONE = { types: new Set(), formats: new Set(), values: null, fields: new Map(), items: null, closed: false, bounds: new Map() };

/** The constraints on a value besides its type. */
const BOUNDS = ["minLength", "maxLength", "pattern", "minimum", "maximum", "minItems", "maxItems", "uniqueItems"];

/** The shape of a schema. Alternatives are merged, because a client must handle all of them. */
function shape(document, schema, depth = 0) {
  schema = resolve(document, schema) ?? {};
  const parts = schema.oneOf ?? schema.anyOf;
  let result = { ...NONE, types: new Set(), formats: new Set(), fields: new Map() };
  if (depth > 8) return result;
  if (schema.type) result.types.add(schema.type);
  if (!schema.type && schema.properties) result.types.add("object");
  if (schema.nullable) result.types.add("null");
  // The width of an integer makes no difference in JSON.
  if (schema.format && !/^int(32|64)$/.test(schema.format)) result.formats.add(schema.format);
  if (schema.enum) {
    result.values = new Set(schema.enum.filter((value) => value !== null));
    if (!schema.type) result.types.add(typeof schema.enum[0]);
  }
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    const required = (schema.required ?? []).includes(name);
    result.fields.set(name, { required, shape: shape(document, field, depth + 1) });
  }
  result.closed = schema.additionalProperties === false;
  result.bounds = new Map(BOUNDS.filter((name) => schema[name] !== undefined).map((name) => [name, schema[name]]));
  if (schema.items) result.items = shape(document, schema.items, depth + 1);
  if (parts) {
    const alternatives = parts.map((part) => shape(document, part, depth + 1));
    result = both(result, alternatives.reduce((left, right) => either(left, right)));
  }
  for (const part of schema.allOf ?? []) result = both(result, shape(document, part, depth + 1));
  return result;
}

function union(left, right) {
  return new Set([...left, ...right]);
}

/** The shape of `oneOf` two schemas. */
function either(left, right) {
  const fields = new Map();
  for (const name of union(left.fields.keys(), right.fields.keys())) {
    const a = left.fields.get(name);
    const b = right.fields.get(name);
    fields.set(name, a && b ? { required: a.required && b.required, shape: either(a.shape, b.shape) } : { required: false, shape: (a ?? b).shape });
  }
  return {
    types: union(left.types, right.types),
    formats: union(left.formats, right.formats),
    values: left.values && right.values ? union(left.values, right.values) : null,
    fields,
    closed: left.closed && right.closed,
    bounds: new Map([...left.bounds].filter(([name, bound]) => right.bounds.get(name) === bound)),
    items: left.items && right.items ? either(left.items, right.items) : (left.items ?? right.items),
  };
}

/** The shape of `allOf` two schemas. */
function both(left, right) {
  const fields = new Map(left.fields);
  for (const [name, field] of right.fields) {
    const before = fields.get(name);
    fields.set(name, before ? { required: before.required || field.required, shape: both(before.shape, field.shape) } : field);
  }
  return {
    types: union(left.types, right.types),
    formats: union(left.formats, right.formats),
    values: left.values ?? right.values,
    fields,
    closed: left.closed || right.closed,
    bounds: new Map([...left.bounds, ...right.bounds]),
    items: left.items ?? right.items,
  };
}

const listed = (set) => [...set].sort().join("|") || "anything";

const within = (inner, outer) => [...inner].every((value) => outer.has(value));

function* compareShapes(where, mine, theirs, response = false) {
  const narrower = response && mine.types.size > 0 && within(mine.types, theirs.types);
  if (listed(mine.types) !== listed(theirs.types) && !narrower) {
    yield `${where}: type ${listed(mine.types)}, GitHub ${listed(theirs.types)}`;
  }
  if (listed(mine.formats) !== listed(theirs.formats) && !(response && within(theirs.formats, mine.formats))) {
    yield `${where}: format ${listed(mine.formats)}, GitHub ${listed(theirs.formats)}`;
  }
  const values = [mine.values ? listed(mine.values) : "any", theirs.values ? listed(theirs.values) : "any"];
  const fewer = mine.values && (!theirs.values || within(mine.values, theirs.values));
  if (values[0] !== values[1] && !(response && fewer)) yield `${where}: values ${values[0]}, GitHub ${values[1]}`;
  for (const [name, bound] of response ? [] : mine.bounds) {
    if (theirs.bounds.get(name) !== bound) yield `${where}: ${name} ${bound}, GitHub ${theirs.bounds.get(name) ?? "none"}`;
  }
  if (mine.closed !== theirs.closed && !response) {
    yield `${where}: ${mine.closed ? "closed" : "open"}, GitHub ${theirs.closed ? "closed" : "open"}`;
  }
  for (const name of union(mine.fields.keys(), theirs.fields.keys())) {
    const inside = `${where}.${name}`;
    const [a, b] = [mine.fields.get(name), theirs.fields.get(name)];
    if (!a) yield `${inside}: absent, GitHub ${b.required ? "required" : "optional"}`;
    else if (!b) yield `${inside}: ${a.required ? "required" : "optional"}, GitHub absent`;
    else {
      if (a.required !== b.required) {
        yield `${inside}: ${a.required ? "required" : "optional"}, GitHub ${b.required ? "required" : "optional"}`;
      }
      yield* compareShapes(inside, a.shape, b.shape, response);
    }
  }
  if (mine.items && theirs.items) yield* compareShapes(`${where}[]`, mine.items, theirs.items, response);
}

function parametersOf(document, operation) {
  const found = new Map();
  for (const reference of operation.parameters ?? []) {
    const parameter = resolve(document, reference);
    found.set(`${parameter.in} ${parameter.name}`, parameter);
  }
  return found;
}

function* compareParameters(operation) {
  const mine = parametersOf(ours, operation.ours);
  const theirs = parametersOf(github, operation.github);
  for (const key of union(mine.keys(), theirs.keys())) {
    const where = `parameter ${key}`;
    const [a, b] = [mine.get(key), theirs.get(key)];
    if (!a || !b) {
      yield `${where}: ${a ? "present" : "absent"}, GitHub ${b ? "present" : "absent"}`;
      continue;
    }
    if (Boolean(a.required) !== Boolean(b.required)) yield `${where}: required ${Boolean(a.required)}, GitHub ${Boolean(b.required)}`;
    const [one, other] = [resolve(ours, a.schema), resolve(github, b.schema)];
    if (one.default !== other.default) yield `${where}: default ${one.default}, GitHub ${other.default}`;
    yield* compareShapes(where, shape(ours, one), shape(github, other));
  }
}

const json = (thing) => thing?.content?.["application/json"]?.schema;

function* compareBodies(operation) {
  const mine = json(resolve(ours, operation.ours.requestBody));
  const theirs = json(resolve(github, operation.github.requestBody));
  if (!mine !== !theirs) yield `body: ${mine ? "present" : "absent"}, GitHub ${theirs ? "present" : "absent"}`;
  if (mine && theirs) yield* compareShapes("body", shape(ours, mine), shape(github, theirs));
}

function* compareResponses(operation) {
  const mine = operation.ours.responses;
  const theirs = operation.github.responses;
  for (const status of union(Object.keys(mine), Object.keys(theirs))) {
    if (!mine[status] || !theirs[status]) {
      yield `status ${status}: ${mine[status] ? "present" : "absent"}, GitHub ${theirs[status] ? "present" : "absent"}`;
      continue;
    }
    const [one, other] = [json(resolve(ours, mine[status])), json(resolve(github, theirs[status]))];
    if (!one !== !other) yield `response ${status}: ${one ? "a body" : "no body"}, GitHub ${other ? "a body" : "no body"}`;
    if (one && other) yield* compareShapes(`response ${status}`, shape(ours, one), shape(github, other), true);
    const headers = Object.keys(resolve(github, theirs[status]).headers ?? {}).filter((name) => !resolve(ours, mine[status]).headers?.[name]);
    for (const name of headers) yield `response ${status}: header ${name} absent, GitHub present`;
  }
}

function* differences() {
  for (const operation of operations()) {
    if (!operation.github) {
      yield `${operation.name}: GitHub has no operation at ${operation.method.toUpperCase()} ${operation.path}`;
      continue;
    }
    for (const line of [...compareParameters(operation), ...compareBodies(operation), ...compareResponses(operation)]) {
      yield `${operation.name}: ${line}`;
    }
  }
}

const rules = parse(readFileSync(new URL("differences.yaml", import.meta.url), "utf8")).map((rule) => ({
  pattern: new RegExp(`^(?:${rule.where})$`),
  reason: rule.because,
  used: 0,
}));
let failed = 0;
let allowed = 0;
for (const line of differences()) {
  const rule = rules.find(({ pattern }) => pattern.test(line));
  if (rule) {
    rule.used += 1;
    allowed += 1;
  } else {
    failed += 1;
    console.error(`unexplained: ${line}`);
  }
}
for (const rule of rules) {
  if (!rule.reason || !rule.used) {
    failed += 1;
    console.error(rule.reason ? `stale rule: ${rule.pattern.source}` : `a rule without a reason: ${rule.pattern.source}`);
  }
}
console.log(`${operations().length} operations, ${allowed} differences with a reason, ${failed} without`);
process.exitCode = failed || operations().length !== 28 ? 1 : 0;
