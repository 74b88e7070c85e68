/** The API description, made from the routes: what validates a request is what documents it. */
import { z } from "zod";
import {
  createDocument,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
  type ZodOpenApiResponseObject,
} from "zod-openapi";
import { failures, type FailureCode } from "../../../contract/errors.ts";
import { budgetOf } from "../request/rate-limit.ts";
import type { Route } from "../route.ts";
import { completeFields, exampleOf, textOf, type Schema, type Schemas } from "./complete-fields.ts";
import { describeFailures, failureCodesOf, failuresByStatus } from "./failures.ts";
import { bodyExamples } from "./field-examples.ts";
import { tagTexts } from "./tags.ts";

const Failure = z
  .object({
    success: z.literal(false),
    error: z.string().meta({ description: "a sentence for people" }),
    code: z.enum(Object.keys(failures) as [FailureCode, ...FailureCode[]]),
    details: z.record(z.string(), z.unknown()).optional(),
    requestId: z.string(),
  })
  .meta({ id: "Failure" });

const OauthFailure = z
  .object({
    error: z.string().meta({
      description: "a code of RFC 6749, section 5.2, or RFC 8628, section 3.5",
      examples: ["authorization_pending"],
    }),
    error_description: z.string().meta({ description: "a sentence for people" }),
  })
  .meta({ id: "OauthFailure" });

const headers = {
  RequestId: {
    description: "id of the request, for the operator's log",
    schema: { type: "string" as const, examples: ["5a0f9c3e-8d1b-4c7a-9e2f-6b8d0c1a2e3f"] },
  },
  RetryAfter: {
    description: "seconds to wait before the next attempt",
    schema: { type: "integer" as const, examples: [30] },
  },
  ETag: {
    description: "tag of the content, for If-None-Match",
    schema: { type: "string" as const, examples: ['"9f86d081884c7d65"'] },
  },
};

const parameters = {
  IdempotencyKey: {
    name: "Idempotency-Key",
    in: "header" as const,
    description:
      "8 to 128 visible ASCII characters: a repeated call with the same key, body and credential within 24 hours " +
      "gets the first result",
    schema: { type: "string" as const, minLength: 8, maxLength: 128, examples: ["publish-8c0f4e1b7a2d"] },
  },
  IfNoneMatch: {
    name: "If-None-Match",
    in: "header" as const,
    description:
      "the `ETag` of an earlier response: if it still applies, the response is 304 without content",
    schema: { type: "string" as const, examples: ['"9f86d081884c7d65"'] },
  },
};

const header = (name: keyof typeof headers) => ({ $ref: `#/components/headers/${name}` });
const requestId = { "X-Request-Id": header("RequestId") };
const signatureHeader = (name: string, description: string) => ({
  type: "apiKey" as const,
  in: "header" as const,
  name,
  description,
});

interface Media {
  schema?: Schema;
  example?: unknown;
}
interface Described {
  operationId: string;
  parameters?: { $ref?: string; name: string; description?: string; schema: Schema }[];
  requestBody?: { content: Record<string, Media> };
  responses: Record<string, { $ref?: string; content?: Record<string, Media> }>;
}
/** The parts of the document that are completed. */
export interface Description {
  openapi: string;
  paths: Record<string, Record<string, Described>>;
  components: { schemas: Schemas; responses: Record<string, { content?: Record<string, Media> }> };
}

