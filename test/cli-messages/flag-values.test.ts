/** Values of flags and arguments that are refused before any request, with the flag in the error. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { FlagShape, PositionalShape } from "../../cli/arguments/command-shape.ts";
import { listCommands } from "../../cli/registry.ts";
import { limits } from "../../contract/limits.ts";
import { startServer, svc, temporaryFolder } from "../cli/harness.ts";

const token = `lsk_${"cd".repeat(32)}`;
const long = (length: number) => "x".repeat(length);

const cases: [argv: string[], flag: string][] = [
  [["publish", "a.md", "-t", ""], "--team"],
  [["publish", "a.md", "-t", "a/b"], "--team"],
  [["publish", "a.md", "-n", " "], "--name"],
  [["publish", "a.md", "-n", long(101)], "--name"],
  [["publish", "a.md", "-n", "a\nb"], "--name"],
  [["publish", "a.md", "-m", ""], "--message"],
  [["publish", "a.md", "-m", long(2001)], "--message"],
  [["publish", "a.md", "-f", ""], "--folder"],
  [["publish", "a.md", "-f", "a//b"], "--folder"],
  [["publish", "a.md", "-f", "../a"], "--folder"],
  [["publish", "a.md", "-f", long(101)], "--folder"],
  [["push", "a.md", "-s", ""], "--skill"],
  [["push", "a.md", "-s", "no skill"], "--skill"],
  [["push", "a.md", "-s", "s", "--prerelease=b@d"], "--prerelease"],
  [["push", "a.md", "-s", "s", "--prerelease=7"], "--prerelease"],
  [["push", "a.md", "-s", "s", "--version", ""], "--version"],
  [["share", "a.md", "-n", ""], "--name"],
  [["list", "--search", long(limits.searchQuery + 1)], "--search"],
  [["list", "--public", "--tag", long(51)], "--tag"],
  [["search", long(limits.searchQuery + 1)], "<text>"],
  [["search", "x", "--org", ""], "--org"],
  [["move", "s", "a//b"], "<folder>"],
  [["folders", "create", "a//b"], "<path>"],
  [["edit", "s", "--name", ""], "--name"],
  [["edit", "s", "--description", long(2049)], "--description"],
  [["token", "create", long(101)], "<name>"],
  [["versions", "s", "--spec", ""], "--spec"],
  [["versions", "s", "--limit", ""], "--limit"],
  [["revert", "s", "--to", ""], "--to"],
  [["sync", "plan", "--org", "a b"], "--org"],
];

describe("values of flags", () => {
  for (const [argv, flag] of cases)
    it(`refuses svc ${argv.map((word) => JSON.stringify(word.slice(0, 12))).join(" ")}`, async (t) => {
      const home = await temporaryFolder(t);
      let requests = 0;
      const SVC_API_URL = await startServer(t, (_request, response) => {
        requests++;
        response.end();
      });

      const ran = await svc([...argv, "-o", "json"], { home, env: { SVC_API_URL, SVC_TOKEN: token } });

      assert.deepEqual(
        [ran.code, ran.error.code, ran.error.details?.["flag"]],
        [1, "E_INVALID_ARGUMENT", flag],
      );
      assert.ok(ran.error.message.includes(flag) || /-\w\b|"/.test(ran.error.message), ran.error.message);
      assert.equal(requests, 0);
    });

  it("are never blank, unless a command says what an empty one means", async (t) => {
    const home = await temporaryFolder(t);
    for (const [name, entry] of listCommands()) {
      const { flags, positionals } = await entry.load();
      const words = Object.values<PositionalShape>(positionals)
        .filter(({ required }) => required)
        .map(({ choices }) => choices?.[0] ?? "x");
      for (const [flag, { value, mayBeEmpty }] of Object.entries<FlagShape>(flags)) {
        if (value === "none" || mayBeEmpty === true) continue;
        const ran = await svc([...name.split(" "), ...words, `--${flag}=`, "-o", "json"], { home });
        assert.deepEqual(
          [ran.error.code, ran.error.details?.["flag"]],
          ["E_INVALID_ARGUMENT", `--${flag}`],
          `svc ${name} --${flag}=`,
        );
      }
    }
  });
});
