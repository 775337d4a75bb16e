/** Invoices and credit notes, as tenants and the operator see them. */

import { dateTime, minorMoney, sentence } from "../core/format.js";
import { badge } from "./badge.js";

export const invoiceColumns = [
  ["Number", "invoice_number", "main"],
  ["Kind", (row) => sentence(row.kind)],
  ["State", ({ status }) => badge(status)],
  ["Date", "issued_at", "when", dateTime],
  ["Total", ({ total_minor: total, currency }) => minorMoney(total, currency), "number"],
];
