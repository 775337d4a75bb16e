/** Secret and publishable keys. */

import {
  actIfConfirmed, actionColumn, ago, api, badge, choiceField, formDialog, icon, linesField, pagedTable, pageHead, press,
  refresh, report, confirmed, sentence, showSecret, small, tags, textField,
} from "../../kit.js";

const KEYS = "/v1/api-keys";

/** Origins narrow a publishable key only; a secret key has none. */
function wanted({ name, kind, allowed_origins: origins }) {
  return kind === "publishable" && origins.length ? { name, kind, allowed_origins: origins } : { name, kind };
}

async function create() {
  const made = await formDialog("New API key", {
    fields: [
      textField("name", "Name", { required: true, hint: "What uses it, for example: server." }),
      choiceField("kind", "Kind", [
        ["secret", "Secret: may do everything, stays on your servers"],
        ["publishable", "Publishable: may only start calls, stands in web pages"],
      ]),
      linesField("allowed_origins", "Origins of the web pages", {
        hint: "For a publishable key, one a line, such as https://example.com. Empty: any.",
        rows: 2,
      }),
    ],
    send: (given) => api.post(KEYS, wanted(given)),
    words: "Create the key",
  });
  if (!made) return;
  await showSecret(`Your key ${made.name}`, made.key);
  await refresh();
}

async function rotate(key) {
  const words = "You get a new key at once. The old one works for a day, so that you can exchange it.";
  if (!(await confirmed(`Rotate ${key.name}?`, words, "Rotate"))) return;
  try {
    const made = await api.post(`${KEYS}/${key.id}/rotate`, { overlap_seconds: 86_400 });
    await showSecret(`Your new key ${made.name}`, made.key);
    await refresh();
  } catch (error) {
    report(error);
  }
}

const revoke = (key) =>
  actIfConfirmed(
    [`Revoke ${key.name}?`, "What uses it is refused at once. This cannot be undone.", "Revoke"],
    () => api.delete(`${KEYS}/${key.id}`),
    `${key.name} is revoked`,
  );

function state(key) {
  if (key.revoked_at) return badge("revoked");
  return key.overlap_ends_at ? badge("pending", `Replaced; ends ${ago(key.overlap_ends_at)}`) : badge("verified", "Works");
}

const COLUMNS = [
  ["Name", (row) => row.name, "main"],
  ["Kind", (row) => sentence(row.kind)],
  ["Key", (row) => tags.code(row.hint)],
  ["State", state],
  ["Last used", (row) => (row.last_used_at ? ago(row.last_used_at) : "Never")],
  actionColumn(
    (row) => !row.revoked_at && [!row.overlap_ends_at && small("Rotate", () => rotate(row)), small("Revoke", () => revoke(row))],
  ),
];

export const page = async ({ signal }) => [
  pageHead("API keys", {
    about: "Programs use them in place of a log-in.",
    actions: press([icon("plus"), "New key"], create, "primary"),
  }),
  await pagedTable("API keys", COLUMNS, { path: KEYS, list: "api_keys", empty: "No keys yet.", signal }),
];
