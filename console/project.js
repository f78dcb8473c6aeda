// A project: its fields as a table.

import { h, put } from "./dom.js";
import { time } from "./format.js";
import { crumbs, facts, more, table } from "./paging.js";
import { path, to } from "./route.js";
import { isOrganization } from "./session.js";

export async function show(place, { world, known, forge, rest, signal }) {
  const [owner, number] = rest;
  const kind = isOrganization(known, owner) ? "orgs" : "users";
  const base = path(kind, owner, "projectsV2", number);
  const project = await forge.get(base, signal);
  const fields = await forge.page(`${base}/fields?per_page=50`, signal);
  const shown = table("Fields", ["Name", "Type", "Options", "Id", "Changed"], fields.data.map(row));
  let following = fields.next;
  const load = async () => {
    const page = await forge.page(following, signal);
    shown.querySelector("tbody").append(...page.data.map((field) => h("tr", {}, row(field).map((cell) => h("td", {}, cell)))));
    following = page.next;
    return Boolean(following);
  };
  put(
    place,
    crumbs(world, [[owner, to(world, "world", "account", owner)]]),
    h("h1", {}, project.title, " ", h("span", { class: "soft" }, `#${project.number}`)),
    facts([["Visibility", project.public ? "public" : "private"], ["State", project.state], ["Description", project.description], ["Id", project.id]]),
    h("h2", {}, "Fields"),
    shown,
    following && more("More fields", load),
  );
}

function row(field) {
  return [field.name, h("code", {}, field.data_type), choices(field), h("span", { class: "soft" }, field.id), h("span", { class: "soft" }, time(field.updated_at))];
}

/** Options of a selection, or iterations. */
function choices(field) {
  const text = (value) => value?.raw ?? value ?? "";
  if (field.configuration) {
    const iterations = field.configuration.iterations ?? [];
    return iterations.map((one) => h("span", { class: "option" }, `${text(one.title)} · ${one.start_date}${one.completed ? " · over" : ""}`));
  }
  return (field.options ?? []).map((one) => h("span", { class: `option ${colour(one.color)}`, title: text(one.description) || false }, text(one.name)));
}

/** Only a word that the style sheet knows becomes a class. */
function colour(name) {
  const word = String(name ?? "").toLowerCase();
  return ["red", "orange", "yellow", "green", "blue", "purple", "pink", "gray"].includes(word) ? word : "";
}
