/** Addresses of the API description, and a page that shows it. */
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { iconPath } from "../pages/pages.ts";
import { Reply, routesOf, type Route } from "../route.ts";
import { docsPolicy } from "../service/security.ts";

const route = routesOf({ tag: "Documentation", auth: "optional" });

const initScript = `window.addEventListener("load", () => {
  window.ui = SwaggerUIBundle({
    url: "/api/openapi.json",
    dom_id: "#docs",
    deepLinking: true,
    displayOperationId: true,
    docExpansion: "none",
    defaultModelsExpandDepth: 0,
    filter: true,
    validatorUrl: null,
  });
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
