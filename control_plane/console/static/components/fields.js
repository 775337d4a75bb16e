/**
 * Fields of forms: a label, a control, a hint, and a place for what is wrong.
 *
 * Each field is `{ node, name, value(), set(value), fault(message) }`. `value()` is what the API gets.
 */

import { div, fill, li, p, span, tags, ul } from "../core/elements.js";
import { sentence } from "../core/format.js";
import { press, small } from "./buttons.js";

const { input, label, option, select, textarea } = tags;

let count = 0;

function field(name, words, hint, control, { value, set = (given) => (control.value = given ?? "") }) {
  const id = `field-${++count}`;
  control.id = id;
  control.dir ||= "auto";
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
export function numberField(name, words, options) {
  const text = textField(name, words, { type: "number", inputmode: "decimal", step: "any", ...options });
  return { ...text, value: () => (text.value() ? Number(text.value()) : null) };
}

export function checkField(name, words, { hint, ...attributes } = {}) {
  const control = input({ type: "checkbox", ...attributes });
  return field(name, words, hint, control, {
    value: () => control.checked,
    set: (value) => (control.checked = Boolean(value)),
  });
}

function choice(each) {
  if (typeof each === "string") return option({ value: each }, sentence(each));
  const [value, words] = Array.isArray(each) ? each : [each.id, each.name];
  return option({ value }, words);
}

/** A list of `choices`: each is `[value, words]`, has an `id` and a `name`, or is a name of the API. */
export const listOf = (choices, attributes = {}) => select(attributes, choices.map(choice));

/** One of `choices` as `listOf` takes them. Another value is kept and shown. */
export function choiceField(name, words, choices, { hint, mayBeNull = false } = {}) {
  const control = listOf(choices);
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

/** `text`, whose value is a list of what stands between separators. */
const listIn = (text, separator, joint) => ({
  ...text,
  value: () => text.value().split(separator).map((each) => each.trim()).filter(Boolean),
  set: (value) => text.set((value ?? []).join(joint)),
});

/** A list of texts, one a line. */
export const linesField = (name, words, options) => listIn(longTextField(name, words, { mayBeNull: false, ...options }), "\n", "\n");

/** A list of texts in one line, separated by commas. */
export const namesField = (name, words, options) =>
  listIn(textField(name, words, { autocomplete: "off", required: false, ...options }), /[,\n]/, ", ");

/** A JSON document, for what has no form. `value()` throws what is wrong in words. */
export function jsonField(name, words, options) {
  const text = longTextField(name, words, { rows: 10, class: "code", dir: "ltr", spellcheck: "false", ...options });
  return {
    ...text,
    value() {
      try {
        return JSON.parse(text.value());
      } catch ({ message }) {
        const errors = [{ field: name, message: `is not JSON: ${message}` }];
        throw Object.assign(new Error(`${words}: this is not JSON.`), { errors });
      }
    },
    set: (value) => text.set(value === null ? "" : JSON.stringify(value, null, 2)),
  };
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
