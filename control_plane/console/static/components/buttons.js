/** Buttons that do something in the page. */

import { a, button, div } from "../core/elements.js";
import { icon } from "./icon.js";

/** `work`, which is not begun again while it goes on. */
export function oneAtATime(work) {
  let running = null;
  return () => (running ??= Promise.resolve(work()).finally(() => (running = null)));
}

/** `kind` is a class: `primary`, `danger`, `plain` or `small`. While its work goes on, a click does nothing. */
export const press = (words, work, kind = null) => button({ type: "button", class: kind, onclick: oneAtATime(work) }, words);

/** Makes something new. */
export const adding = (words, work) => press([icon("plus"), words], work, "primary");

export const small = (words, onclick) => press(words, onclick, "small");

/** A link that looks like a button. */
export const linkButton = (href, words, kind = "", attributes = {}) => a({ href, class: `button ${kind}`, ...attributes }, words);

export const buttons = (...shown) => div({ class: "buttons" }, shown);
