import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { asksForJson, locateCommand, normaliseArguments } from "../../cli/arguments/argv.ts";
import type { CommandShape } from "../../cli/arguments/command-shape.ts";
import { type Command, defineCommand } from "../../cli/command.ts";
import type { Context } from "../../cli/context.ts";
import { CliError } from "../../cli/errors.ts";
import { listCommands } from "../../cli/registry.ts";
import { anyCharacter } from "../support/any-character.ts";
import { runCount } from "../support/run-count.ts";

const shape = {
  positionals: { path: { required: true, description: "" }, extra: { description: "" } },
  flags: {
    skill: { short: "s", value: "required", mayBeEmpty: true, description: "" },
    message: { short: "m", value: "required", mayBeEmpty: true, description: "" },
    target: { short: "t", value: "required", mayBeEmpty: true, multiple: true, description: "" },
    prerelease: { value: "optional", accepts: /^[a-z0-9-]+$/, description: "" },
    project: { short: "p", value: "optional", description: "" },
    global: { short: "g", value: "none", description: "" },
    minor: { value: "none", description: "" },
    type: { value: "required", choices: ["skill", "rule"], description: "" },
    version: { value: "required", description: "" },
  },
  exclusive: [["global", "project"]],
} as const satisfies CommandShape;

/** Arguments of the command after the argument pass and citty. */
async function parse(words: string[]): Promise<Record<string, unknown>> {
  let received: Record<string, unknown> = {};
  const command: Command = defineCommand({
    ...shape,
    examples: [],
    run: async (_context, args) => {
      received = args;
      return { data: {}, text: "" };
    },
  });
  await command.execute({} as Context, normaliseArguments(words, shape));
  return received;
}

function refusal(words: string[]): { code: string; flag: unknown; message: string } {
  try {
    normaliseArguments(words, shape);
  } catch (error) {
    assert.ok(error instanceof CliError, String(error));
    return { code: error.code, flag: error.details?.flag, message: error.message };
  }
  throw new assert.AssertionError({ message: `accepted: ${words.join(" ")}` });
}

