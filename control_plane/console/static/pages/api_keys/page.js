/** Secret and publishable keys. */

import { badge } from "../../components/badge.js";
import { confirmed, openDialog } from "../../components/dialog.js";
import { choiceField, linesField, textField } from "../../components/fields.js";
import { formOf } from "../../components/form.js";
import { icon } from "../../components/icon.js";
import { growingList } from "../../components/more.js";
import { report, tell } from "../../components/notices.js";
import { pageHead } from "../../components/page_head.js";
import { showSecret } from "../../components/secret.js";
import { tableOf } from "../../components/table.js";
import { api } from "../../core/api.js";
import { tags } from "../../core/elements.js";
import { ago, sentence } from "../../core/format.js";
import { refresh } from "../../core/router.js";

const { button, code, div } = tags;
const PAGE_SIZE = 50;

/** Origins narrow a publishable key only; a secret key has none. */
function wanted({ name, kind, allowed_origins: origins }) {
  return kind === "publishable" && origins.length ? { name, kind, allowed_origins: origins } : { name, kind };
}

async function create() {
  const made = await openDialog("New API key", (close) => {
    const fields = [
      textField("name", "Name", { required: true, hint: "What uses it, for example: server." }),
      choiceField("kind", "Kind", [
        ["secret", "Secret: may do everything, stays on your servers"],
        ["publishable", "Publishable: may only start calls, stands in web pages"],
      ]),
      linesField("allowed_origins", "Origins of the web pages", {
        hint: "For a publishable key, one a line, such as https://example.com. Empty: any.",
        rows: 2,
      }),
    ];
    const send = async (given) => close(await api.post("/v1/api-keys", wanted(given)));
    const cancel = button({ type: "button", onclick: () => close() }, "Cancel");
    return formOf(fields, send, { words: "Create the key", extra: [cancel] });
  });
  if (!made) return;
  await showSecret(`Your key ${made.name}`, made.key);
  await refresh();
}

async function rotate(key) {
  const words = "You get a new key at once. The old one works for a day, so that you can exchange it.";
  if (!(await confirmed(`Rotate ${key.name}?`, words, "Rotate"))) return;
  try {
    const made = await api.post(`/v1/api-keys/${key.id}/rotate`, { overlap_seconds: 86_400 });
    await showSecret(`Your new key ${made.name}`, made.key);
    await refresh();
  } catch (error) {
    report(error);
  }
}

async function revoke(key) {
  const words = "What uses it is refused at once. This cannot be undone.";
  if (!(await confirmed(`Revoke ${key.name}?`, words, "Revoke"))) return;
  try {
    await api.delete(`/v1/api-keys/${key.id}`);
    await refresh();
    tell(`${key.name} is revoked`);
  } catch (error) {
    report(error);
  }
}

function state(key) {
  if (key.revoked_at) return badge("revoked");
  return key.overlap_ends_at ? badge("pending", `Replaced; ends ${ago(key.overlap_ends_at)}`) : badge("verified", "Works");
}

const COLUMNS = [
  { words: "Name", kind: "main", cell: (row) => row.name },
  { words: "Kind", cell: (row) => sentence(row.kind) },
  { words: "Key", cell: (row) => code(row.hint) },
  { words: "State", cell: state },
  { words: "Last used", cell: (row) => (row.last_used_at ? ago(row.last_used_at) : "Never") },
  {
    words: "",
    kind: "actions",
    cell: (row) =>
      !row.revoked_at &&
      div(
        { class: "buttons" },
        !row.overlap_ends_at && button({ type: "button", class: "small", onclick: () => rotate(row) }, "Rotate"),
        button({ type: "button", class: "small", onclick: () => revoke(row) }, "Revoke"),
      ),
  },
];

export async function page({ signal }) {
  const load = async (offset) => {
    const query = { limit: PAGE_SIZE, offset: offset ?? 0 };
    const { api_keys: keys, total } = await api.get("/v1/api-keys", query, signal);
    const reached = query.offset + keys.length;
    return { rows: keys, next: reached < total && keys.length ? reached : null };
  };
  return [
    pageHead("API keys", {
      about: "Programs use them in place of a log-in.",
      actions: button({ type: "button", class: "primary", onclick: create }, icon("plus"), "New key"),
    }),
    await growingList(load, (rows) => tableOf("API keys", COLUMNS, rows, "No keys yet.")),
  ];
}
