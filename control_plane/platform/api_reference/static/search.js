// Which operations a search finds. All its words must occur, in any order.

/** What can be searched of each operation, as one text: words, path, fields and error codes. */
export function searchTextOf(operation, schemas) {
  const fields = (schema) => (schema ? schemas.objects(schema).flatMap((object) => Object.keys(object.properties)) : []);
  return [
    operation.method, operation.path, operation.title, operation.about, operation.tag,
    ...operation.parameters.map((parameter) => parameter.name),
    ...fields(operation.body?.schema),
    ...operation.answers.flatMap((answer) => fields(answer.schema)),
    ...operation.errors.map((error) => error.code),
  ].filter(Boolean).join(" ").toLowerCase();
}

export function finds(query, searchText) {
  return query.toLowerCase().split(/\s+/).every((word) => searchText.includes(word));
}
