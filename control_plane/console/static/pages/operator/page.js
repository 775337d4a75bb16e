/** The whole installation, for who has the operator's token. */

import {
  a, act, formOf, linkButton, openTab, pageHead, parts, press, quiet, saving, secretField, section,
} from "../../kit.js";
import { hasToken, operatorApi, useToken } from "./operator_api.js";

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
  const open = saving(async ({ token }) => {
    useToken(token);
    try {
      await operatorApi.get("/platform");
    } catch (error) {
      useToken(null);
      throw error;
    }
  });
  return [
    pageHead("Operator", { about: "Every tenant of this installation, its workers, catalogue and prices." }),
    section({ class: "card narrow" }, formOf([field], open, { words: "Open" }), quiet(a({ href: "/console" }, "To the console"))),
  ];
}

export async function page({ params, query, signal }) {
  if (!hasToken()) return tokenForm();
  const get = (path, asked) => operatorApi.get(path, asked, signal);
  const { words, links, shown } = await openTab("Operator", "/console/operator", TABS, load, params.tab, { query, signal, get });
  return [
    pageHead("Operator", {
      about: words,
      actions: [linkButton("/console", "To the console"), press("Close", () => act(() => useToken(null)))],
    }),
    links,
    parts(shown),
  ];
}
