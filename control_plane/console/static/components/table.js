/** A table whose rows become cards on a narrow window. */

import { tags } from "../core/elements.js";
import { buttons } from "./buttons.js";

const { caption, div, p, table, tbody, td, th, thead, tr } = tags;

/**
 * @param columns each `[words, cell, kind]`: `cell(row)` gives a node or text; `kind` is a class.
 * @param empty what is said when there are no rows.
 */
export function tableOf(name, columns, rows, empty) {
  if (!rows.length) return p({ class: "empty" }, empty);
  const body = rows.map((row) =>
    tr(columns.map(([words, cell, kind]) => td({ "data-words": words || null, class: kind }, cell(row)))),
  );
  return div(
    { class: "table" },
    table(
      caption({ class: "hidden-words" }, name),
      thead(tr(columns.map(([words, , kind]) => th({ scope: "col", class: kind }, words)))),
      tbody(body),
    ),
  );
}

/** The last column: what can be done with a row, as `shown(row)` lists it. */
export const actionColumn = (shown) => ["", (row) => buttons(shown(row)), "actions"];
