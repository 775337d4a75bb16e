/** A form that sends its fields once at a time and says what was wrong beside them. */

import { button, div, fill, tags } from "../core/elements.js";
import { buttons } from "./buttons.js";
import { report } from "./notices.js";

/** The field that a finding of the API is about: `playbook.opener`, `tools[0].url` → `tools`. */
function fieldOf(fields, path) {
  const whole = path.replace(/^body\./, "");
  return (
    fields.find(({ name }) => name === whole) ??
    fields.find(({ name }) => whole.startsWith(`${name}.`) || whole.startsWith(`${name}[`))
  );
}

/**
 * Shows what an error says: at the fields that it names, and above the buttons.
 *
 * @returns what no field shows.
 */
function showFaults(fields, error) {
  const rest = [];
  let first = null;
  for (const { field: path, message } of error.errors ?? []) {
    const field = fieldOf(fields, path);
    if (!field) rest.push(`${path} ${message}`);
    else {
      const inner = path.replace(/^body\./, "") === field.name ? "This" : path;
      field.fault(`${inner} ${message}.`);
      reveal(field.node);
      first ??= field;
    }
  }
  first?.focus();
  if (first && !rest.length) return "Some fields are not right yet.";
  return rest.length ? `${rest.join("; ")}.` : error.message;
}

/** A field in a closed part of a form cannot be seen, nor checked by the browser. */
function reveal(node) {
  const closed = node.closest("details");
  if (closed) closed.open = true;
}

/**
 * @param fields of fields.js; `content` are nodes that hold theirs, by default just these.
 * @param submit gets `{ name: value }` and resolves when the API has accepted it.
 * @param values what the fields hold at first, by name.
 * @param foot class of a place for the buttons, which `extra` ones may join.
 */
export function formOf(fields, submit, { words = "Save", values = {}, content = null, extra = [], kind = "primary", foot = null }) {
  const wrong = div({ class: "wrong", role: "alert" });
  const send = button({ type: "submit", class: kind }, words);
  for (const field of fields) if (field.name in values) field.set(values[field.name]);

  async function onsubmit(event) {
    event.preventDefault();
    if (send.disabled) return;
    fill(wrong);
    for (const field of fields) field.fault("");
    send.disabled = true;
    try {
      await submit(Object.fromEntries(fields.map((field) => [field.name, field.value()])));
    } catch (error) {
      if (!shown.isConnected) report(error);
      else if (error.name !== "AbortError") fill(wrong, showFaults(fields, error));
    } finally {
      send.disabled = false;
    }
  }

  const end = [wrong, buttons(send, extra)];
  const shown = tags.form({ onsubmit }, content ?? fields.map(({ node }) => node), foot ? div({ class: foot }, end) : end);
  shown.addEventListener("invalid", (event) => reveal(event.target), true);
  return shown;
}
