/** Secret and publishable keys. */

import {
  actIfConfirmed, actionColumn, adding, ago, api, badge, choiceField, code, formDialog, linesField, pagedTable,
  pageHead, refresh, sentence, showSecret, small, textField,
} from "../../kit.js";

const KEYS = "/v1/api-keys";

/** Origins narrow a publishable key only; a secret key has none. */
const wanted = ({ allowed_origins: origins, ...given }) =>
  given.kind === "publishable" && origins.length ? { ...given, allowed_origins: origins } : given;

async function show({ name, key }) {
  await showSecret(`Your key ${name}`, key);
  await refresh();
}

async function create() {
  const made = await formDialog("New API key", {
    fields: [
      textField("name", "Name", { hint: "What uses it, for example: server." }),
      choiceField("kind", "Kind", [
        ["secret", "Secret: may do everything, stays on your servers"],
        ["publishable", "Publishable: may only start calls, stands in web pages"],
      ]),
      linesField("allowed_origins", "Origins of the web pages", {
        hint: "For a publishable key, one a line, such as https://example.com. Empty: any.",
        rows: 2,
      }),
    ],
    send: (given, once) => api.post(KEYS, wanted(given), once),
    words: "Create the key",
  });
  if (made) await show(made);
}

const rotate = (key) =>
  actIfConfirmed(
    [`Rotate ${key.name}?`, "You get a new key at once. The old one works for a day, so that you can exchange it.", "Rotate"],
    () => api.post(`${KEYS}/${key.id}/rotate`, { overlap_seconds: 86_400 }),
    null,
    show,
  );

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
  ["Name", "name", "main"],
  ["Kind", (row) => sentence(row.kind)],
  ["Key", (row) => code(row.hint)],
  ["State", state],
  ["Last used", (row) => (row.last_used_at ? ago(row.last_used_at) : "Never")],
  actionColumn(
    (row) => !row.revoked_at && [!row.overlap_ends_at && small("Rotate", () => rotate(row)), small("Revoke", () => revoke(row))],
  ),
];

export const page = async ({ get }) => [
  pageHead("API keys", {
    about: "Programs use them in place of a log-in.",
    actions: adding("New key", create),
  }),
  await pagedTable("API keys", COLUMNS, { path: KEYS, list: "api_keys", empty: "No keys yet.", get }),
];
