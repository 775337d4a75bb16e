/** Buttons that do something in the page. */

import { tags } from "../core/elements.js";

const { button, div } = tags;

/** `kind` is a class: `primary`, `danger`, `plain` or `small`. */
export const press = (words, onclick, kind = null) => button({ type: "button", class: kind, onclick }, words);

export const small = (words, onclick) => press(words, onclick, "small");

export const buttons = (...shown) => div({ class: "buttons" }, shown);
