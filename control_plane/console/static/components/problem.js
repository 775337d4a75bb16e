/** What went wrong, where a page's content would stand. */

import { tags } from "../core/elements.js";

const { button, div, p } = tags;

/** `again`, if given, is offered as a button. */
export function problemNotice(error, again = null) {
  return div(
    { class: "trouble", role: "alert" },
    p(error.message),
    again && button({ type: "button", onclick: again }, "Try again"),
  );
}
