/** Adding credit: an amount, and where the bill goes. */

import {
  api, buttons, card, checkField, formOf, minorMoney, numberField, showDialog, small, tags, textField,
} from "../../kit.js";

const { code, p } = tags;
const CENTS = 100;

/** Razorpay's checkout opens in a page of the tenant's own: no foreign script runs in the console. */
const showOrder = ({ razorpay, total_minor: total, currency }) =>
  showDialog(
    "The order is made",
    p(`Razorpay waits for ${minorMoney(total, currency)}. Open its checkout in your own page with this order:`),
    p(code(razorpay.order_id)),
  );

async function pay(given) {
  const key = crypto.randomUUID();
  const begun = await api.post("/v1/billing/checkout/start", given, { headers: { "Idempotency-Key": key } });
  if (begun.checkout_url) location.assign(begun.checkout_url);
  else await showOrder(begun);
}

function packButtons(packs, amount) {
  const words = ({ price_cents: price, bonus_cents: bonus }) => minorMoney(price) + (bonus ? ` + ${minorMoney(bonus)} bonus` : "");
  return buttons(packs.map((pack) => small(words(pack), () => amount.set(pack.price_cents / CENTS))));
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
  return card(
    "Top up",
    packs.length > 0 && packButtons(packs, amount),
    formOf(fields, pay, { words: "Go to the payment" }),
  );
}
