/** All agents of the tenant. */

import { actionColumn, ago, icon, pagedTable, pageHead, tags } from "../../kit.js";

const { a } = tags;

const COLUMNS = [
  ["Name", (row) => a({ href: `/console/agents/${row.id}` }, row.name), "main"],
  ["Language", (row) => row.language],
  ["Model", (row) => (row.agent_kind === "managed" ? "Managed" : (row.llm_model ?? "Automatic"))],
  ["Voice", (row) => row.voice],
  ["Created", (row) => ago(row.created_at), "when"],
  actionColumn((row) => a({ href: `/console/agents/${row.id}/talk`, class: "button small" }, icon("talk"), "Talk")),
];

export const page = async ({ signal }) => [
  pageHead("Agents", {
    actions: a({ href: "/console/agents/new", class: "button primary" }, icon("plus"), "New agent"),
  }),
  await pagedTable("Agents", COLUMNS, {
    path: "/v1/agents",
    list: "agents",
    empty: "No agents yet. Describe one in a sentence, and it is ready to talk to.",
    signal,
  }),
];
