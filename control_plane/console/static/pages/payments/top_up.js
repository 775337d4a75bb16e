/** Adding credit: an amount, and where the bill goes. */

import { buttons, card, checkField, formOf, minorMoney, numberField, small, textField } from "../../kit.js";
import { payAtGateway } from "./gateway.js";

const CENTS = 100;

function packButtons(packs, amount) {
  const words = ({ price_cents: price, bonus_cents: bonus }) => minorMoney(price) + (bonus ? ` + ${minorMoney(bonus)} bonus` : "");
  return buttons(packs.map((pack) => small(words(pack), () => amount.set(pack.price_cents / CENTS))));
}

export function topUp(packs) {
  const amount = numberField("pack_usd", "US dollars", { min: 0.01 });
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
    formOf(fields, (given) => payAtGateway("/v1/billing/checkout/start", given), { words: "Go to the payment" }),
  );
}
