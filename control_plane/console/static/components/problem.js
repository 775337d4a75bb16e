/** What went wrong, where a page's content would stand. */

import { tags } from "../core/elements.js";
import { press } from "./buttons.js";

/** `again`, if given, is offered as a button. */
export const problemNotice = (error, again = null) =>
  tags.div({ class: "trouble", role: "alert" }, tags.p(error.message), again && press("Try again", again));
