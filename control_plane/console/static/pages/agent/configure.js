/** The form of an agent beside the prompt that it makes. */

import { showFaults } from "../../components/form.js";
import { tell } from "../../components/notices.js";
import { api } from "../../core/api.js";
import { fill, tags } from "../../core/elements.js";
import { guardUnsaved, refresh } from "../../core/router.js";
import { changesOf, readField, snapshot } from "./changes.js";
import { promptPreview } from "./prompt_preview.js";
import { SECTIONS } from "./sections.js";

const { button, details, div, form, span, summary } = tags;

function sectionOf({ title, about, isOpen }, fields) {
  const body = div({ class: "field-grid" }, fields.map(({ node }) => node));
  return details({ class: "card", open: Boolean(isOpen) }, summary(title, span({ class: "hint" }, about)), body);
}

/** A field in a closed section cannot be seen, nor checked by the browser. */
function openSectionOf(node) {
  const section = node.closest("details");
  if (section) section.open = true;
}

export async function tab({ agent, revision, signal }) {
  const [{ voices }, { models }] = await Promise.all([
    api.get("/v1/agents/voices", {}, signal),
    api.get("/v1/agents/llm-options", {}, signal),
  ]);
  const built = SECTIONS.map((section) => ({ section, fields: section.fields({ agent, voices, models, signal }) }));
  const fields = built.flatMap((each) => each.fields);
  for (const field of fields) field.set(readField(field, agent));
  const first = snapshot(fields);

  const wrong = div({ class: "wrong", role: "alert" });
  const save = button({ type: "submit", class: "primary" }, "Save");
  const preview = promptPreview(agent.id, () => changesOf(fields, first), signal);

  async function onsubmit(event) {
    event.preventDefault();
    if (save.disabled) return;
    fill(wrong);
    for (const field of fields) field.fault("");
    save.disabled = true;
    try {
      const headers = revision ? { "If-Match": revision } : {};
      await api.patch(`/v1/agents/${agent.id}`, changesOf(fields, first), headers);
      await refresh();
      tell("Saved. Publish it to let calls use it.");
    } catch (error) {
      for (const { field: path } of error.errors ?? []) {
        const field = fields.find(({ name }) => path.startsWith(name));
        if (field) openSectionOf(field.node);
      }
      fill(wrong, showFaults(fields, error));
    } finally {
      save.disabled = false;
    }
  }

  guardUnsaved(() => {
    try {
      return Object.keys(changesOf(fields, first)).length > 0;
    } catch {
      // What is no JSON was typed by the person, too.
      return true;
    }
  });
  const shown = form(
    { onsubmit, oninput: preview.changed },
    div({ class: "sections" }, built.map((each) => sectionOf(each.section, each.fields))),
    div({ class: "save-bar" }, wrong, div({ class: "buttons" }, save)),
  );
  shown.addEventListener("invalid", (event) => openSectionOf(event.target), true);
  return div({ class: "columns wide-left" }, shown, preview.node);
}