describe("the argument pass", () => {
  it("takes all further words as the last argument of a command that allows several", async () => {
    const parseSeveral = async (words: string[]) => {
      let received: unknown;
      const several = {
        positionals: {
          first: { required: true, description: "" },
          rest: { multiple: true, description: "" },
        },
        flags: shape.flags,
      } as const satisfies CommandShape;
      const command = defineCommand({
        ...several,
        examples: [],
        run: async (_context, { first, rest, global }) => {
          received = [first, rest, global];
          return { data: {}, text: "" };
        },
      });
      await command.execute({} as Context, normaliseArguments(words, several));
      return received;
    };

    assert.deepEqual(await parseSeveral(["a"]), ["a", [], false]);
    assert.deepEqual(await parseSeveral(["a", "b", "-g", "c", "--", "-d"]), ["a", ["b", "c", "-d"], true]);
    await assert.rejects(parseSeveral(["a", "b", ""]), /Argument <rest> is empty/);
  });

  it("does not take a flag after an optional value as the value", async () => {
    const first = await parse(["x", "--prerelease", "--minor"]);
    assert.equal(first["prerelease"], true);
    assert.equal(first["minor"], true);

    const second = await parse(["x", "-p", "-m", "hi"]);
    assert.equal(second["project"], true);
    assert.equal(second["message"], "hi");

    assert.equal((await parse(["x", "--prerelease"]))["prerelease"], true);
  });

  it("takes what follows an optional flag as its value, attached or separate", async () => {
    assert.equal((await parse(["x", "--prerelease", "rc"]))["prerelease"], "rc");
    assert.equal((await parse(["x", "--prerelease=rc"]))["prerelease"], "rc");
    assert.equal((await parse(["x", "-p", "dir"]))["project"], "dir");
    assert.equal((await parse(["x", "-pdir"]))["project"], "dir");
    assert.equal((await parse(["x", "-p=dir"]))["project"], "dir");
    assert.equal(refusal(["x", "--project="]).flag, "--project");
  });

  it("gives an argument to a required argument rather than to an optional value", async () => {
    const pathLike = await parse(["--prerelease", "./folder"]);
    assert.equal(pathLike["prerelease"], true);
    assert.equal(pathLike["path"], "./folder");

    const wordLike = await parse(["--prerelease", "folder", "--minor"]);
    assert.equal(wordLike["prerelease"], true);
    assert.equal(wordLike["path"], "folder");

    const both = await parse(["--prerelease", "rc", "folder"]);
    assert.equal(both["prerelease"], "rc");
    assert.equal(both["path"], "folder");
  });

  it("keeps all values of a repeatable flag, in order", async () => {
    assert.deepEqual((await parse(["x", "-t", "a", "--target=b", "-tc", "-t=d=e"]))["target"], [
      "a",
      "b",
      "c",
      "d=e",
    ]);
    assert.deepEqual((await parse(["x"]))["target"], []);
  });

  it("rejects other flags that are given twice", () => {
    assert.equal(refusal(["x", "-m", "a", "--message", "b"]).flag, "--message");
    assert.equal(refusal(["x", "-g", "--global"]).flag, "--global");
  });

  it("rejects unknown flags by name and suggests the nearest", () => {
    assert.deepEqual(refusal(["x", "--mesage", "hi"]), {
      code: "E_INVALID_ARGUMENT",
      flag: "--mesage",
      message: "Unknown flag --mesage. Did you mean --message?",
    });
    assert.equal(refusal(["x", "-z"]).flag, "-z");
    assert.equal(refusal(["x", "-gz"]).flag, "-z");
    assert.equal(refusal(["x", "--no-global"]).flag, "--no-global");
    for (const name of ["__proto__", "constructor", "toString"])
      assert.equal(refusal(["x", `--${name}`, "1"]).flag, `--${name}`);
  });

  it("reads an attached short value without mistaking its letters for flags", async () => {
    const args = await parse(["x", "-mhello"]);
    assert.equal(args["message"], "hello");
    assert.equal(asksForJson(["push", "x", "-mojson"]), false);
  });

  it("strips the = after a short flag, and only that one", async () => {
    assert.equal((await parse(["x", "-s=y"]))["skill"], "y");
    assert.equal((await parse(["x", "-s==y"]))["skill"], "=y");
    assert.equal((await parse(["x", "-s="]))["skill"], "");
  });

  it("reads bundled switches that end with a value", async () => {
    const args = await parse(["x", "-gm", "hi"]);
    assert.equal(args["global"], true);
    assert.equal(args["message"], "hi");
  });

  it("takes --version as the command's own flag", async () => {
    assert.equal((await parse(["x", "--version", "1.2.3"]))["version"], "1.2.3");
  });

  it("rejects a missing value and explains how to pass one with a dash", () => {
    assert.equal(refusal(["x", "-m"]).flag, "--message");
    assert.match(refusal(["x", "-m", "--minor"]).message, /--message=--minor/);
    assert.equal(refusal(["x", "--minor=yes"]).flag, "--minor");
  });

  it("rejects values outside a closed list", () => {
    assert.deepEqual(refusal(["x", "--type", "rul"]), {
      code: "E_INVALID_ARGUMENT",
      flag: "--type",
      message: '--type takes one of skill, rule, not "rul". Did you mean rule?',
    });
    assert.equal(refusal(["x", "-o", "yaml"]).flag, "--output");
  });

  it("rejects flags that exclude each other", () => {
    assert.equal(refusal(["x", "-g", "-p"]).flag, "--project");
  });

  it("rejects too few, too many and empty arguments", () => {
    assert.equal(refusal([]).flag, "<path>");
    assert.equal(refusal(["a", "b", "c"]).flag, "<c>");
    assert.equal(refusal([""]).flag, "<path>");
    assert.equal(refusal(["a\0b"]).code, "E_INVALID_ARGUMENT");
  });

  it("treats everything after -- as arguments", async () => {
    const args = await parse(["-m", "hi", "--", "--minor", "-g"]);
    assert.equal(args["path"], "--minor");
    assert.equal(args["extra"], "-g");
    assert.equal(args["minor"], false);
  });

  it("ignores other errors when help is requested", () => {
    assert.deepEqual(normaliseArguments(["--help"], shape), ["--help"]);
  });

  it("passes any values through citty unchanged", async () => {
    const value = fc.string({ unit: anyCharacter }).filter((text) => !text.includes("\0"));
    await fc.assert(
      fc.asyncProperty(
        fc.record({ path: value.filter((text) => text !== ""), message: value, targets: fc.array(value) }),
        async ({ path, message, targets }) => {
          const args = await parse([
            ...targets.flatMap((target) => [`--target=${target}`]),
            `--message=${message}`,
            "--",
            path,
          ]);
          assert.equal(args["path"], path);
          assert.equal(args["message"], message);
          assert.deepEqual(args["target"], targets);
        },
      ),
      { numRuns: runCount(100, 3000) },
    );
  });

  it("turns any words into its canonical form or fails with E_INVALID_ARGUMENT naming a flag", () => {
    const word = fc.oneof(
      fc.constantFrom(
        "-m",
        "-p",
        "-t",
        "-g",
        "-gp",
        "--prerelease",
        "--",
        "--type=skill",
        "--target",
        "-o",
        "json",
        "a",
        "./b",
        "-",
        "--skill=x",
      ),
      fc.string({ maxLength: 6 }),
    );
    fc.assert(
      fc.property(fc.array(word, { maxLength: 8 }), (words) => {
        let canonical: string[];
        try {
          canonical = normaliseArguments(words, shape);
        } catch (error) {
          assert.ok(error instanceof CliError && error.code === "E_INVALID_ARGUMENT", String(error));
          assert.equal(typeof error.details?.flag, "string");
          return;
        }
        const end = canonical.indexOf("--");
        const flags = end === -1 ? canonical : canonical.slice(0, end);
        assert.ok(flags.every((flag) => /^--[a-z-]+(?:=|$)/.test(flag)));
      }),
      { numRuns: runCount(200, 20000) },
    );
  });
});

describe("finding the command", () => {
  it("skips global flags and their values", () => {
    assert.deepEqual(locateCommand(["-o", "json", "--profile", "list", "whoami", "-x"]), {
      name: "whoami",
      rest: ["-o", "json", "--profile", "list", "-x"],
    });
    assert.equal(locateCommand(["-ojson", "list"]).name, "list");
    assert.equal(locateCommand(["--help"]).name, undefined);
  });

  it("recognizes -o json in every spelling, but not after --", () => {
    for (const words of [["-o", "json"], ["-ojson"], ["-o=json"], ["--output", "json"], ["--output=json"]])
      assert.equal(asksForJson(["list", ...words]), true, words.join(" "));
    assert.equal(asksForJson(["list", "--", "-o", "json"]), false);
    assert.equal(asksForJson(["list", "-o", "yaml"]), false);
  });
});

describe("the commands", () => {
  it("have flags that conflict with no other and with no global one", async () => {
    for (const [name, entry] of listCommands()) {
      const command = await entry.load();
      const shorts = Object.values(command.flags).flatMap((flag) => flag.short ?? []);
      assert.equal(new Set([...shorts, "o", "h"]).size, shorts.length + 2, name);
      for (const flag of ["output", "profile", "help"]) assert.equal(flag in command.flags, false, name);
    }
  });
});
