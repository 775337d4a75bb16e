/** Tables of lists that the API gives page by page. */

import { div, fill } from "../core/elements.js";
import { buttons, press } from "./buttons.js";
import { problemNotice } from "./problem.js";
import { tableOf } from "./table.js";

const PAGE_SIZE = 50;

/** What to ask the next page with, whichever way the list is paged; `null` at the end. */
function following(answer, offset, rows) {
  if ("next_cursor" in answer) return answer.next_cursor && { cursor: answer.next_cursor };
  const reached = offset + rows.length;
  return rows.length && reached < answer.total ? { offset: reached } : null;
}

/**
 * A table that grows by a button.
 *
 * @param columns as in table.js, or a function that gives them for the rows so far.
 * @param list the name of the rows in the API's answer, by default the last part of `path`.
 * @param get asks the API, as a page's own does.
 */
export async function pagedTable(name, columns, { path, list = path.split("/").pop(), query = {}, empty, get }) {
  const place = div();
  const foot = buttons();
  const rows = [];
  let next = {};

  async function grow() {
    try {
      const answer = await get(path, { limit: PAGE_SIZE, ...query, ...next });
      rows.push(...answer[list]);
      next = following(answer, next.offset ?? 0, answer[list]);
      fill(place, tableOf(name, typeof columns === "function" ? columns(rows) : columns, rows, empty));
      fill(foot, next && press("Show more", grow));
    } catch (error) {
      fill(foot, problemNotice(error, grow));
    }
  }

  await grow();
  return div(place, foot);
}
