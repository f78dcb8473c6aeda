// A project: a table of its items with their values, and its fields.

import { h, put } from "./dom.js";
import { time } from "./format.js";
import { labels } from "./labels.js";
import { dataType, option, options, text } from "./options.js";
import { crumbs, facts, morePages, table } from "./paging.js";
import { path, to } from "./route.js";
import { isOrganization } from "./session.js";

const ITEMS = 50;
const FIELDS = 50;

export async function show(container, { world, contents, forge, rest, signal }) {
  const [owner, number] = rest;
  const kind = isOrganization(contents, owner) ? "orgs" : "users";
  const base = path(kind, owner, "projectsV2", number);
  // Await this request first: if the project is hidden, only one request fails.
  const project = await forge.get(base, signal);
  const fields = await forge.page(`${base}/fields?per_page=${FIELDS}`, signal);
  const chosen = fields.data.filter((field) => field.data_type !== "title");
  const ids = chosen.map((field) => field.id).join(",");
  const items = await forge.page(`${base}/items?per_page=${ITEMS}${ids && `&fields=${ids}`}`, signal);
  put(
    container,
    crumbs(world, [[owner, to(world, "world", "account", owner)]]),
    h("h1", {}, project.title, " ", h("span", { class: "soft" }, `#${project.number}`)),
    facts([["Visibility", project.public ? "public" : "private"], ["State", project.state], ["Description", project.description], ["Id", project.id]]),
    items.data.length > 0 && [h("h2", {}, "Items"), pages("Items", ["Title", ...chosen.map((field) => field.name)], items, (item) => itemRow(world, item), forge, signal)],
    h("h2", {}, "Fields"),
    pages("Fields", ["Name", "Type", "Options", "Id", "Changed"], fields, row, forge, signal),
  );
}

/** A table that loads a page at a time. */
function pages(label, columns, { data, next }, make, forge, signal) {
  const shown = table(label, columns, data.map(make));
  const add = (things) => shown.querySelector("tbody").append(...things.map((one) => h("tr", {}, make(one).map((cell) => h("td", {}, cell)))));
  return [shown, morePages(`More ${label.toLowerCase()}`, next, add, forge, signal)];
}

/** The title of an item, and its value in each field. */
function itemRow(world, item) {
  return [itemTitle(world, item), ...item.fields.filter((field) => field.data_type !== "title").map((field) => shownValue(field.value))];
}

/** A link to the issue or the pull request; a draft has no page. */
function itemTitle(world, { content, content_type: type }) {
  if (!content) return h("span", { class: "soft" }, "hidden from this token");
  if (type === "DraftIssue") return [content.title, " ", h("span", { class: "tag" }, "draft")];
  const [owner, name] = content.html_url.split("/").slice(-4);
  const kind = type === "PullRequest" ? "pull" : "issue";
  return [h("a", { href: to(world, "world", kind, owner, name, String(content.number)) }, content.title), " ", h("small", {}, `#${content.number}`)];
}

/** A value of any type: texts, numbers, options, iterations, and lists of labels or people. */
function shownValue(value) {
  if (value === null || value === undefined) return "";
  if (Array.isArray(value)) return value[0]?.color ? labels({ labels: value }) : value.map((one) => one.name ?? one.login ?? "").join(", ");
  if (typeof value !== "object") return String(value);
  const name = text(value.name) || text(value.title) || value.full_name || text(value);
  return value.color ? option({ ...value, name }) : name;
}

function row(field) {
  return [field.name, dataType(field), choices(field), h("span", { class: "soft" }, field.id), h("span", { class: "soft" }, time(field.updated_at))];
}

/** The options of a select field, or the iterations. */
function choices(field) {
  if (field.configuration) {
    const iterations = field.configuration.iterations ?? [];
    return iterations.map((one) => [h("span", { class: "option" }, `${text(one.title)} · ${one.start_date}${one.completed ? " · completed" : ""}`), " "]);
  }
  return options(field.options);
}
