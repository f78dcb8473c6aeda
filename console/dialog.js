// Dialogs. They are native, so the browser traps the focus and closes them with Escape.

import { h, notice } from "./dom.js";

/**
 * Opens a dialog. `fill` gets the container for its content and a function that closes it.
 *
 * @param {string} title
 * @param {(container: HTMLElement, close: () => void) => void} fill
 */
export function open(title, fill) {
  const container = h("div");
  const dialog = h("dialog", { "aria-label": title });
  const close = () => dialog.close();
  dialog.append(h("div", { class: "top" }, h("h2", {}, title), h("button", { type: "button", class: "icon", "aria-label": "Close", onclick: close }, "✕")), container);
  dialog.addEventListener("close", () => dialog.remove());
  dialog.addEventListener("click", (event) => event.target === dialog && close());
  document.body.append(dialog);
  fill(container, close);
  dialog.showModal();
  return dialog;
}

/** Asks for confirmation before an action that cannot be undone. */
export function confirm(title, text, verb, act) {
  open(title, (container, close) => {
    const button = h("button", { type: "button", class: "primary" }, verb);
    button.addEventListener("click", () => attempt(container, button, async () => (await act(), close())));
    container.append(h("p", {}, text), h("div", { class: "end" }, h("button", { type: "button", onclick: close, autofocus: true }, "Cancel"), button));
  });
}

/** Runs an action with the button disabled, and shows its error if it fails. */
export async function attempt(container, button, act) {
  container.querySelector(":scope > .failure")?.remove();
  if (button) button.disabled = true;
  try {
    await act();
  } catch (failure) {
    container.append(notice(failure.message, "failure"));
  }
  if (button) button.disabled = false;
}

/** A labelled field of a form. */
export function field(label, control) {
  return h("label", { class: "field" }, label, control);
}

/** A form that calls `send` with its data on submit. */
export function form(kind, fields, verb, send) {
  const button = h("button", { class: "primary" }, verb);
  const element = h("form", { class: kind }, fields, button);
  element.addEventListener("submit", (event) => {
    event.preventDefault();
    attempt(element.parentElement, button, () => send(new FormData(element), element));
  });
  return element;
}
