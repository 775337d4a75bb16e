/** Saved cards and mandates. */

import { actIfConfirmed, actionColumn, api, dateTime, mayAdminister, sentence, small, tablePart } from "../../kit.js";

const nameOf = ({ method_type: type, card_brand: brand, card_last4: last4, upi_vpa: vpa }) =>
  vpa ?? (last4 ? `${sentence(brand ?? "card")} …${last4}` : sentence(type));

const remove = (method) =>
  actIfConfirmed(
    [`Delete ${nameOf(method)}?`, "It is never charged again. Without any, automatic recharge goes off.", "Delete"],
    () => api.delete(`/v1/billing/payment-methods/${method.id}`),
    "The payment method is deleted",
  );

const COLUMNS = [
  ["Method", nameOf, "main"],
  ["Gateway", ({ gateway }) => sentence(gateway)],
  ["Charged", ({ is_default: isDefault }) => (isDefault ? "By automatic recharges" : "–")],
  ["Saved", "created_at", "when", dateTime],
  actionColumn((row) => mayAdminister() && small("Delete", () => remove(row))),
];

/** @param mayPay whether the person can make a top-up here. */
export const methodList = (methods, mayPay) =>
  tablePart("Payment methods", COLUMNS, methods, mayPay ? "None is saved. A top-up can keep your card." : "None is saved.");
