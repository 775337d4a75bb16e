// The command that sends an operation's request, as a shell takes it.

import { exampleOf } from "./examples.js";

const VARIABLES = { api_key: "KEY", operator_token: "OPERATOR_TOKEN", access_token: "ACCESS_TOKEN" };
const FORM = "multipart/form-data";
const FILES = { "text/csv": "numbers.csv", "application/sdp": "offer.sdp" };

/** One command over several lines. Keys and ids are shell variables: `$KEY`, `$CALL_ID`. */
export function curlOf(operation, schemas, origin) {
  const parts = [`curl -sS${operation.method === "get" ? "" : ` -X ${operation.method.toUpperCase()}`} "${addressOf(operation, schemas, origin)}"`];
  const variable = operation.schemes.map((scheme) => VARIABLES[scheme]).find(Boolean);
  if (variable) parts.push(`-H "Authorization: Bearer $${variable}"`);
  if (operation.body?.media === FORM) parts.push(...fieldsOf(operation.body.schema));
  else if (operation.body) parts.push(`-H "Content-Type: ${operation.body.media}"`, dataOf(operation.body, schemas));
  return parts.join(" \\\n  ");
}

function addressOf(operation, schemas, origin) {
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name) => `$${name.toUpperCase()}`);
  const query = operation.parameters.filter((each) => each.in === "query" && each.required).map((each) =>
    `${each.name}=${encodeURIComponent(exampleOf(each.schema, schemas))}`);
  return origin + path + (query.length ? `?${query.join("&")}` : "");
}

/** What a form needs; curl itself says that it is one. */
function fieldsOf({ properties, required = [] }) {
  return required.map((name) => `-F ${name}=${properties[name].format === "binary" ? "@document.pdf" : "…"}`);
}

function dataOf({ media, schema, example }, schemas) {
  if (media in FILES) return `--data-binary @${FILES[media]}`;
  const body = JSON.stringify(example ?? exampleOf(schema, schemas), null, 2);
  return `-d '${body.replaceAll("'", "'\\''")}'`;
}