/** OpenAPI 3.1 of the given routes. Throws for a route that lacks a part of its description. */
export function describeRoutes(routes: Route[], version: string, baseUrl: string) {
  const described = routes.filter(({ path }) => path.startsWith("/api/") && path !== "/api/openapi.json");
  const responses: Record<string, ZodOpenApiResponseObject> = {};
  const paths: ZodOpenApiPathsObject = {};
  for (const declared of described) {
    const name = declared.path.replace(/[:*](\w+)/g, "{$1}");
    paths[name] = { ...paths[name], [declared.method]: describe(declared, responses) };
  }
  const document = createDocument({
    openapi: "3.1.0",
    info: {
      title: "Skill registry",
      version,
      description: "Publish, version and install agent skills. Every version is a Git commit.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: baseUrl, description: "this service" }],
    tags: [...new Set(described.map(({ tag }) => tag))].sort().map((name) => ({
      name,
      description: tagTexts[name] ?? missing(`a text for the tag "${name}" in tags.ts`),
    })),
    components: {
      headers,
      parameters,
      responses,
      schemas: { Failure, OauthFailure },
      securitySchemes: {
        token: { type: "http", scheme: "bearer", description: "an API token (lsk_… or lskt_…)" },
        signature: signatureHeader(
          "X-Svc-Signature",
          "an anonymous identity's Ed25519 signature over method, path, SHA-256 of the body, timestamp and nonce, a line each",
        ),
        signatureKey: signatureHeader("X-Svc-Key", "the id of the anonymous identity, or its public key"),
        signatureTimestamp: signatureHeader(
          "X-Svc-Timestamp",
          "time of the signature, at most 5 minutes ago",
        ),
        signatureNonce: signatureHeader("X-Svc-Nonce", "a random text, which is accepted once"),
        session: { type: "apiKey", in: "cookie", name: "svc_session", description: "the browser's session" },
      },
    },
    paths,
  });
  const plain: Description = JSON.parse(JSON.stringify(document));
  complete(plain);
  return plain;
}

function missing(subject: string): never {
  throw new Error(`The API description needs ${subject}.`);
}

function describe(
  declared: Route,
  responses: Record<string, ZodOpenApiResponseObject>,
): ZodOpenApiOperationObject {
  const { id, method, path, summary, status = 200, params, query } = declared;
  return {
    operationId: id ?? missing(`an id for ${method} ${path}`),
    summary,
    description: sentencesOf(declared).join(" "),
    tags: [declared.tag],
    security: securityOf(declared),
    requestParams: {
      ...(isObject(params) ? { path: params } : {}),
      ...(isObject(query) ? { query } : {}),
    },
    parameters: headerParametersOf(declared).map((name) => ({ $ref: `#/components/parameters/${name}` })),
    requestBody: requestBodyOf(declared),
    responses: {
      [String(status)]: successOf(declared),
      ...(declared.conditional
        ? {
            "304": {
              description: "the content that the caller has is current",
              headers: { ETag: header("ETag") },
            },
          }
        : {}),
      ...failureResponsesOf(declared, responses),
    },
  };
}

/** The description in full sentences: what the summary says, and what follows from the properties of the route. */
function sentencesOf({
  summary,
  auth,
  signable,
  page,
  list,
  method,
  status,
  budget,
  crossOrigin,
}: Route): string[] {
  const isCreating = method === "post" && status === 201;
  const { points, seconds } = budget ? budgetOf(budget) : { points: 0, seconds: 0 };
  const sentences: (string | false)[] = [
    `${summary}.`,
    callersOf(auth, signable),
    page === true && "The response is a page of the list: `cursor` takes its `nextCursor`.",
    list !== undefined && "Without `limit`, it is the whole list.",
    isCreating && "With an `Idempotency-Key`, a repeated call gets the first result.",
    budget !== undefined &&
      `At most ${points} such calls in ${seconds} seconds are accepted from an address.`,
    crossOrigin !== undefined && "Pages of other origins can read the response.",
  ];
  return sentences.filter((sentence) => sentence !== false);
}

function callersOf(auth: Route["auth"], signable: Route["signable"]): string {
  if (signable === "only") return "The call is signed by an anonymous identity.";
  if (auth === "administrator") return "Only administrators of the service may call it.";
  const credentials = signable ? "a session, an API token or a signature" : "a session or an API token";
  if (auth === "required") return `It needs ${credentials}.`;
  return `It needs no sign-in; ${credentials} may show more.`;
}

function securityOf({ auth, signable }: Route) {
  const signature = { signature: [], signatureKey: [], signatureTimestamp: [], signatureNonce: [] };
  if (signable === "only") return [signature];
  const known = [{ token: [] }, { session: [] }, ...(signable ? [signature] : [])];
  return auth === "required" || auth === "administrator" ? known : [{}, ...known];
}

function headerParametersOf({ method, status, stream, conditional }: Route): (keyof typeof parameters)[] {
  if (conditional) return ["IfNoneMatch"];
  return method === "post" && status === 201 && !stream ? ["IdempotencyKey"] : [];
}

function requestBodyOf({ body: schema, stream, form }: Route): ZodOpenApiOperationObject["requestBody"] {
  const binary = { schema: { type: "string" as const, format: "binary", description: "the bytes" } };
  if (stream) return { required: true, content: { "application/octet-stream": binary } };
  if (!schema) return undefined;
  const content = {
    "application/json": { schema },
    ...(form ? { "application/x-www-form-urlencoded": { schema } } : {}),
  };
  return { required: true, content };
}

function successOf({ data, list, page, pageFields, produces, conditional }: Route) {
  const envelope = z.object({
    success: z.literal(true),
    ...(data ? { data: list ?? (page ? z.array(data) : data) } : {}),
    ...(page ? { nextCursor: z.string().nullable(), ...pageFields } : {}),
  });
  const schema = produces ? (data ?? { type: "string" as const }) : envelope;
  return {
    description: "the call succeeded",
    headers: conditional ? { ...requestId, ETag: header("ETag") } : requestId,
    content: { [produces ?? "application/json"]: { schema } },
  };
}

/** A response for each status; those of equal codes are one component. */
function failureResponsesOf(declared: Route, responses: Record<string, ZodOpenApiResponseObject>) {
  const isOauth = declared.oauthFailures !== undefined;
  const component = isOauth ? "OauthFailure" : "Failure";
  const add = (name: string, status: string, codes: readonly FailureCode[]) => {
    const mayRetry = status === "429" || status === "503";
    const base = { $ref: `#/components/schemas/${component}` };
    const own = {
      type: "object" as const,
      properties: { code: { type: "string" as const, enum: [...codes], examples: [codes[0]] } },
    };
    responses[name] ??= {
      description: codes.length > 0 ? describeFailures(codes) : "a failure of the closed table",
      headers: mayRetry ? { ...requestId, "Retry-After": header("RetryAfter") } : requestId,
      content: {
        "application/json": { schema: isOauth || codes.length === 0 ? base : { allOf: [base, own] } },
      },
    };
    return { $ref: `#/components/responses/${name}` };
  };
  const prefix = isOauth ? "Oauth" : "";
  const byStatus = [...failuresByStatus(failureCodesOf(declared))].map(([status, codes]) => {
    const name =
      prefix +
      codes.map((code) => code.replace(/(?:^|_)(\w)/g, (_, first) => first.toUpperCase())).join("Or");
    return [status, add(name, status, codes)] as const;
  });
  return { ...Object.fromEntries(byStatus), default: add(component, "default", []) };
}

function isObject(schema: z.ZodType | undefined): schema is z.ZodObject {
  return schema instanceof z.ZodObject;
}

/** Adds descriptions and examples of parameters, fields and contents. */
function complete({ paths, components: { schemas, responses } }: Description): void {
  for (const [name, schema] of Object.entries(schemas)) completeFields(schemas, schema, name);
  for (const operations of Object.values(paths))
    for (const operation of Object.values(operations)) completeOperation(schemas, operation);
  for (const { content = {} } of Object.values(responses))
    for (const media of Object.values(content))
      if (media.schema) media.example = exampleOf(schemas, media.schema, "", "Failure");
}

function completeOperation(
  schemas: Schemas,
  { operationId, parameters: declared = [], ...operation }: Described,
) {
  for (const parameter of declared) {
    if (parameter.$ref) continue;
    const { name, schema } = parameter;
    parameter.description ??= schema.description ?? textOf(name, operationId);
    schema.examples ??= [exampleOf(schemas, schema, name, operationId)];
  }
  for (const media of Object.values(operation.requestBody?.content ?? {}))
    completeMedia(schemas, media, operationId, true);
  for (const { content = {} } of Object.values(operation.responses))
    for (const media of Object.values(content)) completeMedia(schemas, media, operationId, false);
}

function completeMedia(schemas: Schemas, media: Media, owner: string, isRequest: boolean): void {
  if (!media.schema) return;
  completeFields(schemas, media.schema, owner);
  if (media.schema.type === "string") return;
  const given = isRequest ? bodyExamples[owner] : undefined;
  media.example = given ?? exampleOf(schemas, media.schema, "", owner, isRequest);
}
