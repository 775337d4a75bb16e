/** Who has changed what. */

import { textField } from "../../components/fields.js";
import { growingList } from "../../components/more.js";
import { pageHead } from "../../components/page_head.js";
import { tableOf } from "../../components/table.js";
import { api } from "../../core/api.js";
import { tags } from "../../core/elements.js";
import { dateTime } from "../../core/format.js";
import { navigate } from "../../core/router.js";

const { code, details, div, pre, summary } = tags;
const PAGE_SIZE = 50;

function changes(entry) {
  const told = Object.keys(entry.changes).length;
  return told ? details(summary("Show"), pre(JSON.stringify(entry.changes, null, 2))) : "–";
}

const COLUMNS = [
  { words: "Action", kind: "main", cell: (row) => code(row.action) },
  { words: "When", kind: "when", cell: (row) => dateTime(row.created_at) },
  { words: "Who", cell: (row) => row.actor_label },
  { words: "Address", cell: (row) => row.address ?? "–" },
  { words: "What", kind: "long", cell: (row) => row.target_id ?? "–" },
  { words: "Changes", kind: "long", cell: changes },
];

export async function page({ query, signal }) {
  const action = query.get("action");
  const filter = textField("action", "Action", { hint: "For example: agent.published", type: "search" });
  filter.set(action);
  const search = (event) => {
    event.preventDefault();
    const wanted = filter.value().trim();
    navigate(wanted ? `/console/audit-log?${new URLSearchParams({ action: wanted })}` : "/console/audit-log");
  };
  const load = async (offset) => {
    const asked = { limit: PAGE_SIZE, offset: offset ?? 0, action };
    const { entries, total } = await api.get("/v1/audit-log", asked, signal);
    const reached = asked.offset + entries.length;
    return { rows: entries, next: reached < total && entries.length ? reached : null };
  };
  return [
    pageHead("Audit log"),
    div({ class: "row filters", onchange: search }, filter.node),
    await growingList(load, (rows) => tableOf("Audit log", COLUMNS, rows, "Nothing here.")),
  ];
}
