// Writes the generated sources of the dashboard, which git ignores: the types of the API, from the service's own
// description, and the route tree, from web/routes.ts. Types, lint and dead code need both; nothing is done if their
// sources have not changed.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { Generator, getConfig } from "@tanstack/router-generator";
import { root, stateOf } from "./sources.mjs";

const folder = path.join(root, "web", "generated");
const stamp = path.join(folder, ".stamp");
const state = stateOf({
  sources: [
    "contract",
    "src",
    "storage",
    "web/routes.ts",
    "web/src/pages",
    "web/api-types.ts",
    "scripts/generate-web.mjs",
    "package-lock.json",
  ],
});
if (fs.existsSync(stamp) && fs.readFileSync(stamp, "utf8") === state) process.exit();

const print = `
  const { apiRoutes } = await import("./src/api.ts");
  const { describeRoutes } = await import("./src/http/openapi.ts");
  const { printApiTypes } = await import("./web/api-types.ts");
  // The handlers are not called, so that nothing of the application is used.
  const app = new Proxy({}, { get: () => app });
  process.stdout.write(printApiTypes(describeRoutes(apiRoutes(app, "0.0.0"), "0.0.0", "http://localhost")));
`;

const types = execFileSync(process.execPath, ["--import", "tsx", "--input-type=module", "-e", print], {
  cwd: root,
  maxBuffer: 64 * 1024 * 1024,
});
writeIfChanged(path.join(folder, "api-types.ts"), types.toString());

const { routes } = await import("../web/routes.ts").catch(() => importRoutes());
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

/** On a Node.js without type stripping. */
async function importRoutes() {
  const { tsImport } = await import("tsx/esm/api");
  return tsImport("../web/routes.ts", import.meta.url);
}

function writeIfChanged(file, text) {
  if (fs.existsSync(file) && fs.readFileSync(file, "utf8") === text) return;
  fs.writeFileSync(`${file}.new`, text);
  fs.renameSync(`${file}.new`, file);
}
