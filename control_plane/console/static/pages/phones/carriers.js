/** The tenant's accounts at phone carriers: connect, verify, change, delete. */

import { badge } from "../../components/badge.js";
import { confirmed, openDialog } from "../../components/dialog.js";
import { choiceField, textField } from "../../components/fields.js";
import { formOf } from "../../components/form.js";
import { report, tell } from "../../components/notices.js";
import { tableOf } from "../../components/table.js";
import { api } from "../../core/api.js";
import { fill, tags } from "../../core/elements.js";
import { ago } from "../../core/format.js";
import { refresh } from "../../core/router.js";
import { mayAdminister } from "../../core/session.js";

const { button, code, div, p } = tags;

/** By carrier, the credentials: `[name, words, isSecret, hint]`; those with `mayBeNull` may be left out. */
const CARRIERS = {
  twilio: {
    label: "Twilio",
    credentials: [
      ["account_sid", "Account SID", { hint: "Begins with AC." }],
      ["auth_token", "Auth token", { isSecret: true, hint: "The primary one." }],
    ],
  },
  telnyx: {
    label: "Telnyx",
    credentials: [
      ["api_key", "API key", { isSecret: true }],
      ["public_key", "Public key", { hint: "Of your account's webhooks, in base64." }],
      ["outbound_voice_profile_id", "Outbound voice profile", { mayBeNull: true, hint: "Its id, for calls that your agents make." }],
    ],
  },
  plivo: {
    label: "Plivo",
    credentials: [
      ["auth_id", "Auth ID", {}],
      ["auth_token", "Auth token", { isSecret: true }],
    ],
  },
  vonage: {
    label: "Vonage",
    credentials: [
      ["api_key", "API key", {}],
      ["api_secret", "API secret", { isSecret: true }],
      ["signature_secret", "Signature secret", { isSecret: true, hint: "Of your account's settings; webhooks are checked with it." }],
    ],
  },
};
const REFUSALS = [
  ["sentence", "A recorded sentence"],
  ["busy", "The busy signal"],
  ["reject", "The carrier's own rejection"],
];

const labelOf = (provider) => CARRIERS[provider]?.label ?? provider;
const wordsOf = ({ ok, message }) => (ok ? message : `The carrier refuses: ${message}`);

function credentialFields(provider) {
  return CARRIERS[provider].credentials.map(([name, words, { isSecret, ...rest }]) =>
    textField(`credentials.${name}`, words, {
      type: isSecret ? "password" : "text",
      required: !rest.mayBeNull,
      autocomplete: "off",
      ...rest,
    }),
  );
}

/** `{"credentials.auth_id": "x"}` → `{"auth_id": "x"}`, without what was left out. */
function credentialsIn(given) {
  const named = Object.entries(given).filter(([name, value]) => name.startsWith("credentials.") && value !== null);
  return Object.fromEntries(named.map(([name, value]) => [name.slice("credentials.".length), value]));
}

export async function connectCarrier() {
  const connected = await openDialog("Connect a carrier", (close) => {
    const place = div();
    const provider = choiceField("provider", "Carrier", Object.entries(CARRIERS).map(([name, { label }]) => [name, label]));
    const refusal = choiceField("refuse_with", "What callers hear who cannot be taken", REFUSALS);
    const show = () => {
      const fields = [...credentialFields(provider.value()), refusal];
      const send = async (given) =>
        close(
          await api.post("/v1/carriers", {
            provider: provider.value(),
            credentials: credentialsIn(given),
            refuse_with: given.refuse_with,
          }),
        );
      const cancel = button({ type: "button", onclick: () => close() }, "Cancel");
      fill(place, formOf(fields, send, { words: "Connect", extra: [cancel] }));
    };
    provider.node.addEventListener("change", show);
    show();
    return [
      p({ class: "quiet" }, "The credentials are kept encrypted and never shown again. The carrier is asked at once whether it accepts them."),
      provider.node,
      place,
    ];
  });
  if (!connected) return;
  await refresh();
  tell(wordsOf(connected));
}

async function replaceCredentials(account) {
  const saved = await openDialog(`Credentials for ${account.name}`, (close) => {
    const send = async (given) => {
      await api.patch(`/v1/carriers/${account.id}`, { credentials: credentialsIn(given) });
      close(await api.post(`/v1/carriers/${account.id}/verify`));
    };
    const cancel = button({ type: "button", onclick: () => close() }, "Cancel");
    return formOf(credentialFields(account.provider), send, { words: "Save", extra: [cancel] });
  });
  if (!saved) return;
  await refresh();
  tell(wordsOf(saved));
}

async function verify(account) {
  try {
    const said = await api.post(`/v1/carriers/${account.id}/verify`);
    await refresh();
    tell(wordsOf(said));
  } catch (error) {
    report(error);
  }
}

async function remove(account) {
  const words = "Its numbers stay registered, and take and make no calls.";
  if (!(await confirmed(`Delete ${account.name}?`, words, "Delete"))) return;
  try {
    await api.delete(`/v1/carriers/${account.id}`);
    await refresh();
  } catch (error) {
    report(error);
  }
}

const small = (words, onclick) => button({ type: "button", class: "small", onclick }, words);

const COLUMNS = [
  { words: "Account", kind: "main", cell: ({ name }) => name },
  { words: "Carrier", cell: ({ provider }) => labelOf(provider) },
  { words: "Known as", cell: ({ identifiers }) => code(Object.values(identifiers)[0] ?? "–") },
  { words: "State", cell: ({ status, problem }) => [badge(status), problem && p({ class: "quiet" }, problem)] },
  { words: "Checked", cell: ({ verified_at }) => ago(verified_at) },
  {
    words: "",
    kind: "actions",
    cell: (account) =>
      mayAdminister() &&
      div(
        { class: "buttons" },
        small("Verify", () => verify(account)),
        small("Credentials", () => replaceCredentials(account)),
        small("Delete", () => remove(account)),
      ),
  },
];

export const carrierTable = (accounts) =>
  tableOf("Carriers", COLUMNS, accounts, "No carrier is connected. Connect the one where you have your numbers.");
