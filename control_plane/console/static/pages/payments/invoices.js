/** Invoices and credit notes, with their PDFs. */

import { actionColumn, badge, dateTime, minorMoney, pagedTable, part, sentence, tags } from "../../kit.js";

const { a } = tags;

const COLUMNS = [
  ["Number", (row) => row.invoice_number, "main"],
  ["Kind", ({ kind }) => (kind === "topup" ? "Top-up" : sentence(kind))],
  ["State", ({ status }) => badge(status)],
  ["Date", (row) => dateTime(row.issued_at)],
  ["Total", ({ total_minor: total, currency }) => minorMoney(total, currency), "number"],
  actionColumn(({ id, invoice_number: number }) =>
    a({ href: `/v1/billing/invoices/${id}/pdf`, download: `${number}.pdf`, class: "button small" }, "PDF"),
  ),
];

export const invoiceList = async (signal) =>
  part(
    "Invoices",
    await pagedTable("Invoices", COLUMNS, {
      path: "/v1/billing/invoices",
      list: "invoices",
      empty: "There are none yet. Each top-up makes one.",
      signal,
    }),
  );
