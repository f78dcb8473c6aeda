// A journal entry: the explanation step by step, the advice, and the messages.

import { announce, h, tabs } from "./dom.js";
import { callerOf } from "./explanation.js";
import { count, milliseconds, quoted, statusLine, time } from "./format.js";
import { message } from "./message.js";
import { decode, to } from "./route.js";
import { baseOf } from "./session.js";

const MARKS = { passed: ["✓", "good"], refused: ["✕", "bad"], hidden: ["✕", "bad"] };

export function show(world, entry) {
  const { request, answer, explanation } = entry;
  const about = [statusLine(entry.status), milliseconds(entry.microseconds / 1000), time(entry.at), entry.operation, callerOf(entry), entry.cache === "hit" && "cached", `request ${entry.request_id}`];
  return [
    h("h1", {}, `${entry.method} ${entry.path}`),
    h("p", { class: "sub" }, about.filter(Boolean).join(" · ")),
    steps(explanation.steps),
    advice(explanation.steps.flatMap((step) => step.advice)),
    linkToWorld(world, entry.path),
    tabs("Messages", [
      ["Request", () => part(`${entry.method} ${entry.path}`, request)],
      ["Response", () => part(statusLine(entry.status), answer)],
      ["As curl", () => curl(world, entry)],
    ]),
  ];
}

function part(title, { headers, body }) {
  const binary = body.text === null && body.bytes > 0;
  const note = binary ? `${count(body.bytes, "byte")} of binary data.` : body.truncated && "The body was truncated.";
  return message(title, headers.map(({ name, value }) => [name, value]), binary ? undefined : body.text, note);
}

function steps(given) {
  if (given.length === 0) return null;
  return h(
    "ol",
    { class: "why", "aria-label": "Explanation" },
    given.map((step) => {
      const [sign, tone] = MARKS[step.outcome] ?? ["", ""];
      const mark = h("span", { class: tone }, h("span", { "aria-hidden": "true" }, sign), h("span", { class: "hidden" }, step.outcome));
      return h("li", {}, mark, h("span", { class: "key" }, step.check.replaceAll("_", " ")), h("span", {}, step.sentence));
    }),
  );
}

function advice(given) {
  if (given.length === 0) return null;
  if (given.length === 1) return h("p", { class: "advice" }, given[0].sentence);
  return h("div", { class: "advice" }, "Any one of these helps:", h("ul", {}, given.map((one) => h("li", {}, one.sentence))));
}

/** A link to the pull request or repository in a request path. */
function linkToWorld(world, address) {
  const [owner, name, pull] = /^\/repos\/([^/?]+)\/([^/?]+)(?:\/pulls\/(\d+))?/.exec(address)?.slice(1).map((part) => part && decode(part)) ?? [];
  if (!name) return null;
  const where = pull ? ["pull", owner, name, pull] : ["repo", owner, name];
  return h("p", {}, h("a", { href: to(world, "world", ...where) }, pull ? `Pull request ${owner}/${name}#${pull}` : `Repository ${owner}/${name}`), h("span", { class: "soft" }, " in the world"));
}

/** Headers that curl sets itself. */
const CLIENT_HEADERS = new Set(["host", "content-length", "connection", "accept-encoding", "user-agent", "transfer-encoding"]);

function curl(world, entry) {
  const headers = entry.request.headers.filter(({ name }) => !CLIENT_HEADERS.has(name));
  const words = ["curl", entry.method === "GET" ? "" : `-X ${quoted(entry.method)}`, ...headers.map(({ name, value }) => `\\\n  -H ${quoted(`${name}: ${value}`)}`)];
  if (entry.request.body.text) words.push(`\\\n  --data-raw ${quoted(entry.request.body.text)}`);
  words.push(`\\\n  --globoff ${quoted(location.origin + baseOf(world) + entry.path)}`);
  const text = words.filter(Boolean).join(" ");
  const copy = h("button", { type: "button", class: "small", onclick: () => navigator.clipboard?.writeText(text).then(() => announce("Copied")) }, "Copy");
  return h("div", { class: "message" }, h("div", { class: "head" }, h("span", {}, "Tokens are redacted: insert your own."), copy), h("pre", { tabindex: "0", role: "region", "aria-label": "Command" }, text));
}
