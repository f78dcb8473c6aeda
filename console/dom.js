// Creates elements without parsing markup: user input only ever becomes text.

const SVG = "http://www.w3.org/2000/svg";

/**
 * Creates an element. Attributes that are functions become listeners; false and null ones are
 * omitted. Children that are not nodes become text.
 *
 * @param {string} tag
 * @param {Record<string, unknown>} [attributes]
 * @param {...unknown} children
 * @returns {HTMLElement}
 */
export function h(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** Creates an SVG element. */
export function svg(tag, attributes, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === false || value === null || value === undefined) continue;
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  append(element, children);
  return element;
}

/** Appends children. Flattens lists and skips null and false. */
export function append(element, children) {
  for (const child of [children].flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : String(child));
  }
}

/** Replaces the children of an element. */
export function put(element, ...children) {
  element.replaceChildren();
  append(element, children);
}

/** Announces a change to screen readers. */
export function announce(text) {
  document.getElementById("announcement").textContent = text;
}

/** A message shown instead of content. */
export function notice(text, kind = "empty") {
  return h("p", { class: kind, role: kind === "failure" ? "alert" : false }, text);
}

/** Lets the arrow keys, j and k select the next or previous row. */
export function enableArrowKeys(list, selector) {
  list.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }[event.key];
    if (!step || event.ctrlKey || event.metaKey || event.altKey) return;
    const rows = [...list.querySelectorAll(selector)];
    const next = rows[rows.indexOf(document.activeElement) + step];
    if (!next) return;
    event.preventDefault();
    next.focus();
    next.click();
  });
}

let tabGroups = 0;

/**
 * Tabs. Selecting a tab creates its panel.
 *
 * @param {string} label
 * @param {[string, () => unknown][]} panels
 */
export function tabs(label, panels) {
  const group = `tabs-${(tabGroups += 1)}`;
  const panel = h("div", { role: "tabpanel", id: `${group}-panel`, tabindex: 0 });
  const bar = h("div", { class: "tabs", role: "tablist", "aria-label": label });
  const choose = (at) => {
    [...bar.children].forEach((tab, index) => {
      tab.setAttribute("aria-selected", index === at);
      tab.tabIndex = index === at ? 0 : -1;
    });
    panel.setAttribute("aria-labelledby", `${group}-${at}`);
    put(panel, panels[at][1]());
  };
  panels.forEach(([name], at) => {
    bar.append(h("button", { role: "tab", id: `${group}-${at}`, type: "button", "aria-controls": panel.id, onclick: () => choose(at) }, name));
  });
  bar.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const at = [...bar.children].indexOf(document.activeElement);
    const next = (at + step + panels.length) % panels.length;
    choose(next);
    bar.children[next].focus();
  });
  choose(0);
  return h("div", {}, bar, panel);
}
