/** Buttons that do something in the page. */

import { tags } from "../core/elements.js";

const { a, button, div } = tags;

/** `kind` is a class: `primary`, `danger`, `plain` or `small`. */
export const press = (words, onclick, kind = null) => button({ type: "button", class: kind, onclick }, words);

export const small = (words, onclick) => press(words, onclick, "small");

/** A link that looks like a button. */
export const linkButton = (href, words, kind = "", attributes = {}) => a({ href, class: `button ${kind}`, ...attributes }, words);

export const buttons = (...shown) => div({ class: "buttons" }, shown);
