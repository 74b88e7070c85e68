/** Variables of the service, by which the files of `deploy/` have to name its settings. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { Environment } from "../../src/environment.ts";
import { secretNames } from "../../src/secret-files.ts";
import { root } from "../support/root.ts";

export const readDeployed = (name: string) => readFileSync(path.join(root, "deploy", name), "utf8");

/** The last two are the run time's own. */
const known = new Set([
  ...Object.keys(Environment.shape),
  ...secretNames.map((name) => `${name}_FILE`),
  "NODE_ENV",
  "HOME",
]);

/** Fails with the names that are no variables of the service. */
export function assertSettings(names: readonly string[]): void {
  assert.ok(names.length > 0);
  assert.deepEqual(
    names.filter((name) => !known.has(name)),
    [],
  );
}
