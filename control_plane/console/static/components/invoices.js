/** Invoices and credit notes, as tenants and the operator see them. */

import { dateTime, minorMoney, sentence } from "../core/format.js";
import { badge } from "./badge.js";

export const invoiceColumns = [
  ["Number", (row) => row.invoice_number, "main"],
  ["Kind", ({ kind }) => (kind === "topup" ? "Top-up" : sentence(kind))],
  ["State", ({ status }) => badge(status)],
  ["Date", (row) => dateTime(row.issued_at)],
  ["Total", ({ total_minor: total, currency }) => minorMoney(total, currency), "number"],
];
