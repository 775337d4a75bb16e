/** All agents of the tenant. */

import { a, actionColumn, ago, icon, linkButton, pagedTable, pageHead } from "../../kit.js";

const COLUMNS = [
  ["Name", (row) => a({ href: `/console/agents/${row.id}` }, row.name), "main"],
  ["Language", "language"],
  ["Model", (row) => (row.agent_kind === "managed" ? "Managed" : (row.llm_model ?? "Automatic"))],
  ["Voice", "voice"],
  ["Created", "created_at", "when", ago],
  actionColumn((row) => linkButton(`/console/agents/${row.id}/talk`, [icon("talk"), "Talk"], "small")),
];

export const page = async ({ get }) => [
  pageHead("Agents", {
    actions: linkButton("/console/agents/new", [icon("plus"), "New agent"], "primary"),
  }),
  await pagedTable("Agents", COLUMNS, {
    path: "/v1/agents",
    empty: "No agents yet. Describe one in a sentence, and it is ready to talk to.",
    get,
  }),
];
