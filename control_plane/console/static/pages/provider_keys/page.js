/** The tenant's own keys for speech and language providers, and its own model server. The API asks the
 * provider before it keeps one. */

import { badge } from "../../components/badge.js";
import { confirmed, openDialog } from "../../components/dialog.js";
import { textField } from "../../components/fields.js";
import { formOf } from "../../components/form.js";
import { report, tell } from "../../components/notices.js";
import { pageHead } from "../../components/page_head.js";
import { tableOf } from "../../components/table.js";
import { api } from "../../core/api.js";
import { tags } from "../../core/elements.js";
import { ago, sentence } from "../../core/format.js";
import { refresh } from "../../core/router.js";

const { button, code, div, p } = tags;

const OWN_SERVER = "openai_compatible";
const USES = [
  ["llm", "Language models"],
  ["stt", "speech recognition"],
  ["tts", "voices"],
];

async function setKey({ provider, name }) {
  const saved = await openDialog(`Key for ${name}`, (close) => {
    const key = textField("key", "Key", { type: "password", required: true, autocomplete: "off" });
    const send = async (given) => close(await api.put(`/v1/provider-keys/${provider}`, given));
    const cancel = button({ type: "button", onclick: () => close() }, "Cancel");
    return [
      p({ class: "quiet" }, `${name} is asked whether it accepts the key. Then it is kept encrypted and never shown again.`),
      formOf([key], send, { words: "Check and save", extra: [cancel] }),
    ];
  });
  if (!saved) return;
  await refresh();
  tell(`Your key for ${name} is saved`);
}

/** Ollama, vLLM and others. */
async function setServer({ key: saved }) {
  const done = await openDialog("Your own model server", (close) => {
    const fields = [
      textField("name", "Name", { hint: "What the models are listed under.", mayBeNull: true, maxlength: 60 }),
      textField("base_url", "Address", {
        hint: "The root of its API. It ends with /v1 for most servers.",
        required: true,
        autocomplete: "off",
      }),
      textField("models", "Models", { hint: "Separated by commas, the best one first.", required: true }),
      textField("key", "Key", { hint: "If it wants one.", type: "password", mayBeNull: true, autocomplete: "off" }),
    ];
    const [name, address, models] = fields;
    name.set(saved?.name);
    address.set(saved?.base_url);
    models.set(saved?.models.join(", "));
    const send = async (given) => {
      const named = given.models.split(",").map((each) => each.trim()).filter(Boolean);
      close(await api.put(`/v1/provider-keys/${OWN_SERVER}`, { ...given, models: named }));
    };
    const cancel = button({ type: "button", onclick: () => close() }, "Cancel");
    return [
      p({ class: "quiet" }, "A server with OpenAI's Chat Completions, such as Ollama or vLLM. It is asked for its models before it is saved."),
      formOf(fields, send, { words: "Check and save", extra: [cancel] }),
    ];
  });
  if (!done) return;
  await refresh();
  tell("Your own model server is saved");
}

const set = (row) => (row.provider === OWN_SERVER ? setServer(row) : setKey(row));

async function remove({ provider, name }) {
  const words = "New calls do without it. Calls that run go on.";
  if (!(await confirmed(`Delete your key for ${name}?`, words, "Delete"))) return;
  try {
    await api.delete(`/v1/provider-keys/${provider}`);
    await refresh();
  } catch (error) {
    report(error);
  }
}

const COLUMNS = [
  { words: "Provider", kind: "main", cell: ({ name }) => name },
  { words: "For", cell: ({ uses }) => uses },
  { words: "Key", cell: ({ key }) => (key?.last_four ? code(`…${key.last_four}`) : "–") },
  { words: "State", cell: ({ key }) => (key ? badge(key.status) : badge("none", "Not set")) },
  { words: "Changed", kind: "when", cell: ({ key }) => ago(key?.updated_at) },
  {
    words: "",
    kind: "actions",
    cell: (row) =>
      div(
        { class: "buttons" },
        button({ type: "button", class: "small", onclick: () => set(row) }, row.key ? "Replace" : "Set"),
        row.key && button({ type: "button", class: "small", onclick: () => remove(row) }, "Delete"),
      ),
  },
];

/** What the models of a provider do, in words. */
function usesOf(provider, models) {
  const types = new Set(models.filter((each) => each.byok_provider_id === provider).flatMap(({ type }) => type));
  const words = USES.filter(([type]) => types.has(type)).map(([, each]) => each);
  return sentence(words.join(", "));
}

export async function page({ signal }) {
  const [{ models }, { provider_keys: keys }] = await Promise.all([
    api.get("/v1/agents/llm-options", {}, signal),
    api.get("/v1/provider-keys", {}, signal),
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
