// The issue fields of an organization.

import { h } from "./dom.js";
import { dataType, options } from "./options.js";
import { section, table } from "./paging.js";
import { path } from "./route.js";

export function issueFields(login, forge, signal) {
  const load = async () => {
    const fields = await forge.get(path("orgs", login, "issue-fields"), signal);
    return fields.length > 0 ? table("Issue fields", ["Name", "Type", "Options", "Id"], fields.map(row)) : null;
  };
  return section("Issue fields", load(), "No issue fields.");
}

function row(field) {
  const about = [field.description, field.visibility?.replaceAll("_", " ")].filter(Boolean).join(" · ");
  return [
    [field.name, about && [h("br"), h("small", {}, about)]],
    dataType(field),
    options(field.options),
    h("span", { class: "soft" }, field.id),
  ];
}
