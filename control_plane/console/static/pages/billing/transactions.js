/** Each movement of credit. A charge leads to its call. */

import { api, dateTime, exactMoney, part, quiet, sentence, tableOf, tags } from "../../kit.js";

const MOST = 100;

const COLUMNS = [
  [
    "What",
    ({ call_id, description }) => (call_id ? tags.a({ href: `/console/calls/${call_id}` }, description) : description),
    "main",
  ],
  ["Type", (row) => sentence(row.transaction_type)],
  ["When", "created_at", "when", dateTime],
  ["Amount", "amount_usd", "number", exactMoney],
];

export async function transactionSection(signal) {
  const { transactions } = await api.get("/v1/billing/transactions", { limit: MOST }, signal);
  return part(
    "Transactions",
    quiet(`The newest ${MOST}. Open a call to see the prices behind its charge.`),
    tableOf("Transactions", COLUMNS, transactions, "Nothing yet."),
  );
}
