/** All agents of the tenant. */

import { icon } from "../../components/icon.js";
import { growingList } from "../../components/more.js";
import { pageHead } from "../../components/page_head.js";
import { tableOf } from "../../components/table.js";
import { api } from "../../core/api.js";
import { tags } from "../../core/elements.js";
import { ago } from "../../core/format.js";

const { a } = tags;
const PAGE_SIZE = 50;

const COLUMNS = [
  { words: "Name", kind: "main", cell: (row) => a({ href: `/console/agents/${row.id}` }, row.name) },
  { words: "Language", cell: (row) => row.language },
  {
    words: "Model",
    cell: (row) => (row.agent_kind === "managed" ? "Managed" : (row.llm_model ?? "Automatic")),
  },
  { words: "Voice", cell: (row) => row.voice },
  { words: "Created", kind: "when", cell: (row) => ago(row.created_at) },
  {
    words: "",
    kind: "actions",
    cell: (row) => a({ href: `/console/agents/${row.id}/talk`, class: "button small" }, icon("talk"), "Talk"),
  },
];

export async function page({ signal }) {
  const load = async (offset) => {
    const query = { limit: PAGE_SIZE, offset: offset ?? 0 };
    const { agents, total } = await api.get("/v1/agents", query, signal);
    const reached = query.offset + agents.length;
    return { rows: agents, next: reached < total && agents.length ? reached : null };
  };
  const empty = "No agents yet. Describe one in a sentence, and it is ready to talk to.";
  return [
    pageHead("Agents", {
      actions: a({ href: "/console/agents/new", class: "button primary" }, icon("plus"), "New agent"),
    }),
    await growingList(load, (rows) => tableOf("Agents", COLUMNS, rows, empty)),
  ];
}
