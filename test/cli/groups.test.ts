import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { listCommands } from "../../cli/registry.ts";
import { svc, temporaryFolder } from "./harness.ts";

describe("commands that share a first word", () => {
  it("have help for the group, and for each of them with examples", async (t) => {
    const home = await temporaryFolder(t);
    for (const argv of [
      ["folders", "--help"],
      ["help", "folders"],
      ["folders", "-t", "acme", "-h"],
    ]) {
      const { code, stdout } = await svc(argv, { home });
      assert.equal(code, 0);
      assert.match(stdout, /^ {2}list [\s\S]*^ {2}create [\s\S]*svc folders alone is svc folders list/m);
    }
    for (const argv of [
      ["folders", "create", "--help"],
      ["help", "folders", "create"],
    ])
      assert.match(
        (await svc(argv, { home })).stdout,
        /Usage\n {2}svc folders create <path>[\s\S]*--team[\s\S]*Examples/,
      );
    assert.match(
      (await svc(["profile"], { home })).stdout,
      /^ {2}list [^]*^ {2}create [^]*^ {2}switch [^]*^ {2}delete /m,
    );
    const { usage } = (await svc(["help", "profile", "-o", "json"], { home })).data as { usage: string };
    assert.match(usage, /Usage/);
  });

  for (const [argv, flag, message] of [
    [
      ["folders", "creat", "a"],
      "<command>",
      /Unknown command "folders creat"\. Did you mean folders create\?/,
    ],
    [["folders", "zebra"], "<command>", /Unknown command "folders zebra"\. See svc folders --help/],
    [["folders", "-t", "create", "lst"], "<command>", /"folders lst"/],
    [["help", "profile", "swich"], "<command>", /Did you mean profile switch\?/],
    [["folder"], "<command>", /Did you mean folders\?/],
    [["folders", "create"], "<path>", /Missing argument <path>/],
    [["folders", "--tem", "x"], "--tem", /Did you mean --team\?/],
    [["folders", "-t", "create", "create"], "<path>", /Missing argument <path>/],
    [["profile", "--frce"], "--frce", /Unknown flag --frce/],
    [["profile"], "<command>", /No command given/],
    [["completion", "bsh"], "<shell>", /takes one of bash, zsh, fish, not "bsh"\. Did you mean bash\?/],
    [["move", "a", "/", "extra"], "<extra>", /Unexpected argument "extra"/],
    [["publish", "a.md", "--visibility", "pubic"], "--visibility", /Did you mean public\?/],
    [["publish", "a.md", "--type", "rul"], "--type", /Did you mean rule\?/],
  ] as const)
    it(`reject svc ${argv.join(" ")}, naming ${flag}`, async (t) => {
      const { code, stdout, error } = await svc([...argv, "-o", "json"], { home: await temporaryFolder(t) });
      assert.deepEqual([code, stdout, error.code, error.details], [1, "", "E_INVALID_ARGUMENT", { flag }]);
      assert.match(error.message, message);
    });

  it("accept global flags in any position", async (t) => {
    const home = await temporaryFolder(t);
    for (const argv of [
      ["-o", "json", "profile", "list"],
      ["profile", "-o", "json", "list"],
      ["profile", "list", "-o=json"],
      ["--profile", "default", "profile", "-ojson", "list"],
    ])
      assert.equal(((await svc(argv, { home })).data as unknown[]).length, 1, argv.join(" "));
  });
});

describe("every command", () => {
  it("has a help text with at least one example of itself", async (t) => {
    const home = await temporaryFolder(t);
    for (const [name, entry] of listCommands()) {
      const command = await entry.load();
      const { code, stdout, stderr } = await svc(["help", ...name.split(" ")], { home });
      assert.deepEqual([code, stderr], [0, ""]);
      assert.ok(command.examples.length > 0, name);
      // A group's name may stand for one of its commands.
      const shortest = name.replace(/ list$/, "");
      for (const example of command.examples) assert.ok(example.includes("svc "), `${name}: ${example}`);
      assert.ok(
        command.examples.some((example) => example.includes(`svc ${shortest}`)),
        name,
      );
      for (const flag of Object.keys(command.flags))
        assert.ok(stdout.includes(`--${flag}`), `${name} --${flag}`);
      assert.ok(entry.summary.length < 80 && !entry.summary.endsWith("."), name);
    }
  });

  it("has examples with valid flags and arguments", async () => {
    const { locateCommand, normaliseArguments } = await import("../../cli/arguments/argv.ts");
    for (const [name, entry] of listCommands()) {
      const command = await entry.load();
      for (const example of command.examples) {
        const words = wordsOf(example);
        if (words === undefined) continue;
        let rest = words.slice(1);
        for (const part of name.split(" ")) {
          const located = locateCommand(rest);
          if (located.name === part) rest = located.rest;
        }
        normaliseArguments(rest, command);
      }
    }
  });
});

/** The words of a plain command line; undefined for one that uses shell syntax other than quotes. */
function wordsOf(example: string): string[] | undefined {
  const line = example.replace(/\s+#.*$/, "");
  if (!line.startsWith("svc ") || /[|<>;&]/.test(line.replaceAll(/"[^"]*"|'[^']*'/g, ""))) return undefined;
  return [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, a, b, c]) => a ?? b ?? c!);
}
