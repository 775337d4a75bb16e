/** Invoices and credit notes, with PDFs. */

import { actionColumn, invoiceColumns, linkButton, pagedTable, part } from "../../kit.js";

const COLUMNS = [
  ...invoiceColumns,
  actionColumn(({ id, invoice_number: number }) =>
    linkButton(`/v1/billing/invoices/${id}/pdf`, "PDF", "small", { download: `${number}.pdf` }),
  ),
];

export const invoiceList = async (get) =>
  part(
    "Invoices",
    await pagedTable("Invoices", COLUMNS, {
      path: "/v1/billing/invoices",
      empty: "None yet. Each top-up and plan month makes one.",
      get,
    }),
  );
