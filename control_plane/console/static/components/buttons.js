/** Buttons that do something in the page. */

import { a, button, div } from "../core/elements.js";
import { icon } from "./icon.js";

/** `kind` is a class: `primary`, `danger`, `plain` or `small`. While its work goes on, a click does nothing. */
export function press(words, work, kind = null) {
  let running = null;
  const onclick = () => (running ??= Promise.resolve(work()).finally(() => (running = null)));
  return button({ type: "button", class: kind, onclick }, words);
}

/** Makes something new. */
export const adding = (words, work) => press([icon("plus"), words], work, "primary");

export const small = (words, onclick) => press(words, onclick, "small");

/** A link that looks like a button. */
export const linkButton = (href, words, kind = "", attributes = {}) => a({ href, class: `button ${kind}`, ...attributes }, words);

export const buttons = (...shown) => div({ class: "buttons" }, shown);
