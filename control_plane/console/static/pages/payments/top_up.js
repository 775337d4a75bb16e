/** Adding credit: an amount, and where the bill goes. */

import { checkField, numberField, textField } from "../../components/fields.js";
import { formOf } from "../../components/form.js";
import { openDialog } from "../../components/dialog.js";
import { api } from "../../core/api.js";
import { tags } from "../../core/elements.js";
import { money } from "../../core/format.js";

const { button, code, div, h2, p, section } = tags;
const CENTS = 100;

const inMinorUnits = (minor, currency) =>
  (minor / CENTS).toLocaleString(undefined, { style: "currency", currency });

/** Razorpay's checkout opens in a page of the tenant's own: no foreign script runs in the console. */
function showOrder({ razorpay, total_minor: total, currency }) {
  return openDialog("The order is made", (close) => [
    p(`Razorpay waits for ${inMinorUnits(total, currency)}. Open its checkout in your own page with this order:`),
    p(code(razorpay.order_id)),
    div({ class: "buttons" }, button({ type: "button", onclick: () => close() }, "Close")),
  ]);
}

async function pay(given) {
  const key = crypto.randomUUID();
  const begun = await api.post("/v1/billing/checkout/start", given, { headers: { "Idempotency-Key": key } });
  if (begun.checkout_url) location.assign(begun.checkout_url);
  else await showOrder(begun);
}

function packButtons(packs, amount) {
  const words = ({ price_cents: price, bonus_cents: bonus }) =>
    bonus ? `${money(price / CENTS)} + ${money(bonus / CENTS)} bonus` : money(price / CENTS);
  return div(
    { class: "buttons" },
    packs.map((pack) =>
      button({ type: "button", class: "small", onclick: () => amount.set(pack.price_cents / CENTS) }, words(pack)),
    ),
  );
}

export function topUp(packs) {
  const amount = numberField("pack_usd", "US dollars", { min: 0.01, required: true });
  amount.set(20);
  const fields = [
    amount,
    textField("billing_country", "Country", { hint: "Two letters, such as DE. It decides about the taxes.", mayBeNull: true, maxlength: 2 }),
    textField("tax_id", "Tax number", { hint: "Stands on your invoices.", mayBeNull: true, maxlength: 50 }),
    checkField("save_card", "Keep my card for automatic recharges"),
  ];
  return section(
    { class: "card" },
    h2("Top up"),
    packs.length > 0 && packButtons(packs, amount),
    formOf(fields, pay, { words: "Go to the payment" }),
  );
}
