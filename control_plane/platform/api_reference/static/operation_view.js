// One operation: words and fields on one side, the command and an answer on the other.

import { curlOf } from "./curl.js";
import { exampleOf } from "./examples.js";
import { inline, lazyDetails, node, prose } from "./nodes.js";
import { fieldOf, fieldsOf } from "./schema_view.js";

const SCHEMES = {
  api_key: "API key", dashboard_session: "dashboard session", operator_token: "operator token", access_token: "access token",
};

export function operationView(operation, schemas, origin) {
  return node("article", { class: "operation", id: operation.anchor, "aria-labelledby": `${operation.anchor}-title` },
    node("div", { class: "words" },
      node("h3", { id: `${operation.anchor}-title` },
        operation.title,
        node("a", { class: "anchor", href: `#${operation.anchor}`, "aria-label": `Link to ${operation.title}` }, "#")),
      addressView(operation),
      prose(operation.about),
      permissionView(operation),
      parametersView(operation, schemas),
      bodyView(operation, schemas),
      answersView(operation, schemas),
      errorsView(operation)),
    node("div", { class: "samples" },
      sample("Request", curlOf(operation, schemas, origin), "Copy as curl"),
      operation.answers.filter((answer) => isJson(answer.media)).slice(0, 1).map((answer) =>
        sample(`Answer ${answer.status}`, JSON.stringify(answer.example ?? exampleOf(answer.schema, schemas, { withOptional: true }), null, 2)))));
}

/** Text in a box, with a button that copies it if the button has a name. */
export function sample(title, text, copyName) {
  return node("figure", { class: "sample" },
    node("figcaption", {}, node("span", {}, title), copyName ? copyButton(text, copyName) : null),
    node("pre", { tabindex: "0", "aria-label": title }, node("code", {}, text)));
}

function copyButton(text, name) {
  const button = node("button", { type: "button", class: "copy", click: copy }, name);
  async function copy() {
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = "Copied";
    } catch {
      // Browsers forbid it on plain HTTP from another machine: select the text instead.
      getSelection().selectAllChildren(button.closest("figure").querySelector("code"));
      button.textContent = "Selected: press Ctrl+C";
    }
    setTimeout(() => { button.textContent = name; }, 2000);
  }
  return button;
}

export function methodView(method) {
  return node("span", { class: "method", "data-method": method }, method.toUpperCase());
}

function addressView({ method, path }) {
  const parts = path.split(/(\{\w+\})/).map((part) =>
    part.startsWith("{") ? node("span", { class: "variable" }, part) : part.split("/").flatMap((step, index) => index ? ["/", node("wbr"), step] : [step]));
  return node("p", { class: "address" }, methodView(method), node("code", {}, parts));
}

function permissionView({ schemes }) {
  const names = schemes.map((scheme) => SCHEMES[scheme] ?? scheme);
  return node("p", { class: "permission" }, names.length ? `Who may: ${names.join(" or ")}` : "Who may: anybody, without a key");
}

function parametersView({ parameters }, schemas) {
  if (parameters.length === 0) return null;
  return [node("h4", {}, "Parameters"), node("ul", { class: "fields" }, parameters.map((each) => fieldOf({
    name: each.name, schema: each.schema, isRequired: each.required, about: each.description, place: each.in,
  }, schemas)))];
}

function bodyView({ body }, schemas) {
  if (!body) return null;
  return [node("h4", {}, "Body ", node("small", {}, body.media)), contentView(body.schema, schemas)];
}

function answersView({ answers }, schemas) {
  return answers.map((answer) => [
    node("h4", {}, `Answer ${answer.status} `, answer.media ? node("small", {}, answer.media) : null),
    answer.about ? node("p", {}, inline(answer.about)) : null,
    isJson(answer.media) && schemas.objects(answer.schema).length
      ? lazyDetails({ class: "parts" }, "Fields", () => contentView(answer.schema, schemas)) : null,
  ]);
}

function contentView(schema, schemas) {
  const objects = schemas.objects(schema);
  if (objects.length === 1) return fieldsOf(objects[0], schemas);
  return node("ul", { class: "fields" }, fieldOf({ name: "body", schema, isRequired: true }, schemas));
}

function errorsView({ errors }) {
  return lazyDetails({ class: "errors parts" }, `Errors (${errors.length})`, () =>
    node("table", {},
      node("thead", {}, node("tr", {}, ["Status", "Code", "Meaning"].map((head) => node("th", { scope: "col" }, head)))),
      node("tbody", {}, errors.map((error) => node("tr", {},
        node("td", {}, error.status), node("td", {}, error.code ? node("code", {}, error.code) : ""), node("td", {}, error.title))))));
}

function isJson(media) {
  return media === "application/json";
}
