/** The heading of a page, with what can be done on the whole page. */

import { tags } from "../core/elements.js";

const { div, h1, header, p } = tags;

export const pageHead = (title, { about = null, actions = [] } = {}) =>
  header(
    { class: "page-head" },
    div(h1(title), about && p({ class: "quiet" }, about)),
    div({ class: "buttons" }, actions),
  );
