/** Each movement of credit. A charge leads to its call. */

import { a, dateTime, exactMoney, quiet, sentence, tablePart } from "../../kit.js";

const MOST = 100;

const COLUMNS = [
  [
    "What",
    ({ call_id, description }) => (call_id ? a({ href: `/console/calls/${call_id}` }, description) : description),
    "main",
  ],
  ["Type", (row) => sentence(row.transaction_type)],
  ["When", "created_at", "when", dateTime],
  ["Amount", "amount_usd", "number", exactMoney],
];

export async function transactionSection(get) {
  const { transactions } = await get("/v1/billing/transactions", { limit: MOST });
  const about = quiet(`The newest ${MOST}. Open a call to see the prices behind its charge.`);
  return tablePart("Transactions", COLUMNS, transactions, "Nothing yet.", about);
}
