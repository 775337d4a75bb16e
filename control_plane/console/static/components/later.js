/** A part of a page that may come after the rest. */

import { div, fill } from "../core/elements.js";
import { problemNotice } from "./problem.js";

/** A place that is empty until `node` resolves, or says what went wrong. */
export function later(node) {
  const place = div({ class: "later" });
  node.then(
    (found) => fill(place, found),
    (error) => error.name === "AbortError" || fill(place, problemNotice(error)),
  );
  return place;
}
