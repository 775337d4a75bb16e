/** Models and managed agents that tenants can choose, and their switches. */

import { act, actionColumn, badge, small, tablePart } from "../../kit.js";
import { operatorApi } from "./operator_api.js";

const toggle = (path, key) => actionColumn((row) =>
  small(row.is_active ? "Switch off" : "Switch on", () =>
    act(() => operatorApi.patch(path, { ...key(row), is_active: !row.is_active })),
  ),
);

const STATE = ["State", ({ is_active: isActive }) => badge(isActive ? "verified" : "none", isActive ? "Offered" : "Off")];

const MODEL_COLUMNS = [
  ["Model", "label", "main"],
  ["Provider", "provider_name"],
  ["Id", "model", "long"],
  ["Channels", (row) => row.channels.join(", ")],
  STATE,
  toggle("/catalogue/models", ({ provider, model }) => ({ provider, model })),
];

const SKU_COLUMNS = [
  ["Managed agent", "label", "main"],
  ["Id", "id", "long"],
  STATE,
  toggle("/catalogue/skus", ({ id }) => ({ id })),
];

const byProvider = (one, other) => one.provider_name.localeCompare(other.provider_name) || one.label.localeCompare(other.label);

export async function tab({ get }) {
  const [{ models }, { skus }] = await Promise.all([
    get("/catalogue/models"),
    get("/catalogue/skus"),
  ]);
  return [
    tablePart("Models", MODEL_COLUMNS, models.sort(byProvider), "No models."),
    tablePart("Managed agents", SKU_COLUMNS, skus, "No managed agents."),
  ];
}
