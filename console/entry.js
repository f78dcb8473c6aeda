// A journal entry: the explanation step by step, the advice, and the messages.

import { announce, h, tabs } from "./dom.js";
import { milliseconds, quoted, statusLine, time } from "./format.js";
import { message } from "./message.js";
import { decode, to } from "./route.js";
import { baseOf } from "./session.js";

const MARKS = { passed: ["✓", "good", "passed"], refused: ["✕", "bad", "refused"] };

export function show(world, entry) {
  const about = [statusLine(entry.status), milliseconds(entry.duration_ms), time(entry.at), entry.caller, entry.request_id && `request ${entry.request_id}`];
  return [
    h("h1", {}, `${entry.method} ${entry.path}`),
    h("p", { class: "sub" }, about.filter(Boolean).join(" · ")),
    steps(entry.explanation ?? []),
    entry.advice && advice(entry.advice),
    inTheWorld(world, entry.path),
    tabs("Messages", [
      ["Request", () => message(`${entry.method} ${entry.path}`, entry.request?.headers, entry.request?.body, cut(entry.request))],
      ["Response", () => message(statusLine(entry.status), entry.response?.headers, entry.response?.body, cut(entry.response))],
      ["As curl", () => curl(world, entry)],
    ]),
  ];
}

function cut(part) {
  return part?.truncated ? "The body was truncated." : null;
}

function steps(explanation) {
  if (explanation.length === 0) return null;
  return h(
    "ol",
    { class: "why", "aria-label": "Decisions" },
    explanation.map((step) => {
      const [sign, tone, spoken] = MARKS[step.outcome] ?? ["", "", ""];
      return h("li", {}, h("span", { class: tone }, h("span", { "aria-hidden": "true" }, sign), h("span", { class: "hidden" }, spoken)), h("span", { class: "key" }, step.step), h("span", {}, step.text));
    }),
  );
}

/** A link to the pull request or repository that a path is about. */
function inTheWorld(world, address) {
  const [owner, name, pull] = /^\/repos\/([^/?]+)\/([^/?]+)(?:\/pulls\/(\d+))?/.exec(address)?.slice(1).map((part) => part && decode(part)) ?? [];
  if (!name) return null;
  const where = pull ? ["pull", owner, name, pull] : ["repo", owner, name];
  return h("p", {}, h("a", { href: to(world, "world", ...where) }, pull ? `Pull request ${owner}/${name}#${pull}` : `Repository ${owner}/${name}`), h("span", { class: "soft" }, " in the world"));
}

function advice(given) {
  return h("div", { class: "advice" }, given);
}

/** Headers that a client sets by itself. */
const OWN = new Set(["host", "content-length", "connection", "accept-encoding", "user-agent", "transfer-encoding"]);

function curl(world, entry) {
  const headers = Object.entries(entry.request?.headers ?? {}).filter(([name]) => !OWN.has(name.toLowerCase()));
  const words = ["curl", entry.method === "GET" ? "" : `-X ${entry.method}`, ...headers.map(([name, value]) => `\\\n  -H ${quoted(`${name}: ${value}`)}`)];
  if (entry.request?.body) words.push(`\\\n  --data ${quoted(entry.request.body)}`);
  words.push(`\\\n  ${quoted(location.origin + baseOf(world) + entry.path)}`);
  const text = words.filter(Boolean).join(" ");
  const copy = h("button", { type: "button", class: "small", onclick: () => navigator.clipboard?.writeText(text).then(() => announce("Copied")) }, "Copy");
  return h("div", { class: "message" }, h("div", { class: "head" }, h("span", {}, "Tokens are redacted: insert your own."), copy), h("pre", { tabindex: "0", role: "region", "aria-label": "Command" }, text));
}
