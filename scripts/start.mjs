// npm start: installs and builds what is stale, then runs the service in this very process, so that signals, the
// exit code and the arguments are its own.
import path from "node:path";
import { pathToFileURL } from "node:url";

import { requireNode } from "./node-version.mjs";

requireNode();
const { installIfStale } = await import("./install.mjs");
const { buildIfStale } = await import("./build.mjs");
const { builds, root } = await import("./sources.mjs");

installIfStale();
await buildIfStale();
await import(pathToFileURL(path.join(root, builds.server.output)).href);
