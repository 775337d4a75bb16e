/** Models and managed agents that tenants can choose, each of which can be switched off. */

import { act, actionColumn, badge, part, small, tableOf } from "../../kit.js";
import { operatorApi } from "./operator_api.js";

const toggle = (path, key) => actionColumn((row) =>
  small(row.is_active ? "Switch off" : "Switch on", () =>
    act(() => operatorApi.patch(path, { ...key(row), is_active: !row.is_active })),
  ),
);

const STATE = ["State", ({ is_active: isActive }) => badge(isActive ? "verified" : "none", isActive ? "Offered" : "Off")];

const MODEL_COLUMNS = [
  ["Model", (row) => row.label, "main"],
  ["Provider", (row) => row.provider_name],
  ["Id", (row) => row.model, "long"],
  ["Channels", (row) => row.channels.join(", ")],
  STATE,
  toggle("/catalogue/models", ({ provider, model }) => ({ provider, model })),
];

const SKU_COLUMNS = [
  ["Managed agent", (row) => row.label, "main"],
  ["Id", (row) => row.id, "long"],
  STATE,
  toggle("/catalogue/skus", ({ id }) => ({ id })),
];

const byProvider = (one, other) => one.provider_name.localeCompare(other.provider_name) || one.label.localeCompare(other.label);

export async function tab({ signal }) {
  const [{ models }, { skus }] = await Promise.all([
    operatorApi.get("/catalogue/models", {}, signal),
    operatorApi.get("/catalogue/skus", {}, signal),
  ]);
  return [
    part("Models", tableOf("Models", MODEL_COLUMNS, models.sort(byProvider), "No models.")),
    part("Managed agents", tableOf("Managed agents", SKU_COLUMNS, skus, "No managed agents.")),
  ];
}
