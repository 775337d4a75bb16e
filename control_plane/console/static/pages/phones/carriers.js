/** The tenant's accounts at phone carriers. */

import {
  act, actIfConfirmed, actionColumn, ago, api, badge, choiceField, code, div, fill, formDialog, formOf,
  mayAdminister, openDialog, press, quiet, secretField, sentence, small, tablePart, textField,
} from "../../kit.js";

/** By carrier, its credentials: `[name, words, options]`. */
const CARRIERS = {
  twilio: [
    ["account_sid", "Account SID", { hint: "Begins with AC." }],
    ["auth_token", "Auth token", { isSecret: true, hint: "The primary one." }],
  ],
  telnyx: [
    ["api_key", "API key", { isSecret: true }],
    ["public_key", "Public key", { hint: "Of your account's webhooks, in base64." }],
    ["outbound_voice_profile_id", "Outbound voice profile", { mayBeNull: true, hint: "Its id, for calls that your agents make." }],
  ],
  plivo: [
    ["auth_id", "Auth ID", {}],
    ["auth_token", "Auth token", { isSecret: true }],
  ],
  vonage: [
    ["api_key", "API key", {}],
    ["api_secret", "API secret", { isSecret: true }],
    ["signature_secret", "Signature secret", { isSecret: true, hint: "Of your account's settings; webhooks are checked with it." }],
  ],
};
const REFUSALS = [
  ["sentence", "A recorded sentence"],
  ["busy", "The busy signal"],
  ["reject", "The carrier's own rejection"],
];

const wordsOf = ({ ok, message }) => (ok ? message : `The carrier refuses: ${message}`);

const credentialFields = (provider) =>
  CARRIERS[provider].map(([name, words, { isSecret, ...rest }]) =>
    (isSecret ? secretField : textField)(`credentials.${name}`, words, { autocomplete: "off", ...rest }),
  );

/** `{"credentials.auth_id": "x"}` → `{"auth_id": "x"}`, without what was left out. */
function credentialsIn(given) {
  const named = Object.entries(given).filter(([name, value]) => name.startsWith("credentials.") && value !== null);
  return Object.fromEntries(named.map(([name, value]) => [name.slice("credentials.".length), value]));
}

export async function connectCarrier() {
  const connected = await openDialog("Connect a carrier", (close) => {
    const place = div();
    const provider = choiceField("provider", "Carrier", Object.keys(CARRIERS));
    const refusal = choiceField("refuse_with", "What callers hear who cannot be taken", REFUSALS);
    const show = () => {
      const name = provider.value();
      const send = async (given) => {
        const wanted = { provider: name, credentials: credentialsIn(given), refuse_with: given.refuse_with };
        close(await api.post("/v1/carriers", wanted));
      };
      const cancel = press("Cancel", () => close());
      fill(place, formOf([...credentialFields(name), refusal], send, { words: "Connect", extra: [cancel] }));
    };
    provider.node.addEventListener("change", show);
    show();
    return [
      quiet("The credentials are kept encrypted and never shown again. The carrier is asked at once whether it accepts them."),
      provider.node,
      place,
    ];
  });
  if (connected) await act(() => connected, wordsOf);
}

const replaceCredentials = ({ id, name, provider }) =>
  formDialog(`Credentials for ${name}`, {
    fields: credentialFields(provider),
    send: async (given) => {
      await api.patch(`/v1/carriers/${id}`, { credentials: credentialsIn(given) });
      return api.post(`/v1/carriers/${id}/verify`);
    },
    told: wordsOf,
  });

const remove = ({ id, name }) =>
  actIfConfirmed([`Delete ${name}?`, "Its numbers stay registered, and take and make no calls.", "Delete"], () =>
    api.delete(`/v1/carriers/${id}`),
  );

const COLUMNS = [
  ["Account", "name", "main"],
  ["Carrier", ({ provider }) => sentence(provider)],
  ["Known as", ({ identifiers }) => code(Object.values(identifiers)[0] ?? "–")],
  ["State", ({ status, problem }) => [badge(status), problem && quiet(problem)]],
  ["Checked", "verified_at", "when", ago],
  actionColumn(
    (account) =>
      mayAdminister() && [
        small("Verify", () => act(() => api.post(`/v1/carriers/${account.id}/verify`), wordsOf)),
        small("Credentials", () => replaceCredentials(account)),
        small("Delete", () => remove(account)),
      ],
  ),
];

export const carrierTable = (accounts) =>
  tablePart("Carriers", COLUMNS, accounts, "No carrier is connected. Connect the one where you have your numbers.");
