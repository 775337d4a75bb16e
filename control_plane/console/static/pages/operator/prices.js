/** What a minute costs tenants: today's prices, those to come, and a new one. */

import { badge } from "../../components/badge.js";
import { openDialog } from "../../components/dialog.js";
import { numberField } from "../../components/fields.js";
import { formOf } from "../../components/form.js";
import { tell } from "../../components/notices.js";
import { tableOf } from "../../components/table.js";
import { tags } from "../../core/elements.js";
import { dateTime, exactMoney } from "../../core/format.js";
import { refresh } from "../../core/router.js";
import { operatorApi } from "./operator_api.js";

const { button, h2, p, section } = tags;
const MICROS = 1_000_000;

const COMPONENTS = {
  stt: "Speech recognition",
  llm: "Language model",
  tts: "Speech synthesis",
  platform: "Platform's fee",
  managed_sku: "Managed agent",
};

const words = ({ component, provider, model }) =>
  component === "platform" ? COMPONENTS.platform : `${COMPONENTS[component]}: ${provider} ${model}`;

async function change(price) {
  const added = await openDialog(words(price), (close) => {
    const field = numberField("usd", "US dollars a minute", { min: 0, required: true });
    field.set(price.micros_per_minute / MICROS);
    const { component, provider, model } = price;
    const send = async ({ usd }) =>
      close(await operatorApi.post("/catalogue/prices", { component, provider, model, micros_per_minute: Math.round(usd * MICROS) }));
    const cancel = button({ type: "button", onclick: () => close() }, "Cancel");
    return [
      p({ class: "quiet" }, "It holds from now on. Calls that exist keep their price, and so does the history."),
      formOf([field], send, { words: "Set the price", extra: [cancel] }),
    ];
  });
  if (!added) return;
  await refresh();
  tell("The new price holds from now on");
}

const columns = (now) => [
  { words: "Price of", kind: "main", cell: words },
  { words: "A minute", kind: "number", cell: (row) => exactMoney(row.micros_per_minute / MICROS) },
  { words: "From", kind: "when", cell: (row) => dateTime(row.valid_from) },
  { words: "State", cell: (row) => (new Date(row.valid_from) > now ? badge("pending", "To come") : badge("verified", "Holds")) },
  {
    words: "",
    kind: "actions",
    cell: (row) => row.model !== "no_charge" && button({ type: "button", class: "small", onclick: () => change(row) }, "Change"),
  },
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

export async function tab({ signal }) {
  const { prices } = await operatorApi.get("/catalogue/prices", {}, signal);
  const now = new Date();
  return section(
    { class: "sections" },
    h2("Prices"),
    p({ class: "quiet" }, "Each call freezes the prices of its creation. Rows are never changed: a later one replaces them."),
    tableOf("Prices", columns(now), current(prices, now), "No prices."),
  );
}
