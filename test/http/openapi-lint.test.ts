/**
 * The API description under the linter `@redocly/cli`, with its recommended rules and all further ones that concern
 * clients. 2.77.0 is read from the folder `SVC_TOOLS`, made by `npm install --ignore-scripts --prefix <folder>
 * @redocly/cli@2.77.0`.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { apiRoutes } from "../../src/api.ts";
import { describeRoutes } from "../../src/http/openapi/describe.ts";
import { setUpService } from "../support/set-up.ts";

const linter = join(process.env["SVC_TOOLS"] ?? "", "node_modules/@redocly/cli/bin/cli.js");

const furtherRules = [
  "array-parameter-serialization",
  "no-invalid-media-type-examples",
  "no-invalid-parameter-examples",
  "no-invalid-schema-examples",
  "operation-description",
  "operation-singular-tag",
  "parameter-description",
  "scalar-property-missing-example",
  "tag-description",
  "tags-alphabetical",
];

const { service } = await setUpService();

describe("the API description", { skip: existsSync(linter) ? false : "needs SVC_TOOLS" }, () => {
  it("passes a linter without a warning", (t) => {
    const folder = mkdtempSync(join(os.tmpdir(), "svc-lint-"));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const document = describeRoutes(apiRoutes(service.app, "0.0.0"), "0.0.0", "https://skills.acme.dev");
    const rules = furtherRules.map((rule) => `  ${rule}: error\n`).join("");
    writeFileSync(join(folder, "openapi.json"), JSON.stringify(document));
    writeFileSync(join(folder, "redocly.yaml"), `extends: [recommended-strict]\nrules:\n${rules}`);

    const { status, stdout } = spawnSync(
      process.execPath,
      [linter, "lint", "openapi.json", "--format=json"],
      {
        cwd: folder,
        encoding: "utf8",
        env: { PATH: process.env["PATH"], HOME: folder, REDOCLY_TELEMETRY: "off", CI: "1" },
        maxBuffer: 1 << 28,
      },
    );

    const report: { totals: { errors: number; warnings: number } } = JSON.parse(
      stdout.slice(stdout.indexOf("{")),
    );
    assert.deepEqual(
      [report.totals.errors, report.totals.warnings, status],
      [0, 0, 0],
      stdout.slice(0, 3000),
    );
  });
});
