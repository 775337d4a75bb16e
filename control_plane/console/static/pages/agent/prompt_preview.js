/** The prompt that the language model would read, as the form stands. */

import { api, fill, h2, h3, number, p, parts, pre, quiet, section } from "../../kit.js";
import { findingList } from "./findings.js";

const WAIT_MS = 700;

function shown(compiled) {
  const { errors, warnings, opener } = compiled;
  const broken = errors.map(({ field, line, message }) => p({ class: "fault" }, `${field}, line ${line}: ${message}`));
  return [
    quiet(`About ${number(compiled.estimated_tokens)} tokens`),
    broken,
    findingList(warnings, "warning"),
    opener && [h3("First sentence"), p(opener)],
    h3("Prompt"),
    pre({ tabindex: "0", role: "region", "aria-label": "Prompt" }, compiled.compiled_prompt || "Empty."),
  ];
}

/** @param changes gives the unsaved changes; it may throw while something is half typed. */
export function promptPreview(agentId, changes, signal) {
  const place = parts();
  let timer = null;
  let asked = 0;

  async function compile() {
    const mine = ++asked;
    try {
      const body = { agent_id: agentId, ...changes() };
      const compiled = await api.post("/v1/agents/compile-prompt", body, { signal });
      if (mine === asked) fill(place, shown(compiled));
    } catch (error) {
      if (mine === asked && error.name !== "AbortError") fill(place, quiet(error.message));
    }
  }

  compile();
  return {
    node: section({ class: "card beside", "aria-label": "Compiled prompt" }, h2("What the model reads"), place),
    changed() {
      clearTimeout(timer);
      timer = setTimeout(compile, WAIT_MS);
    },
  };
}
