/** The API description, made from the routes: what validates a request is what documents it. */
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { z } from "zod";
import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiPathsObject } from "zod-openapi";
import { failures, type FailureCode } from "../../contract/errors.ts";
import { iconPath } from "./pages/pages.ts";
import { Reply, routesOf, type Route } from "./route.ts";
import { docsPolicy } from "./service/security.ts";

const route = routesOf({ tag: "Documentation", auth: "optional" });

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
    error: z.string().meta({ description: "a code of RFC 6749, section 5.2, or RFC 8628, section 3.5" }),
    error_description: z.string().meta({ description: "a sentence for people" }),
  })
  .meta({ id: "OauthFailure" });

/** OpenAPI 3.1 of the given routes. */
export function describeRoutes(routes: Route[], version: string, baseUrl: string) {
  const paths: ZodOpenApiPathsObject = {};
  for (const declared of routes) {
    if (!declared.path.startsWith("/api/") || declared.path === "/api/openapi.json") continue;
    const name = declared.path.replace(/[:*](\w+)/g, "{$1}");
    paths[name] = { ...paths[name], [declared.method]: describe(declared) };
  }
  return createDocument({
    openapi: "3.1.0",
    info: {
      title: "Skill registry",
      version,
      description: "Publish, version and install agent skills. Every version is a Git commit.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: baseUrl }],
    components: {
      securitySchemes: {
        token: { type: "http", scheme: "bearer", description: "an API token (lsk_… or lskt_…)" },
        signature: {
          type: "apiKey",
          in: "header",
          name: "X-Svc-Signature",
          description:
            "an anonymous identity's Ed25519 signature, with X-Svc-Key, X-Svc-Timestamp and X-Svc-Nonce, over method, path, SHA-256 of the body, timestamp and nonce, a line each",
        },
        session: { type: "apiKey", in: "cookie", name: "svc_session", description: "the browser's session" },
      },
    },
    paths,
  });
}

function describe(declared: Route): ZodOpenApiOperationObject {
  const isList = declared.page === true;
  const data = declared.data ?? undefined;
  const envelope = z.object({
    success: z.literal(true),
    ...(data ? { data: isList ? z.array(data) : data } : {}),
    ...(isList ? { nextCursor: z.string().nullable(), ...declared.pageFields } : {}),
  });
  const failure = declared.oauthFailures
    ? {
        description: "a failure in the form of OAuth's standards",
        content: { "application/json": { schema: OauthFailure } },
      }
    : {
        description: "a failure of the closed table",
        content: { "application/json": { schema: Failure } },
      };
  const answer = declared.produces
    ? { description: "OK", content: { [declared.produces]: { schema: data ?? { type: "string" as const } } } }
    : { description: "OK", content: { "application/json": { schema: envelope } } };
  return {
    summary: declared.summary,
    operationId: operationId(declared),
    tags: [declared.tag],
    security: securityOf(declared),
    requestParams: {
      ...(isObject(declared.params) ? { path: declared.params } : {}),
      ...(isObject(declared.query) ? { query: declared.query } : {}),
    },
    ...(declared.body ? { requestBody: { required: true, content: requestContent(declared) } } : {}),
    ...(declared.stream
      ? {
          requestBody: {
            required: true,
            content: { "application/octet-stream": { schema: { type: "string", format: "binary" } } },
          },
        }
      : {}),
    responses:
      declared.status === 201 ? { "201": answer, default: failure } : { "200": answer, default: failure },
  };
}

function securityOf({ auth, signable }: Route) {
  const signature = { signature: [] };
  if (signable === "only") return [signature];
  const known = [{ token: [] }, { session: [] }, ...(signable ? [signature] : [])];
  return auth === "required" || auth === "administrator" ? known : [{}, ...known];
}

function requestContent(declared: Route) {
  const schema = declared.body!;
  return {
    "application/json": { schema },
    ...(declared.form ? { "application/x-www-form-urlencoded": { schema } } : {}),
  };
}

function isObject(schema: z.ZodType | undefined): schema is z.ZodObject {
  return schema instanceof z.ZodObject;
}

function operationId(declared: Route): string {
  const words = declared.path
    .replace(/^\/api\//, "")
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== "");
  return [declared.method, ...words]
    .map((word, index) => (index === 0 ? word : word[0]!.toUpperCase() + word.slice(1)))
    .join("");
}

const initScript = `window.addEventListener("load", () => {
  window.ui = SwaggerUIBundle({ url: "/api/openapi.json", dom_id: "#docs", deepLinking: true, validatorUrl: null });
});
`;

const docsPage = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>API · Skill registry</title><meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" type="image/svg+xml" href="${iconPath}"><link rel="stylesheet" href="/docs/swagger-ui.css"></head>
<body><main id="docs"></main><script src="/docs/swagger-ui-bundle.js"></script><script src="/docs/init.js"></script></body>
</html>
`;

/** `/api/openapi.json`, also where tools look for it, and a page at `/docs` that runs on our own files alone. */
export function docsRoutes(description: () => object): Route[] {
  const folder = path.dirname(createRequire(import.meta.url).resolve("swagger-ui-dist/package.json"));
  const asset = (name: string, type: string, read: () => Promise<Buffer | string>) =>
    route({
      method: "get",
      path: `/docs/${name}`,
      summary: "A file of the API page",
      produces: type,
      handle: async () =>
        new Reply(await read(), {
          type: `${type}; charset=utf-8`,
          headers: { "cache-control": "public, max-age=3600" },
        }),
    });
  return [
    ...["/api/openapi.json", "/openapi.json"].map((address) =>
      route({
        method: "get",
        path: address,
        summary: "This description",
        crossOrigin: "always",
        produces: "application/json",
        handle: async () => new Reply(description(), { headers: { "cache-control": "public, no-cache" } }),
      }),
    ),
    route({
      method: "get",
      path: "/docs",
      summary: "The API page",
      produces: "text/html",
      handle: async () =>
        new Reply(docsPage, {
          type: "text/html; charset=utf-8",
          headers: { "content-security-policy": docsPolicy },
        }),
    }),
    asset("init.js", "text/javascript", async () => initScript),
    asset("swagger-ui.css", "text/css", () => readFile(path.join(folder, "swagger-ui.css"))),
    asset("swagger-ui-bundle.js", "text/javascript", () =>
      readFile(path.join(folder, "swagger-ui-bundle.js")),
    ),
  ];
}
