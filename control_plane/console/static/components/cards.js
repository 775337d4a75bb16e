/** Headings and parts of pages. */

import { div, h1, h2, p, section, tags } from "../core/elements.js";

const { dd, dl, dt, header } = tags;

/** The heading of a page, with what can be done on the whole page. */
export const pageHead = (title, { about = null, actions = [] } = {}) =>
  header(
    { class: "page-head" },
    div(h1({ dir: "auto" }, title), about && p({ class: "quiet" }, about)),
    div({ class: "buttons" }, actions),
  );

export const quiet = (...words) => p({ class: "quiet" }, words);

export const hint = (...words) => p({ class: "hint" }, words);

/** A heading, and what stands at the other end of its line. */
export const headWith = (heading, beside) => div({ class: "card-head" }, heading, beside);

export const card = (title, ...content) => section({ class: "card" }, h2(title), content);

export const cardWith = (title, beside, ...content) => section({ class: "card" }, headWith(h2(title), beside), content);

/** A part of a page without a box around it. */
export const part = (title, ...content) => section({ class: "sections" }, h2(title), content);

export const partWith = (title, beside, ...content) => section({ class: "sections" }, headWith(h2(title), beside), content);

export const parts = (...content) => div({ class: "sections" }, content);

/** Terms with their values, each `[term, value, class]`; what is false is left out. */
export const facts = (shown) =>
  dl({ class: "facts" }, shown.filter(Boolean).map(([term, value, kind]) => [dt({ class: kind }, term), dd({ class: kind }, value)]));

/** A term, its value in large, and the class `text` if that is no number. */
export const figures = (shown) =>
  dl({ class: "figures" }, shown.map(([term, value, kind]) => div(dt(term), dd({ class: kind }, value))));
