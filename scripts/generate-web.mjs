// Writes the generated sources of the dashboard and of the API client, which git ignores: the types of the API, from
// the description of the service, the steps for identity providers, from the guides, and the route tree, from
// web/routes.ts. Types, lint and dead code need them; nothing is done if their sources have not changed.
import fs from "node:fs";
import path from "node:path";
import { Generator, getConfig } from "@tanstack/router-generator";
import { register } from "tsx/esm/api";
import { printClientOperations } from "./client-operations.mjs";
import { root, stateOf } from "./sources.mjs";

const folder = path.join(root, "web", "generated");
const stamp = path.join(folder, ".stamp");
const sources = ["contract", "src", "storage", "web/routes.ts", "web/src/pages", "web/api-types.ts"];
const ownScripts = ["scripts/generate-web.mjs", "scripts/client-operations.mjs"];
const guides = ["web/guide-steps.ts", "docs/guides/sso.md", "docs/guides/scim.md"];
const state = stateOf([...sources, ...guides, ...ownScripts, "package-lock.json"]);
if (fs.existsSync(stamp) && fs.readFileSync(stamp, "utf8") === state) process.exit();

register();
const { apiRoutes } = await import("../src/api.ts");
const { describeRoutes } = await import("../src/http/openapi/describe.ts");
const { printApiTypes, printSchema } = await import("../web/api-types.ts");
const { writeGuides } = await import("../web/guide-steps.ts");
const { routes } = await import("../web/routes.ts");

// The handlers are not called, so that nothing of the application is used.
const app = new Proxy({}, { get: () => app });
const description = describeRoutes(apiRoutes(app, "0.0.0"), "0.0.0", "http://localhost");
replace(path.join(folder, "api-types.ts"), printApiTypes(description));
const client = path.join(root, "cli", "client", "generated");
fs.mkdirSync(client, { recursive: true });
replace(path.join(client, "operations.ts"), printClientOperations(description, printSchema));
writeGuides(root);

const config = getConfig(
  {
    target: "react",
    virtualRouteConfig: routes,
    routesDirectory: "web/src/pages",
    generatedRouteTree: "web/generated/route-tree.ts",
    quoteStyle: "double",
    disableLogging: true,
  },
  root,
);
await new Generator({ config, root }).run();
fs.writeFileSync(stamp, state);

function replace(file, text) {
  fs.writeFileSync(`${file}.new`, text);
  fs.renameSync(`${file}.new`, file);
}
