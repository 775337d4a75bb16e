/** How the tenant pays. */

import { api, figures, fill, mayAdminister, money, pageHead, quiet, repeat, session, tags } from "../../kit.js";
import { invoiceList } from "./invoices.js";
import { methodList } from "./methods.js";
import { rechargeForm } from "./recharge.js";
import { topUp } from "./top_up.js";

const { div, p } = tags;
const LOOK_EVERY_MS = 2000;

/** The credit, which changes by itself when a payment arrives. */
function credit(balance, signal) {
  const place = div();
  const show = ({ available_usd: available, held_usd: held }) =>
    fill(place, figures([["Credit left", money(available)], ["Held by calls", money(held)]]));
  repeat(async () => show(await api.get("/v1/billing/balance", {}, signal)), LOOK_EVERY_MS, signal);
  show(balance);
  return place;
}

export async function page({ query, signal }) {
  const [balance, { packs }, { payment_methods: methods }, recharge, invoices] = await Promise.all([
    api.get("/v1/billing/balance", {}, signal),
    api.get("/v1/billing/topup-packs", {}, signal),
    api.get("/v1/billing/payment-methods", {}, signal),
    api.get("/v1/billing/auto-recharge", {}, signal),
    invoiceList(signal),
  ]);
  const mayPay = mayAdminister() && recharge.gateway !== null;
  return [
    pageHead("Payments", { about: session().tenant.name }),
    query.has("payment") && p({ class: "hint", role: "status" }, "Thank you. The credit is added as soon as the payment is confirmed."),
    query.has("cancelled") && p({ class: "hint", role: "status" }, "Nothing was paid."),
    credit(balance, signal),
    recharge.gateway === null && quiet("This installation takes no payments: its operator adds credit."),
    mayPay && div({ class: "columns" }, topUp(packs), rechargeForm(recharge, methods)),
    methodList(methods, mayPay),
    invoices,
  ];
}
