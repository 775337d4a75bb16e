// The fields of a schema as a list in which objects can be opened.

import { inline, lazyDetails, node, prose } from "./nodes.js";

const MANY_VALUES = 12;

/** The fields of an object's schema, required ones first. */
export function fieldsOf(schema, schemas) {
  const required = new Set(schema.required ?? []);
  const fields = Object.entries(schema.properties ?? {});
  fields.sort(([one], [other]) => required.has(other) - required.has(one));
  return node("ul", { class: "fields" }, fields.map(([name, field]) =>
    fieldOf({ name, schema: field, isRequired: required.has(name) }, schemas)));
}

/** One field or parameter: its name, kind, limits, default, meaning and parts. */
export function fieldOf({ name, schema, isRequired, about, place }, schemas) {
  const whole = schemas.resolved(schema);
  return node("li", { class: "field" },
    node("p", { class: "field-head" },
      node("code", { class: "field-name" }, name),
      node("span", { class: "kind" }, schemas.kind(schema)),
      place ? node("span", { class: "kind" }, `in the ${place}`) : null,
      isRequired ? node("span", { class: "required" }, "required") : null,
      whole.deprecated ? node("span", { class: "required" }, "deprecated") : null),
    prose(about ?? whole.description ?? schemas.choices(schema).find((choice) => choice.description)?.description),
    factsOf(whole, schema, schemas),
    partsOf(schema, schemas));
}

function factsOf(whole, schema, schemas) {
  const values = schemas.values(schema);
  const facts = [
    ...schemas.limits(schema).map((limit) => node("span", { class: "fact" }, inline(limit))),
    defaultOf(whole),
    listOf(values),
  ].filter(Boolean);
  return facts.length ? node("div", { class: "facts" }, facts) : null;
}

function defaultOf(whole) {
  const isTold = whole.default !== undefined && whole.default !== null;
  const text = isTold ? JSON.stringify(whole.default) : "";
  return isTold && text.length < 80 ? node("span", { class: "fact" }, "default ", node("code", {}, text)) : null;
}

function listOf(values) {
  if (values.length === 0) return null;
  const listed = values.map((value) => node("code", {}, JSON.stringify(value)));
  if (values.length <= MANY_VALUES) return node("span", { class: "fact values" }, "one of ", listed);
  return lazyDetails({ class: "fact values" }, `one of ${values.length} values`, () => node("div", {}, listed));
}

/** What an object is made of. A field that can be several objects shows each under its title. */
function partsOf(schema, schemas) {
  const objects = schemas.objects(schema);
  return objects.map((object) => lazyDetails({ class: "parts" },
    objects.length === 1 ? "Fields" : `Fields of ${titleOf(object)}`, () => fieldsOf(object, schemas)));
}

function titleOf(object) {
  const marked = Object.values(object.properties).map((field) => field.const).find(Boolean);
  return marked ? JSON.stringify(marked) : (object.title ?? "one form");
}
