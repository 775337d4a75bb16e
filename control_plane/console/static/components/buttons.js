/** Buttons that do something in the page. */

import { tags } from "../core/elements.js";

const { a, button, div } = tags;

/** `kind` is a class: `primary`, `danger`, `plain` or `small`. While its work goes on, a click does nothing. */
export function press(words, work, kind = null) {
  let running = null;
  const onclick = () => (running ??= Promise.resolve(work()).finally(() => (running = null)));
  return button({ type: "button", class: kind, onclick }, words);
}

export const small = (words, onclick) => press(words, onclick, "small");

/** A link that looks like a button. */
export const linkButton = (href, words, kind = "", attributes = {}) => a({ href, class: `button ${kind}`, ...attributes }, words);

export const buttons = (...shown) => div({ class: "buttons" }, shown);
