/** The form of an agent beside the prompt that it makes. */

import { api, details, div, formOf, guardUnsaved, parts, saving, span, summary } from "../../kit.js";
import { changesOf, readField, snapshot } from "./changes.js";
import { promptPreview } from "./prompt_preview.js";
import { SECTIONS } from "./sections.js";

function sectionOf([title, about, , isOpen], fields) {
  const body = div({ class: "field-grid" }, fields.map(({ node }) => node));
  return details({ class: "card", open: Boolean(isOpen) }, summary(title, span({ class: "hint" }, about)), body);
}

export async function tab({ agent, ifUnchanged, signal, get }) {
  const [{ voices }, { models }] = await Promise.all([
    get("/v1/agents/voices"),
    get("/v1/agents/llm-options"),
  ]);
  const built = SECTIONS.map((section) => [section, section[2]({ agent, voices, models, signal })]);
  const fields = built.flatMap(([, own]) => own);
  for (const field of fields) field.set(readField(field, agent));
  const first = snapshot(fields);
  const preview = promptPreview(agent.id, () => changesOf(fields, first), signal);

  const save = saving(() => {
    const saved = api.patch(`/v1/agents/${agent.id}`, changesOf(fields, first), ifUnchanged);
    // What is typed meanwhile would be lost.
    shown.inert = true;
    return saved.catch((error) => {
      shown.inert = false;
      throw error;
    });
  }, "Saved. Publish it to let calls use it.");

  guardUnsaved(() => {
    try {
      return Object.keys(changesOf(fields, first)).length > 0;
    } catch {
      // What is no JSON was typed by the person, too.
      return true;
    }
  });
  const content = parts(built.map((each) => sectionOf(...each)));
  const shown = formOf(fields, save, { content, foot: "save-bar" });
  shown.addEventListener("input", preview.changed);
  return div({ class: "columns wide-left" }, shown, preview.node);
}
