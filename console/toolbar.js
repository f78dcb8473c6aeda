// The header's right side: world, clock, snapshots, reset, theme.

import { control, storeControlToken, onTokenNeeded, ApiError } from "./api.js";
import { announce, h, put } from "./dom.js";
import { confirm, field, form, open } from "./dialog.js";
import { duration, time } from "./format.js";
import { path } from "./route.js";
import { forget } from "./session.js";

const THEME = "forgewright-theme";
/** How often the toolbar reads the clock, in milliseconds. */
const CLOCK_POLL_INTERVAL = 5000;

/** Makes the current page reload its data. */
export function changed(world) {
  forget(world);
  dispatchEvent(new Event("forgewright:changed"));
}

export class Toolbar {
  constructor(container) {
    this.world = null;
    this.worldName = h("b", {}, "main");
    this.clockText = h("b", {}, "…");
    const lazily = (module, name) => async () => (await import(module))[name](this.world, this);
    put(
      container,
      h("button", { type: "button", class: "chip", "aria-haspopup": "dialog", onclick: lazily("./worlds.js", "openWorlds") }, "world ", this.worldName),
      h("button", { type: "button", class: "chip", "aria-haspopup": "dialog", onclick: lazily("./clock.js", "openClock") }, "clock ", this.clockText),
      h("button", { type: "button", "aria-haspopup": "dialog", onclick: lazily("./snapshots.js", "openSnapshots") }, "Snapshots"),
      h("button", { type: "button", "aria-haspopup": "dialog", onclick: () => this.reset() }, "Reset"),
      themeButton(),
    );
    onTokenNeeded(askForToken);
    setInterval(() => document.visibilityState === "visible" && this.readClock(), CLOCK_POLL_INTERVAL);
  }

  update(world) {
    if (this.world === world) return;
    this.world = world;
    put(this.worldName, world);
    this.readClock();
  }

  async readClock() {
    const { world } = this;
    try {
      const clock = await control(`${path("worlds", world)}/clock`);
      if (world === this.world) this.showClock(clock);
    } catch {
      put(this.clockText, "unknown");
    }
  }

  showClock(clock) {
    const now = time(clock.now).slice(0, 16);
    put(this.clockText, clock.frozen ? `frozen ${now}` : now, clock.offset !== 0 && h("span", { class: "offset" }, ` ${shortOffset(clock)}`));
  }

  reset() {
    const { world } = this;
    confirm("Reset this world?", `All changes in ${world} since it was loaded will be lost. Snapshots are kept.`, "Reset", async () => {
      await control(`${path("worlds", world)}/reset`, { method: "POST" });
      announce(`${world} was reset`);
      changed(world);
      this.readClock();
    });
  }
}

/** How far the clock is from the system time: `+1 d 2 h`. */
function shortOffset({ offset }) {
  return `${offset > 0 ? "+" : "−"}${duration(offset)}`;
}

let asking = null;

/** One dialog for all requests that wait for a token. */
function askForToken() {
  asking ??= new Promise((resolve, reject) => {
    const dialog = open("Control token required", (container, close) => {
      const input = h("input", { name: "token", type: "password", autocomplete: "off", required: true });
      container.append(h("p", { class: "soft" }, "The server prints the token when it starts. The browser keeps it until this tab closes."));
      container.append(form("line", field("Control token", input), "Use", () => (storeControlToken(input.value.trim()), resolve(), close())));
    });
    dialog.addEventListener("close", () => ((asking = null), reject(new ApiError(403, "The control API requires a token"))));
  });
  return asking;
}

function themeButton() {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const stored = localStorage.getItem(THEME);
  if (stored) document.documentElement.dataset.theme = stored;
  const now = () => document.documentElement.dataset.theme ?? (dark.matches ? "dark" : "light");
  const button = h("button", { type: "button", class: "icon" });
  const label = () => {
    const other = now() === "dark" ? "light" : "dark";
    button.setAttribute("aria-label", `Use the ${other} theme`);
    button.title = `Use the ${other} theme`;
    put(button, other === "dark" ? "☾" : "☀");
  };
  button.addEventListener("click", () => {
    document.documentElement.dataset.theme = now() === "dark" ? "light" : "dark";
    localStorage.setItem(THEME, now());
    label();
  });
  dark.addEventListener("change", label);
  label();
  return button;
}
