// The generated module of the package @svc/client: types of the operations of the API description, and a table of
// their methods and paths. Without comments and needless characters, since the package is small.

/**
 * Groups of operations that the package leaves out: they need the session of a browser, set up identity providers, or
 * are for administrators.
 */
const omittedTags = new Set(["Sign-in", "Second factors", "Account", "Single sign-on", "Administration"]);

/**
 * Prints the module.
 *
 * @param {object} description OpenAPI 3.1 of the service
 * @param {(schema: object) => string} printSchema prints a type
 */
export function printClientOperations(description, printSchema) {
  const { schemas, responses } = description.components;
  const type = (schema) =>
    printSchema(schema)
      .replaceAll(/\/\*\*[^]*?\*\/\s*/g, "")
      .replaceAll(/components\["schemas"\]\["(\w+)"\]/g, "$1")
      .replaceAll(/"([A-Za-z_$][\w$]*)"(\??):/g, "$1$2:")
      .replaceAll(/\s+/g, " ")
      .replaceAll(/;? \}/g, "}")
      .replaceAll(/([{:;|]) | (?=\|)/g, "$1")
      .replaceAll(/\((\w+)\)(?=[[|;},]|$)/g, "$1");
  const operations = Object.entries(description.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, one]) => !omittedTags.has(one.tags[0]) && path !== "/api/webhooks/github")
      .map(([method, one]) => ({ path: path.replace(/^\/api/, ""), method: method.toUpperCase(), ...one })),
  );
  const types = operations.map((one) => `${one.operationId}:{${fieldsOf(one, type).join(";")}};`);
  const table = operations.map(
    ({ operationId, method, path, ...one }) => `${operationId} ${method} ${path} ${marksOf(one)}`,
  );
  const used = usedSchemas(schemas, [operations, responses.Failure]);
  return [
    "// Written by `npm run generate:web` from the API description. Do not edit.",
    ...[...used]
      .sort((a, b) => (a < b ? -1 : 1))
      .map((name) => `export type ${name}=${type(schemas[name])};`),
    `export interface Operations {\n${types.join("\n")}\n}`,
    `export const routes: string = \`${table.map((line) => line.trim()).join("\n")}\`;`,
    "",
  ].join("\n");
}

function fieldsOf({ parameters = [], requestBody, responses }, type) {
  const fields = [];
  for (const place of ["path", "query"]) {
    const own = parameters.filter((one) => one.in === place);
    if (own.length === 0) continue;
    const members = own.map(({ name, required, schema }) => `${name}${required ? "" : "?"}:${type(schema)}`);
    const isRequired = own.some(({ required }) => required);
    fields.push(`${place}${isRequired ? "" : "?"}:{${members.join(";")}}`);
  }
  const body = requestBody?.content["application/json"];
  if (body) fields.push(`body:${type(body.schema)}`);
  else if (requestBody) fields.push("body:Uint8Array | Blob | ReadableStream");
  const content = (responses["200"] ?? responses["201"]).content;
  const { properties } = content["application/json"]?.schema ?? {};
  if (!properties?.success) fields.push("data:Response");
  else if (properties.nextCursor) fields.push(`item:${type(properties.data.items)}`);
  else if (properties.data) fields.push(`data:${type(properties.data)}`);
  return fields;
}

/** `+`: takes an Idempotency-Key. `b`: takes bytes. */
function marksOf({ parameters = [], requestBody }) {
  const creates = parameters.some(({ $ref }) => $ref?.endsWith("/IdempotencyKey"));
  const takesBytes = requestBody !== undefined && !requestBody.content["application/json"];
  return `${creates ? "+" : ""}${takesBytes ? "b" : ""}`;
}

/** Names of the schemas that the parts refer to, also by other schemas. */
function usedSchemas(schemas, parts) {
  const used = new Set();
  const visit = (part) => {
    for (const [, name] of JSON.stringify(part).matchAll(/#\/components\/schemas\/(\w+)/g)) {
      if (used.has(name)) continue;
      used.add(name);
      visit(schemas[name]);
    }
  };
  parts.forEach(visit);
  return used;
}
