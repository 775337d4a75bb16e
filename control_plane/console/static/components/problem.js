/** What went wrong, where a page's content would stand. */

import { div, p } from "../core/elements.js";
import { press } from "./buttons.js";

/** `again`, if given, is offered as a button. */
export const problemNotice = (error, again = null) =>
  div({ class: "trouble", role: "alert" }, p(error.message), again && press("Try again", again));
