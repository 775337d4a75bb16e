/** Models and managed agents that tenants can choose, each of which can be switched off. */

import { badge } from "../../components/badge.js";
import { report } from "../../components/notices.js";
import { tableOf } from "../../components/table.js";
import { tags } from "../../core/elements.js";
import { refresh } from "../../core/router.js";
import { operatorApi } from "./operator_api.js";

const { button, h2, section } = tags;

function toggle(path, key, row) {
  const turn = async () => {
    try {
      await operatorApi.patch(path, { ...key(row), is_active: !row.is_active });
      await refresh();
    } catch (error) {
      report(error);
    }
  };
  return button({ type: "button", class: "small", onclick: turn }, row.is_active ? "Switch off" : "Switch on");
}

const state = ({ is_active: isActive }) => badge(isActive ? "verified" : "none", isActive ? "Offered" : "Off");

const MODEL_COLUMNS = [
  { words: "Model", kind: "main", cell: (row) => row.label },
  { words: "Provider", cell: (row) => row.provider_name },
  { words: "Id", kind: "long", cell: (row) => row.model },
  { words: "Channels", cell: (row) => row.channels.join(", ") },
  { words: "State", cell: state },
  {
    words: "",
    kind: "actions",
    cell: (row) => toggle("/catalogue/models", ({ provider, model }) => ({ provider, model }), row),
  },
];

const SKU_COLUMNS = [
  { words: "Managed agent", kind: "main", cell: (row) => row.label },
  { words: "Id", kind: "long", cell: (row) => row.id },
  { words: "State", cell: state },
  { words: "", kind: "actions", cell: (row) => toggle("/catalogue/skus", ({ id }) => ({ id }), row) },
];

const byProvider = (one, other) => one.provider_name.localeCompare(other.provider_name) || one.label.localeCompare(other.label);

export async function tab({ signal }) {
  const [{ models }, { skus }] = await Promise.all([
    operatorApi.get("/catalogue/models", {}, signal),
    operatorApi.get("/catalogue/skus", {}, signal),
  ]);
  return [
    section({ class: "sections" }, h2("Models"), tableOf("Models", MODEL_COLUMNS, models.sort(byProvider), "No models.")),
    section({ class: "sections" }, h2("Managed agents"), tableOf("Managed agents", SKU_COLUMNS, skus, "No managed agents.")),
  ];
}
