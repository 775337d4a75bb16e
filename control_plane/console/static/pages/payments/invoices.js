/** Invoices and credit notes, with their PDFs. */

import { actionColumn, invoiceColumns, pagedTable, part, tags } from "../../kit.js";

const { a } = tags;

const COLUMNS = [
  ...invoiceColumns,
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
