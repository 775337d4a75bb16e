/** The whole installation, for who has the operator's token. */

import { textField } from "../../components/fields.js";
import { formOf } from "../../components/form.js";
import { pageHead } from "../../components/page_head.js";
import { tabLinks } from "../../components/tabs.js";
import { tags } from "../../core/elements.js";
import { refresh } from "../../core/router.js";
import { hasToken, operatorApi, useToken } from "./operator_api.js";

const { a, button, div, p, section } = tags;

const TABS = [
  { name: "system", words: "System", load: () => import("./system.js") },
  { name: "tenants", words: "Tenants", load: () => import("./tenants.js") },
  { name: "catalogue", words: "Catalogue", load: () => import("./catalogue.js") },
  { name: "prices", words: "Prices", load: () => import("./prices.js") },
];

function tokenForm() {
  const field = textField("token", "Operator's token", {
    type: "password",
    required: true,
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
    section({ class: "card narrow" }, formOf([field], open, { words: "Open" }), p({ class: "quiet" }, a({ href: "/console" }, "To the console"))),
  ];
}

async function forget() {
  useToken(null);
  await refresh();
}

export async function page({ params, query, signal }) {
  if (!hasToken()) return tokenForm();
  const current = TABS.find(({ name }) => name === params.tab) ?? TABS[0];
  const { tab } = await current.load();
  const shown = await tab({ query, signal });
  return [
    pageHead("Operator", {
      about: current.words,
      actions: [a({ href: "/console", class: "button" }, "To the console"), button({ type: "button", onclick: forget }, "Close")],
    }),
    tabLinks("Operator", "/console/operator", TABS, current),
    div({ class: "sections" }, shown),
  ];
}
