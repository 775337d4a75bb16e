/** The invoices of all tenants or of one, and taking one back. */

import { actionColumn, filters, formDialog, invoiceColumns, pagedTable, part, small, textField } from "../../kit.js";
import { operatorApi } from "./operator_api.js";

const voidInvoice = ({ id, invoice_number: number }) =>
  formDialog(`Void ${number}?`, {
    about: "A credit note takes it back. No money and no credit moves: refund a payment at its gateway.",
    fields: [textField("reason", "Why", { maxlength: 500, hint: "Stands on the credit note." })],
    send: (given) => operatorApi.post(`/invoices/${id}/void`, given),
    words: "Void it",
    kind: "danger",
    told: ({ credit_note_number: note }) => (note ? `${number} is voided by ${note}` : `${number} is voided`),
  });

const COLUMNS = [
  ...invoiceColumns,
  ["Tenant", "tenant_id", "long"],
  actionColumn((row) => row.status === "paid" && small("Void", () => voidInvoice(row))),
];

export async function tab({ query, get }) {
  const tenant = textField("tenant_id", "Tenant's id", { type: "search", required: false });
  const [row, asked] = filters([tenant], query);
  return part("Invoices", row, await pagedTable("Invoices", COLUMNS, { path: "/invoices", query: asked, empty: "No invoices.", get }));
}
