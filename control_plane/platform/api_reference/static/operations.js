// From an OpenAPI document to what the page shows, in the order of the document's tags.

const METHODS = ["get", "post", "put", "patch", "delete"];

/** Groups of operations: `[{ name, about, anchor, operations }]`. */
export function groupsOf(document) {
  const groups = new Map(document.tags.map(({ name, description }) =>
    [name, { name, about: description, anchor: slug(name), operations: [] }]));
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const method of METHODS.filter((each) => each in methods)) {
      const operation = operationOf(method, path, methods[method], document);
      groups.get(operation.tag)?.operations.push(operation);
    }
  }
  for (const { operations } of groups.values()) operations.sort(byPath);
  return [...groups.values()].filter((group) => group.operations.length > 0);
}

/** A collection comes before its members, and a member before what has a fixed name. */
function byPath(one, other) {
  const [first, second] = [one, other].map(({ path }) => path.replaceAll("{", "!"));
  return first < second ? -1 : first > second ? 1 : METHODS.indexOf(one.method) - METHODS.indexOf(other.method);
}

function operationOf(method, path, declared, document) {
  const answers = Object.entries(declared.responses).sort(([one], [other]) => one.localeCompare(other));
  return {
    anchor: slug(`${method} ${path}`),
    method,
    path,
    tag: declared.tags?.[0],
    title: declared.summary,
    about: declared.description,
    schemes: (declared.security ?? []).flatMap(Object.keys),
    parameters: (declared.parameters ?? []),
    body: bodyOf(declared.requestBody),
    answers: answers.filter(([status]) => status < 400).map(answerOf),
    errors: answers.filter(([status]) => status >= 400).flatMap((answer) => errorsOf(answer, document)),
  };
}

function bodyOf(requestBody) {
  if (!requestBody) return null;
  const [media, { schema, examples }] = Object.entries(requestBody.content)[0];
  return { media, schema, required: requestBody.required === true, example: Object.values(examples ?? {})[0]?.value };
}

function answerOf([status, { description, content }]) {
  const [media, told] = Object.entries(content ?? {})[0] ?? [null, {}];
  return { status, about: description === "Successful Response" ? null : description, media, schema: told.schema, example: told.example };
}

/** One row for each kind of problem: its status, its code and what it means. */
function errorsOf([status, { content, description }], document) {
  const schema = Object.values(content ?? {})[0]?.schema;
  if (!schema) return [{ status, code: null, title: description }];
  return (schema.oneOf ?? [schema]).map((reference) => {
    const problem = document.components.schemas[reference.$ref?.split("/").at(-1)];
    const code = problem?.allOf?.map((part) => part.properties?.code?.const).find(Boolean);
    return { status, code: code ?? null, title: problem?.title ?? description };
  });
}

export function slug(text) {
  return text.toLowerCase().replace(/[^a-z0-9_]+/g, "-").replace(/^-|-$/g, "");
}
