/** The tenant's webhooks. */

import { openDialog } from "../../components/dialog.js";
import { icon } from "../../components/icon.js";
import { growingList } from "../../components/more.js";
import { tell } from "../../components/notices.js";
import { pageHead } from "../../components/page_head.js";
import { tableOf } from "../../components/table.js";
import { api } from "../../core/api.js";
import { tags } from "../../core/elements.js";
import { ago } from "../../core/format.js";
import { refresh } from "../../core/router.js";
import { webhookForm } from "./form.js";

const { a, button } = tags;
const WEBHOOKS = "/v1/webhooks";
const PAGE_SIZE = 50;

async function register() {
  const made = await openDialog("New webhook", (close) =>
    webhookForm(null, (body) => api.post(WEBHOOKS, body), close),
  );
  if (!made) return;
  await refresh();
  tell("The webhook is registered");
}

const COLUMNS = [
  { words: "Address", kind: "main", cell: ({ id, url }) => a({ href: `/console/webhooks/${id}` }, url) },
  { words: "Events", kind: "long", cell: ({ events }) => events.join(", ") },
  { words: "Registered", cell: ({ created_at: at }) => ago(at) },
];

export async function page({ signal }) {
  const load = async (offset) => {
    const query = { limit: PAGE_SIZE, offset: offset ?? 0 };
    const { webhooks, total } = await api.get(WEBHOOKS, query, signal);
    const reached = query.offset + webhooks.length;
    return { rows: webhooks, next: reached < total && webhooks.length ? reached : null };
  };
  return [
    pageHead("Webhooks", {
      about: "Your programs hear of calls, agents and credit as it happens.",
      actions: button({ type: "button", class: "primary", onclick: register }, icon("plus"), "New webhook"),
    }),
    await growingList(load, (rows) => tableOf("Webhooks", COLUMNS, rows, "No webhooks yet.")),
  ];
}
