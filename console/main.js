// Navigation and keyboard shortcuts. Each page has its own module.

import { h, put } from "./dom.js";
import { current, to } from "./route.js";
import { JournalPage } from "./journal.js";
import { Toolbar } from "./toolbar.js";

/** The pages; all but the first are loaded on demand. */
const PAGES = {
  journal: { name: "Requests", load: async () => JournalPage },
  world: { name: "World", load: async () => (await import("./world.js")).WorldPage },
  deliveries: { name: "Deliveries", load: async () => (await import("./deliveries.js")).DeliveriesPage },
  faults: { name: "Faults", load: async () => (await import("./faults.js")).FaultsPage },
};

const main = document.getElementById("content");
const toolbar = new Toolbar(document.getElementById("toolbar"));
let shown = null;

async function follow() {
  const route = current();
  const page = PAGES[route.page] ? route.page : "journal";
  navigation(route.world, page);
  toolbar.update(route.world);
  if (shown?.name !== page || shown.world !== route.world) {
    shown?.page?.close();
    const here = { name: page, world: route.world, page: null };
    shown = here;
    const Page = await PAGES[page].load();
    if (shown !== here) return;
    here.page = new Page(main, route);
  }
  document.title = `${PAGES[page].name} · Forgewright console`;
  shown.page?.update(current());
}

function navigation(world, page) {
  const links = Object.entries(PAGES).map(([id, { name }]) => h("a", { href: to(world, id), "aria-current": id === page ? "page" : false }, name));
  put(document.getElementById("pages"), links, h("a", { href: "/docs/" }, "API docs"));
}

/** `/` focuses the filter, `p` pauses, Escape closes the selected entry. */
function keys(event) {
  if (event.target.matches("input, textarea, select") || event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  if (event.key === "/") {
    const filter = document.querySelector("[data-key='/']");
    if (filter) {
      event.preventDefault();
      filter.focus();
    }
  } else if (event.key === "p") {
    document.querySelector("[data-key='p']")?.click();
  } else if (event.key === "Escape" && current().rest.length > 0) {
    const chosen = document.querySelector(".row[aria-current]");
    location.hash = to(current().world, current().page);
    chosen?.focus();
  }
}

const skip = document.querySelector(".skip");
skip.addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});
addEventListener("hashchange", follow);
addEventListener("keydown", keys);
addEventListener("forgewright:changed", () => {
  shown?.page?.close();
  shown = null;
  follow();
});
follow();
