import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import type { FlagShape } from "../../cli/argv.ts";
import { listCommands } from "../../cli/registry.ts";
import { cliCodes, failureKinds, failures } from "../../contract/errors.ts";
import { builtInRoles, permissionActions, type PermissionGroup } from "../../contract/vocabulary.ts";
import { permissionsOfRole } from "../../src/access/permissions.ts";

const read = (name: string) => readFileSync(new URL(`../../docs/${name}`, import.meta.url), "utf8");

/** The cells of every table row of a document. */
const rowsOf = (text: string) =>
  text
    .split("\n")
    .filter((line) => line.startsWith("|"))
    .map((line) =>
      line
        .split(/(?<!\\)\|/)
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );

describe("docs/errors.md", () => {
  it("has every code of the closed table with its status and the client's code, and no other", () => {
    const documented = rowsOf(read("errors.md"))
      .filter(([code]) => code!.startsWith("`"))
      .map(([code, status, , cli]) => [code!.replaceAll("`", ""), Number(status), cli!.replaceAll("`", "")]);

    assert.deepEqual(
      documented,
      Object.entries(failures).map(([code, { status, cli }]) => [code, status, cli]),
    );
    for (const kind of failureKinds) assert.ok(read("errors.md").includes(`\`${kind}\``), kind);
  });
});

describe("docs/access.md", () => {
  it("tells the permissions that the roles have", () => {
    const header = rowsOf(read("access.md"))
      .find((cells) => cells[0] === "group")!
      .slice(1);
    assert.deepEqual(header, [...builtInRoles]);
    const documented = new Map<string, string[]>();
    for (const [groups, ...cells] of rowsOf(read("access.md")))
      for (const [, group] of groups!.matchAll(/`(\w+)`/g))
        if (Object.hasOwn(permissionActions, group!))
          documented.set(
            group!,
            cells.map((cell) => (cell === "the same" ? cells[0]! : cell === "–" ? "" : cell)),
          );

    for (const group of Object.keys(permissionActions) as PermissionGroup[])
      assert.deepEqual(
        documented.get(group),
        builtInRoles.map((role) => (permissionsOfRole(role)[group] ?? []).join(", ")),
        group,
      );
  });
});

describe("docs/cli.md", () => {
  const manual = read("cli.md");
  /** By command, from its heading to the next one; a heading may name several. */
  const sections = manual.split(/^(?=#{2,4} )/m);

  it("has every code of the closed set", () => {
    const documented = rowsOf(manual).flatMap(([cell]) => cell!.match(/`E_[A-Z_]+`/g) ?? []);
    assert.deepEqual(documented.map((code) => code.replaceAll("`", "")).toSorted(), [...cliCodes].toSorted());
  });

  it("has every command with its arguments, its flags and an example of each group", async () => {
    const missing: string[] = [];
    for (const [name, entry] of listCommands()) {
      const own = sections.filter((section) =>
        new RegExp(`^#+ .*\`svc ${name}[ \`]`).test(section.split("\n")[0]!),
      );
      if (own.length === 0) missing.push(`svc ${name}`);
      const text = own.join("\n");
      const command = await entry.load();
      for (const [flag, { short }] of Object.entries<FlagShape>(command.flags)) {
        if (!text.includes(`--${flag}`)) missing.push(`svc ${name} --${flag}`);
        if (short !== undefined && !new RegExp(`\`-${short}[, \`]`).test(text))
          missing.push(`svc ${name} -${short}`);
      }
    }
    assert.deepEqual(missing, []);
  });
});
