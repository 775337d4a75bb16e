/** Invoices and credit notes, with their PDFs. */

import { badge } from "../../components/badge.js";
import { growingList } from "../../components/more.js";
import { tableOf } from "../../components/table.js";
import { api } from "../../core/api.js";
import { tags } from "../../core/elements.js";
import { dateTime, sentence } from "../../core/format.js";

const { a, h2, section } = tags;
const MINOR_UNITS = 100;

const COLUMNS = [
  { words: "Number", kind: "main", cell: (row) => row.invoice_number },
  { words: "Kind", cell: ({ kind }) => (kind === "topup" ? "Top-up" : sentence(kind)) },
  { words: "State", cell: ({ status }) => badge(status) },
  { words: "Date", cell: (row) => dateTime(row.issued_at) },
  {
    words: "Total",
    kind: "number",
    cell: ({ total_minor: total, currency }) =>
      (total / MINOR_UNITS).toLocaleString(undefined, { style: "currency", currency }),
  },
  {
    words: "",
    kind: "actions",
    cell: (row) =>
      a({ href: `/v1/billing/invoices/${row.id}/pdf`, download: `${row.invoice_number}.pdf`, class: "button small" }, "PDF"),
  },
];

export async function invoiceList(signal) {
  const load = async (cursor) => {
    const { invoices, next_cursor: next } = await api.get("/v1/billing/invoices", { cursor }, signal);
    return { rows: invoices, next };
  };
  const show = (rows) => tableOf("Invoices", COLUMNS, rows, "There are none yet. Each top-up makes one.");
  return section({ class: "sections" }, h2("Invoices"), await growingList(load, show));
}
