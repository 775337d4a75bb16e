/** How the tenant pays. */

import { div, figures, fill, mayAdminister, money, p, pageHead, quiet, repeat, session } from "../../kit.js";
import { invoiceList } from "./invoices.js";
import { methodList } from "./methods.js";
import { rechargeForm } from "./recharge.js";
import { topUp } from "./top_up.js";

const LOOK_EVERY_MS = 2000;

/** The credit, which changes by itself when a payment arrives. */
function credit(balance, signal, get) {
  const place = div();
  const show = ({ available_usd: available, held_usd: held }) =>
    fill(place, figures([["Credit left", money(available)], ["Held by calls", money(held)]]));
  repeat(async () => show(await get("/v1/billing/balance")), LOOK_EVERY_MS, signal);
  show(balance);
  return place;
}

export async function page({ query, signal, get }) {
  const [balance, { packs }, { payment_methods: methods }, recharge, invoices] = await Promise.all([
    get("/v1/billing/balance"),
    get("/v1/billing/topup-packs"),
    get("/v1/billing/payment-methods"),
    get("/v1/billing/auto-recharge"),
    invoiceList(get),
  ]);
  const mayPay = mayAdminister() && recharge.gateway !== null;
  return [
    pageHead("Payments", { about: session().tenant.name }),
    query.has("payment") && p({ class: "hint", role: "status" }, "Thank you. The credit is added as soon as the payment is confirmed."),
    query.has("cancelled") && p({ class: "hint", role: "status" }, "Nothing was paid."),
    credit(balance, signal, get),
    recharge.gateway === null && quiet("This installation takes no payments: its operator adds credit."),
    mayPay && div({ class: "columns" }, topUp(packs), rechargeForm(recharge, methods)),
    methodList(methods, mayPay),
    invoices,
  ];
}
