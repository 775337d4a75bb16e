/** Each movement of credit. A charge leads to its call, whose bill shows the prices behind it. */

import { tableOf } from "../../components/table.js";
import { api } from "../../core/api.js";
import { tags } from "../../core/elements.js";
import { dateTime, exactMoney, sentence } from "../../core/format.js";

const { a, h2, p, section } = tags;
const MOST = 100;

const COLUMNS = [
  {
    words: "What",
    kind: "main",
    cell: ({ call_id, description }) => (call_id ? a({ href: `/console/calls/${call_id}` }, description) : description),
  },
  { words: "Type", cell: ({ transaction_type }) => (transaction_type === "topup" ? "Top-up" : sentence(transaction_type)) },
  { words: "When", cell: ({ created_at }) => dateTime(created_at) },
  { words: "Amount", cell: ({ amount_usd }) => exactMoney(amount_usd) },
];

export async function transactionSection(signal) {
  const { transactions } = await api.get("/v1/billing/transactions", { limit: MOST }, signal);
  return section(
    h2("Transactions"),
    p({ class: "quiet" }, `The newest ${MOST}. Open a call to see the prices behind its charge.`),
    tableOf("Transactions", COLUMNS, transactions, "Nothing yet."),
  );
}
