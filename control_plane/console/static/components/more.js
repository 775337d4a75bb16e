/** Lists that the API gives page by page. */

import { fill, tags } from "../core/elements.js";
import { problemNotice } from "./problem.js";

const { button, div } = tags;

/**
 * A list that grows by a button.
 *
 * @param load gets what `load` gave as `next` before, `null` at first; resolves to
 *     `{ rows, next }`, with `next: null` at the end.
 * @param show makes the list's node of all rows so far.
 */
export async function growingList(load, show) {
  const place = div();
  const foot = div({ class: "buttons" });
  const rows = [];
  let next = null;

  async function grow() {
    try {
      const loaded = await load(next);
      rows.push(...loaded.rows);
      next = loaded.next;
      fill(place, show(rows));
      fill(foot, next !== null && button({ type: "button", onclick: grow }, "Show more"));
    } catch (error) {
      fill(foot, problemNotice(error, grow));
    }
  }

  await grow();
  return div(place, foot);
}
