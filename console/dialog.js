// Dialogs: the browser's own, which keep the focus and close with Escape.

import { h, notice } from "./dom.js";

/**
 * Opens a dialog. `fill` gets the place for its content and a function that closes it.
 *
 * @param {string} title
 * @param {(place: HTMLElement, close: () => void) => void} fill
 */
export function open(title, fill) {
  const place = h("div");
  const dialog = h("dialog", { "aria-label": title });
  const close = () => dialog.close();
  dialog.append(h("div", { class: "top" }, h("h2", {}, title), h("button", { type: "button", class: "icon", "aria-label": "Close", onclick: close }, "✕")), place);
  dialog.addEventListener("close", () => dialog.remove());
  dialog.addEventListener("click", (event) => event.target === dialog && close());
  document.body.append(dialog);
  fill(place, close);
  dialog.showModal();
  return dialog;
}

/** Asks before something that cannot be undone. */
export function confirm(title, text, verb, act) {
  open(title, (place, close) => {
    const button = h("button", { type: "button", class: "primary" }, verb);
    button.addEventListener("click", () => attempt(place, button, async () => (await act(), close())));
    place.append(h("p", {}, text), h("div", { class: "end" }, h("button", { type: "button", onclick: close, autofocus: true }, "Cancel"), button));
  });
}

/** Does something, with the button disabled meanwhile, and says what went wrong. */
export async function attempt(place, button, act) {
  place.querySelector(":scope > .failure")?.remove();
  if (button) button.disabled = true;
  try {
    await act();
  } catch (failure) {
    place.append(notice(failure.message, "failure"));
  }
  if (button) button.disabled = false;
}

/** A labelled field of a form. */
export function field(label, control) {
  return h("label", { class: "field" }, label, control);
}

/** A form that sends what its fields hold. */
export function form(kind, fields, verb, send) {
  const button = h("button", { class: "primary" }, verb);
  const made = h("form", { class: kind }, fields, button);
  made.addEventListener("submit", (event) => {
    event.preventDefault();
    attempt(made.parentElement, button, () => send(new FormData(made), made));
  });
  return made;
}
