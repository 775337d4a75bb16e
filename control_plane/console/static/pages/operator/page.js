/** The whole installation, for who has the operator's token. */

import { formOf, openTab, pageHead, parts, press, quiet, refresh, secretField, tags } from "../../kit.js";
import { hasToken, operatorApi, useToken } from "./operator_api.js";

const { a, section } = tags;

const TABS = {
  system: "System",
  tenants: "Tenants",
  catalogue: "Catalogue",
  prices: "Prices",
  offers: "Plans and taxes",
  invoices: "Invoices",
  margin: "Margin",
};
const load = (name) => import(`./${name}.js`);

function tokenForm() {
  const field = secretField("token", "Operator's token", {
    autocomplete: "off",
    hint: "On an installation of your own it stands in .switchboard/secrets.json.",
  });
  const open = async ({ token }) => {
    useToken(token);
    try {
      await operatorApi.get("/platform");
    } catch (error) {
      useToken(null);
      throw error;
    }
    await refresh();
  };
  return [
    pageHead("Operator", { about: "Every tenant of this installation, its workers, catalogue and prices." }),
    section({ class: "card narrow" }, formOf([field], open, { words: "Open" }), quiet(a({ href: "/console" }, "To the console"))),
  ];
}

async function forget() {
  useToken(null);
  await refresh();
}

export async function page({ params, query, signal }) {
  if (!hasToken()) return tokenForm();
  const { words, links, shown } = await openTab("Operator", "/console/operator", TABS, load, params.tab, { query, signal });
  return [
    pageHead("Operator", {
      about: words,
      actions: [a({ href: "/console", class: "button" }, "To the console"), press("Close", forget)],
    }),
    links,
    parts(shown),
  ];
}
