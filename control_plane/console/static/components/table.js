/** A table whose rows become cards on a narrow window. */

import { div, p, tags } from "../core/elements.js";
import { buttons } from "./buttons.js";
import { part } from "./cards.js";

const { caption, table, tbody, td, th, thead, tr } = tags;

const content = (row, cell, shown = (value) => value ?? "–") => (typeof cell === "function" ? cell(row) : shown(row[cell]));

/**
 * @param columns each `[words, cell, kind, shown]`: `cell(row)` gives a node or text, or `cell` is the name of a
 *   field, whose value `shown` formats; `kind` is a class.
 * @param empty what is said when there are no rows.
 */
export function tableOf(name, columns, rows, empty) {
  if (!rows.length) return p({ class: "empty" }, empty);
  const body = rows.map((row) =>
    tr(columns.map(([words, cell, kind, shown]) => td({ "data-words": words || null, class: kind }, content(row, cell, shown)))),
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

/** A table under its name, and what stands between them. */
export const tablePart = (name, columns, rows, empty, ...above) => part(name, above, tableOf(name, columns, rows, empty));

/** The last column: what can be done with a row, as `shown(row)` lists it. */
export const actionColumn = (shown) => ["", (row) => buttons(shown(row)), "actions"];
