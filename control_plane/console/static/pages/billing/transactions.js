/** Each movement of credit. A charge leads to its call, whose bill shows the prices behind it. */

import { api, dateTime, exactMoney, part, quiet, sentence, tableOf, tags } from "../../kit.js";

const { a } = tags;
const MOST = 100;

const COLUMNS = [
  [
    "What",
    ({ call_id, description }) => (call_id ? a({ href: `/console/calls/${call_id}` }, description) : description),
    "main",
  ],
  ["Type", ({ transaction_type }) => (transaction_type === "topup" ? "Top-up" : sentence(transaction_type))],
  ["When", ({ created_at }) => dateTime(created_at)],
  ["Amount", ({ amount_usd }) => exactMoney(amount_usd)],
];

export async function transactionSection(signal) {
  const { transactions } = await api.get("/v1/billing/transactions", { limit: MOST }, signal);
  return part(
    "Transactions",
    quiet(`The newest ${MOST}. Open a call to see the prices behind its charge.`),
    tableOf("Transactions", COLUMNS, transactions, "Nothing yet."),
  );
}
