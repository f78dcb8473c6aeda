// The Deliveries page: every webhook, sent or only recorded.

import { control, isAbandoned } from "./api.js";
import { announce, h, notice, put } from "./dom.js";
import { attempt } from "./dialog.js";
import { milliseconds, timeOfDay } from "./format.js";
import { badge, show, summary } from "./delivery.js";
import { LiveList } from "./live.js";
import { path, to } from "./route.js";

/** How often a delivery that waits is asked for, in milliseconds. */
const PENDING_EVERY = 1500;

const isPending = (delivery) => delivery.status === "pending";

export class DeliveriesPage {
  constructor(main, route) {
    this.world = route.world;
    this.base = `${path("worlds", route.world)}/deliveries`;
    this.switch = `${path("worlds", route.world)}/delivery`;
    this.list = new LiveList({ base: this.base, row: (one) => row(this.world, one), empty: "No deliveries yet. Webhooks of apps appear here, also of apps without a webhook URL.", unsettled: isPending });
    this.detail = h("section", { class: "detail", "aria-label": "Delivery details", tabindex: "-1" });
    this.tools = h("div", { class: "tools" }, this.filter(), this.pause());
    this.split = h("div", { class: "split" }, h("section", { class: "list", "aria-label": "Deliveries" }, h("h1", { class: "hidden" }, "Deliveries"), this.tools, this.list.element), this.detail);
    put(main, this.split);
    this.list.start();
  }

  filter() {
    const field = h("input", { type: "search", "aria-label": "Filter by event", "data-key": "/", placeholder: "Filter: push, pull_request", spellcheck: "false" });
    let timer;
    field.addEventListener("input", () => {
      clearTimeout(timer);
      const event = field.value.trim();
      timer = setTimeout(() => this.list.start(event ? `&event=${encodeURIComponent(event)}` : ""), 200);
    });
    return field;
  }

  /** Pauses deliveries in the server. */
  pause() {
    const button = h("button", { type: "button", "aria-pressed": "false", "data-key": "p" }, "Pause");
    const shown = ({ paused }) => {
      button.setAttribute("aria-pressed", paused);
      put(button, paused ? "Resume" : "Pause");
    };
    button.addEventListener("click", () => {
      const paused = button.getAttribute("aria-pressed") !== "true";
      attempt(this.tools, button, async () => {
        shown(await control(this.switch, { method: "PUT", body: { paused } }));
        announce(paused ? "Deliveries are paused" : "Deliveries are sent again");
      });
    });
    control(this.switch).then(shown, () => (button.disabled = true));
    return button;
  }

  async update(route) {
    const [id] = route.rest;
    this.split.classList.toggle("chosen", Boolean(id));
    this.list.mark();
    this.leaving?.abort();
    if (!id) {
      put(this.detail, notice("Select a delivery to see its payload, headers and response."));
      return;
    }
    const { signal } = (this.leaving = new AbortController());
    const address = `${this.base}/${encodeURIComponent(id)}`;
    try {
      const delivery = await control(address, { signal });
      const again = (button) => attempt(this.detail, button, () => this.redeliver(address));
      put(this.detail, h("a", { class: "back", href: to(this.world, "deliveries") }, "← Deliveries"), show(delivery, again));
      if (isPending(delivery)) setTimeout(() => signal.aborted || this.update(route), PENDING_EVERY);
    } catch (failure) {
      if (!isAbandoned(failure)) put(this.detail, notice(failure.message, "failure"));
    }
  }

  async redeliver(address) {
    const made = await control(`${address}/attempts`, { method: "POST" });
    announce("Redelivery requested");
    location.hash = to(this.world, "deliveries", String(made.id));
  }

  close() {
    this.list.close();
    this.leaving?.abort();
  }
}

function row(world, one) {
  return h(
    "a",
    { class: "row delivery", href: to(world, "deliveries", String(one.id)) },
    badge(one),
    h("span", { class: "what" }, summary(one)),
    h("span", { class: "took" }, milliseconds(one.duration_ms)),
    h("small", {}, [one.app, one.redelivery && "redelivery", one.attempt > 1 && `attempt ${one.attempt}`, one.error, timeOfDay(one.created_at)].filter(Boolean).join(" · ")),
  );
}
