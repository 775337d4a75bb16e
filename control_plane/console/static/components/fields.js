/**
 * Fields of forms: a label, a control, a hint, and a place for what is wrong.
 *
 * Each field is `{ node, name, value(), set(value), fault(message) }`. `value()` is what the API gets.
 */

import { fill, tags } from "../core/elements.js";
import { sentence } from "../core/format.js";
import { press, small } from "./buttons.js";

const { div, input, label, li, option, p, select, span, textarea, ul } = tags;

let count = 0;

function field(name, words, hint, control, { value, set = (given) => (control.value = given ?? "") }) {
  const id = `field-${++count}`;
  control.id = id;
  control.setAttribute("name", name);
  control.setAttribute("aria-describedby", `${id}-hint ${id}-fault`);
  const wrong = p({ class: "fault", id: `${id}-fault` });
  const isCheck = control.type === "checkbox";
  const title = label({ for: id }, words);
  const kind = isCheck ? "check" : control.tagName === "TEXTAREA" ? "wide" : "";
  const node = div(
    { class: `field ${kind}` },
    isCheck ? [control, title] : [title, control],
    p({ class: "hint", id: `${id}-hint` }, hint),
    wrong,
  );
  return {
    node,
    name,
    value,
    set,
    fault(message) {
      fill(wrong, message);
      if (message) control.setAttribute("aria-invalid", "true");
      else control.removeAttribute("aria-invalid");
    },
    focus: () => control.focus(),
  };
}

const textOf = (control, mayBeNull) => () => (mayBeNull && control.value.trim() === "" ? null : control.value);

const listIn = (text, separator) => text.split(separator).map((each) => each.trim()).filter(Boolean);

/** One line of text. If it `mayBeNull`, it is `null` when empty; otherwise it is required. */
export function textField(name, words, { hint, mayBeNull = false, type = "text", ...attributes } = {}) {
  const control = input({ type, required: !mayBeNull, ...attributes });
  return field(name, words, hint, control, { value: textOf(control, mayBeNull) });
}

/** What must not be read over somebody's shoulder. */
export const secretField = (name, words, options) => textField(name, words, { type: "password", ...options });

export const mailField = (options) =>
  textField("email", "Mail address", { type: "email", ...options });

/** A password that somebody chooses. */
export const newPasswordField = (name, words, hint) =>
  secretField(name, words, { minlength: 10, maxlength: 200, autocomplete: "new-password", hint });

export function longTextField(name, words, { hint, rows = 3, mayBeNull = true, ...attributes } = {}) {
  const control = textarea({ rows, ...attributes });
  return field(name, words, hint, control, { value: textOf(control, mayBeNull) });
}

/** A number, `null` when empty if it `mayBeNull`; otherwise it is required. */
export function numberField(name, words, { hint, mayBeNull = false, ...attributes } = {}) {
  const control = input({ type: "number", inputmode: "decimal", step: "any", required: !mayBeNull, ...attributes });
  return field(name, words, hint, control, {
    value: () => (control.value === "" ? null : Number(control.value)),
  });
}

export function checkField(name, words, { hint, ...attributes } = {}) {
  const control = input({ type: "checkbox", ...attributes });
  return field(name, words, hint, control, {
    value: () => control.checked,
    set: (value) => (control.checked = Boolean(value)),
  });
}

/**
 * One of `choices`, each `[value, words]` or a name of the API in place of both. Another value is kept and shown.
 */
export function choiceField(name, words, choices, { hint, mayBeNull = false } = {}) {
  const pairs = choices.map((each) => (typeof each === "string" ? [each, sentence(each)] : each));
  const control = select(pairs.map(([value, shown]) => option({ value }, shown)));
  return field(name, words, hint, control, {
    value: textOf(control, mayBeNull),
    set(value) {
      const wanted = value ?? "";
      if (![...control.options].some((each) => each.value === wanted))
        control.append(option({ value: wanted }, wanted));
      control.value = wanted;
    },
  });
}

/** One file of the person's own. */
export function fileField(name, words, { hint, ...attributes } = {}) {
  const control = input({ type: "file", required: true, ...attributes });
  return field(name, words, hint, control, { value: () => control.files[0] ?? null });
}

/** A list of texts, one a line. */
export function linesField(name, words, { hint, rows = 3 } = {}) {
  const control = textarea({ rows });
  return field(name, words, hint, control, {
    value: () => listIn(control.value, "\n"),
    set: (value) => (control.value = (value ?? []).join("\n")),
  });
}

/** A list of texts in one line, separated by commas. */
export function namesField(name, words, options) {
  const field = textField(name, words, { autocomplete: "off", required: false, ...options });
  const text = field.value;
  return {
    ...field,
    value: () => listIn(text(), /[,\n]/),
    set: (value) => field.set((value ?? []).join(", ")),
  };
}

/** A JSON document, for what has no form. `value()` throws what is wrong in words. */
export function jsonField(name, words, { hint, rows = 10 } = {}) {
  const control = textarea({ rows, class: "code", spellcheck: "false" });
  return field(name, words, hint, control, {
    value() {
      if (control.value.trim() === "") return null;
      try {
        return JSON.parse(control.value);
      } catch ({ message }) {
        const errors = [{ field: name, message: `is not JSON: ${message}` }];
        throw Object.assign(new Error(`${words}: this is not JSON.`), { errors });
      }
    },
    set: (value) => (control.value = value === null ? "" : JSON.stringify(value, null, 2)),
  });
}

/**
 * A list of objects, each with the fields that `makeFields()` gives; items are added and removed.
 * What an item holds besides these fields is kept.
 */
export function listField(name, words, makeFields, { hint, add }) {
  const items = [];
  const list = ul({ class: "items" });
  const wrong = p({ class: "fault" });

  function append(value) {
    const fields = makeFields();
    for (const each of fields) each.set(value[each.name] ?? (typeof each.value() === "boolean" ? true : ""));
    const item = { fields, value };
    const remove = () => {
      items.splice(items.indexOf(item), 1);
      item.node.remove();
      list.dispatchEvent(new Event("input", { bubbles: true }));
    };
    item.node = li(fields.map(({ node }) => node), press("Remove", remove, "plain"));
    items.push(item);
    list.append(item.node);
    return item;
  }

  return {
    name,
    node: div(
      { class: "field wide", role: "group", "aria-label": words },
      span({ class: "label" }, words),
      hint && p({ class: "hint" }, hint),
      list,
      wrong,
      small(add, () => append({}).fields[0].focus()),
    ),
    value: () =>
      items.map(({ fields, value }) => ({
        ...value,
        ...Object.fromEntries(fields.map((each) => [each.name, each.value()])),
      })),
    set(values) {
      items.length = 0;
      fill(list);
      for (const value of values ?? []) append(value);
    },
    fault: (message) => fill(wrong, message),
    focus: () => list.querySelector("input, textarea")?.focus(),
  };
}
