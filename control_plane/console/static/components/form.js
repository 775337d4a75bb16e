/** A form that sends its fields once at a time and says what was wrong beside them. */

import { fill, tags } from "../core/elements.js";

const { button, div, form } = tags;

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
export function showFaults(fields, error) {
  const rest = [];
  let first = null;
  for (const { field: path, message } of error.errors ?? []) {
    const field = fieldOf(fields, path);
    if (!field) rest.push(`${path} ${message}`);
    else {
      const inner = path.replace(/^body\./, "") === field.name ? "" : `${path} `;
      field.fault(`${inner || "This "}${message}.`);
      first ??= field;
    }
  }
  first?.focus();
  if (first && !rest.length) return "Some fields are not right yet.";
  return rest.length ? `${rest.join("; ")}.` : error.message;
}

/**
 * @param fields of fields.js; `content` are nodes that hold theirs, by default just these.
 * @param submit gets `{ name: value }` and resolves when the API has accepted it.
 */
export function formOf(fields, submit, { words, content = null, extra = [], kind = "primary" } = {}) {
  const wrong = div({ class: "wrong", role: "alert" });
  const send = button({ type: "submit", class: kind }, words);

  async function onsubmit(event) {
    event.preventDefault();
    if (send.disabled) return;
    fill(wrong);
    for (const field of fields) field.fault("");
    send.disabled = true;
    try {
      await submit(Object.fromEntries(fields.map((field) => [field.name, field.value()])));
    } catch (error) {
      if (error.name !== "AbortError") fill(wrong, showFaults(fields, error));
    } finally {
      send.disabled = false;
    }
  }

  return form(
    { onsubmit },
    content ?? fields.map(({ node }) => node),
    wrong,
    div({ class: "buttons" }, send, extra),
  );
}
