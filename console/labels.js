// The labels of issues and pull requests, in their own colours.

import { h } from "./dom.js";

/** The labels, each as a tag; empty if there are none. */
export function labels({ labels: given }) {
  return (given ?? []).map((one) => [tag(one), " "]);
}

/** Only a valid colour becomes one: everything in a label is text that somebody entered. */
function tag({ name, color, description }) {
  const made = h("span", { class: "tag", title: description || false }, name);
  if (!/^[0-9a-f]{6}$/i.test(color ?? "")) return made;
  made.classList.add("label", luminance(color) > 0.18 ? "on-light" : "on-dark");
  made.style.setProperty("--label", `#${color}`);
  return made;
}

/**
 * The relative luminance of WCAG, from 0 to 1. Above about 0.18, black text has more contrast than
 * white text, and either has at least 4.5 with the better one.
 */
function luminance(color) {
  const [red, green, blue] = [0, 2, 4].map((at) => {
    const part = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
