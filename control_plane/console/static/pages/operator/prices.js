/** What a minute costs tenants, now and later. */

import {
  actionColumn, badge, billed, dateTime, exactMoney, formDialog, numberField, quiet, small, tablePart,
} from "../../kit.js";
import { operatorApi } from "./operator_api.js";

const MICROS = 1_000_000;

const words = ({ component, provider, model }) =>
  component === "platform" ? "Platform's fee" : `${billed(component)}: ${provider} ${model}`;

const change = (price) =>
  formDialog(words(price), {
    about: "It holds from now on. Calls that exist keep their price, and so does the history.",
    fields: [numberField("usd", "US dollars a minute", { min: 0 })],
    values: { usd: price.micros_per_minute / MICROS },
    send: ({ usd }) => {
      const { component, provider, model } = price;
      const micros = Math.round(usd * MICROS);
      return operatorApi.post("/catalogue/prices", { component, provider, model, micros_per_minute: micros });
    },
    words: "Set the price",
    told: "The new price holds from now on",
  });

const columns = (now) => [
  ["Price of", words, "main"],
  ["A minute", (row) => exactMoney(row.micros_per_minute / MICROS), "number"],
  ["From", "valid_from", "when", dateTime],
  ["State", (row) => (new Date(row.valid_from) > now ? badge("pending", "To come") : badge("verified", "Holds"))],
  actionColumn((row) => row.model !== "no_charge" && small("Change", () => change(row))),
];

/** Prices that hold at `now` or later. The API lists the newest first within a component. */
function current(prices, now) {
  const held = new Set();
  return prices.filter((price) => {
    if (new Date(price.valid_from) > now) return true;
    const name = words(price);
    return !held.has(name) && held.add(name);
  });
}

export async function tab({ get }) {
  const { prices } = await get("/catalogue/prices");
  const now = new Date();
  const about = quiet("Each call freezes the prices of its creation. Rows are never changed: a later one replaces them.");
  return tablePart("Prices", columns(now), current(prices, now), "No prices.", about);
}
