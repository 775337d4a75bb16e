/** Saved cards and mandates. */

import { confirmed } from "../../components/dialog.js";
import { report, tell } from "../../components/notices.js";
import { tableOf } from "../../components/table.js";
import { api } from "../../core/api.js";
import { tags } from "../../core/elements.js";
import { dateTime, sentence } from "../../core/format.js";
import { refresh } from "../../core/router.js";
import { mayAdminister } from "../../core/session.js";

const { button, h2, section } = tags;

const nameOf = ({ method_type: type, card_brand: brand, card_last4: last4, upi_vpa: vpa }) =>
  vpa ?? (last4 ? `${sentence(brand ?? "card")} …${last4}` : sentence(type));

async function remove(method) {
  const words = "It is never charged again. Without any, automatic recharge goes off.";
  if (!(await confirmed(`Delete ${nameOf(method)}?`, words, "Delete"))) return;
  try {
    await api.delete(`/v1/billing/payment-methods/${method.id}`);
    await refresh();
    tell("The payment method is deleted");
  } catch (error) {
    report(error);
  }
}

const COLUMNS = [
  { words: "Method", kind: "main", cell: nameOf },
  { words: "Gateway", cell: ({ gateway }) => sentence(gateway) },
  { words: "Charged", cell: ({ is_default: isDefault }) => (isDefault ? "By automatic recharges" : "–") },
  { words: "Saved", cell: ({ created_at: at }) => dateTime(at) },
  {
    words: "",
    kind: "actions",
    cell: (row) => mayAdminister() && button({ type: "button", class: "small", onclick: () => remove(row) }, "Delete"),
  },
];

export const methodList = (methods) =>
  section(
    { class: "sections" },
    h2("Payment methods"),
    tableOf("Payment methods", COLUMNS, methods, "None is saved. A top-up can keep your card."),
  );
