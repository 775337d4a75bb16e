/** The tenant's own keys for providers, and its own model server. */

import {
  actIfConfirmed, actionColumn, ago, api, badge, code, formDialog, namesField, pageHead, secretField, sentence,
  small, tableOf, textField,
} from "../../kit.js";

const KEYS = "/v1/provider-keys";
const OWN_SERVER = "openai_compatible";
const USES = [
  ["llm", "Language models"],
  ["stt", "speech recognition"],
  ["tts", "voices"],
];

const setKey = ({ provider, name }) =>
  formDialog(`Key for ${name}`, {
    about: `${name} is asked whether it accepts the key. Then it is kept encrypted and never shown again.`,
    fields: [secretField("key", "Key", { autocomplete: "off" })],
    send: (given) => api.put(`${KEYS}/${provider}`, given),
    words: "Check and save",
    told: `Your key for ${name} is saved`,
  });

/** Ollama, vLLM and others. */
const setServer = ({ key: saved }) =>
  formDialog("Your own model server", {
    about: "A server with OpenAI's Chat Completions, such as Ollama or vLLM. It is asked for its models before it is saved.",
    fields: [
      textField("name", "Name", { hint: "What the models are listed under.", mayBeNull: true, maxlength: 60 }),
      textField("base_url", "Address", {
        hint: "The root of its API. It ends with /v1 for most servers.",
        autocomplete: "off",
      }),
      namesField("models", "Models", { hint: "Separated by commas, the best one first.", required: true }),
      secretField("key", "Key", { hint: "If it wants one.", mayBeNull: true, autocomplete: "off" }),
    ],
    values: saved ? { name: saved.name, base_url: saved.base_url, models: saved.models } : {},
    send: (given) => api.put(`${KEYS}/${OWN_SERVER}`, given),
    words: "Check and save",
    told: "Your own model server is saved",
  });

const remove = ({ provider, name }) =>
  actIfConfirmed([`Delete your key for ${name}?`, "New calls do without it. Calls that run go on.", "Delete"], () =>
    api.delete(`${KEYS}/${provider}`),
  );

const COLUMNS = [
  ["Provider", "name", "main"],
  ["For", "uses"],
  ["Key", ({ key }) => (key?.last_four ? code(`…${key.last_four}`) : "–")],
  ["State", ({ key }) => (key ? badge(key.status) : badge("none", "Not set"))],
  ["Changed", ({ key }) => ago(key?.updated_at), "when"],
  actionColumn((row) => [
    small(row.key ? "Replace" : "Set", () => (row.provider === OWN_SERVER ? setServer(row) : setKey(row))),
    row.key && small("Delete", () => remove(row)),
  ]),
];

/** What the models of a provider do, in words. */
function usesOf(provider, models) {
  const types = new Set(models.filter((each) => each.byok_provider_id === provider).flatMap(({ type }) => type));
  const words = USES.filter(([type]) => types.has(type)).map(([, each]) => each);
  return sentence(words.join(", "));
}

export async function page({ get }) {
  const [{ models }, { provider_keys: keys }] = await Promise.all([
    get("/v1/agents/llm-options"),
    get(KEYS),
  ]);
  const names = new Map(
    models.filter((each) => each.byok_provider_id).map((each) => [each.byok_provider_id, each.provider_name]),
  );
  const server = keys.find(({ provider }) => provider === OWN_SERVER);
  names.set(OWN_SERVER, server?.name ?? "Your own server");
  for (const { provider } of keys) if (!names.has(provider)) names.set(provider, provider);
  const rows = [...names].map(([provider, name]) => ({
    provider,
    name,
    uses: provider === OWN_SERVER ? "Language models" : usesOf(provider, models),
    key: keys.find((each) => each.provider === provider),
  }));
  return [
    pageHead("Provider keys", {
      about: "With a key of your own, the provider bills you for what your agents use of it.",
    }),
    tableOf("Provider keys", COLUMNS, rows, "This installation has no providers that take keys."),
  ];
}
