import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parse as parseToml } from "smol-toml";
import { type JsonSyntax, editJson, readJson, restoreJson } from "../../cli/mcp/edit/json.ts";
import { editToml } from "../../cli/mcp/edit/toml.ts";
import { type Random, openRandom } from "../support/random.ts";
import { runCount } from "../support/run-count.ts";

const numRuns = runCount(80, 20_000);
const entry = { command: "npx", args: ["-y", 'a"b'], env: { KEY: "v, }] # //" } };

/** Blank text between two parts of a document, with comments if its syntax has them. */
function gap(random: Random, syntax: JsonSyntax, eol: string): string {
  const parts = ["", " ", eol, `${eol}  `, "\t"];
  if (syntax === "jsonc") parts.push(`// "x": {, ]${eol}`, "/* }, { */", ` /* ${eol} , */ `);
  return random.pick(parts) + (random.chance(0.3) ? random.pick(parts) : "");
}

function jsonDocument(random: Random, syntax: JsonSyntax): string {
  const eol = random.pick(["\n", "\r\n"]);
  const space = () => gap(random, syntax, eol);
  const listOf = (members: string[], [open, close]: readonly [string, string]): string => {
    const comma = members.length > 0 && syntax === "jsonc" && random.chance(0.3) ? `,${space()}` : "";
    return (
      open +
      members.map((one) => space() + one + space()).join(",") +
      comma +
      (members.length === 0 ? space() : "") +
      close
    );
  };
  const value = (depth: number): string => {
    if (depth === 0 || random.chance(0.4))
      return random.pick(["1", "true", "null", '"a, }"', '"\\u00e9"', '"//"', "-1e3"]);
    const items = Array.from({ length: random.below(4) }, () => value(depth - 1));
    if (random.chance(0.4)) return listOf(items, ["[", "]"]);
    return object(items.map((item, i) => [`k${i}`, item]));
  };
  const object = (members: [string, string][]) =>
    listOf(
      members.map(([name, text]) => `${JSON.stringify(name)}${space()}:${space()}${text}`),
      ["{", "}"],
    );
  const members = Array.from({ length: random.below(4) }, (_, i): [string, string] => [`m${i}`, value(3)]);
  if (random.chance(0.7)) {
    const servers = Array.from({ length: random.below(3) }, (_, i): [string, string] => [`s${i}`, value(2)]);
    members.splice(random.below(members.length + 1), 0, ["servers", object(servers)]);
  }
  return space() + object(members) + space();
}

const tomlParts = [
  "# a comment [mcp_servers.new]\n",
  "\n",
  "\n\n",
  'model = "x" # [a]\n',
  "[tools]\nlist = [ # one\n  1,\n\n  2 ]\n",
  "[[steps]]\nname = '''\n[mcp_servers.new]\n'''\n",
  "  [mcp_servers.own]\n  command = 'c' # c\n",
  '[mcp_servers.own.env]\n"A.b" = """x\n"""\n',
  "[ mcp_servers . other ]\nargs = []\n",
  "[mcp_servers]\n",
  "[mcp_servers.newer]\nenv = { A = 'x' }\n",
];

function tomlDocument(random: Random): string {
  const chosen = tomlParts.filter(() => random.chance(0.4));
  const isValid = (text: string) => {
    try {
      return parseToml(text) !== undefined;
    } catch {
      return false;
    }
  };
  const order = chosen.map((part) => ({ part, at: random.below(1000) })).toSorted((a, b) => a.at - b.at);
  const text = order.map(({ part }) => part).join("");
  const valid = isValid(text) ? text : chosen.join("");
  const ended = random.chance(0.2) ? valid.replace(/\n+$/, "") : valid;
  return random.chance(0.3) ? ended.replaceAll("\n", "\r\n") : ended;
}

/** Content of TOML as plain data. */
const tomlData = (text: string) =>
  structuredClone(parseToml(text)) as Record<string, Record<string, unknown>>;

describe("an entry that is added to generated files and removed again", () => {
  for (const syntax of ["json", "jsonc"] as const)
    it(`leaves every other byte of ${syntax}`, () => {
      for (let seed = 1; seed <= numRuns; seed++) {
        const text = jsonDocument(openRandom(seed), syntax);
        const path = ["servers", "new"];
        const { text: added, undo } = editJson(text, syntax, [{ kind: "set", path, value: entry }]);
        const before = readJson(text, syntax) as Record<string, Record<string, unknown>>;
        const wanted = { ...before, servers: { ...before["servers"], new: entry } };
        const data = syntax === "json" ? (JSON.parse(added) as unknown) : readJson(added, syntax);
        assert.equal(JSON.stringify(data), JSON.stringify(wanted), `seed ${seed}`);
        const removed = editJson(added, syntax, [{ kind: "remove", path }]).text;
        assert.equal(restoreJson(removed, syntax, undo).text, text, `seed ${seed}`);
      }
    });

  it("leaves every other byte of TOML", () => {
    for (let seed = 1; seed <= numRuns; seed++) {
      const text = tomlDocument(openRandom(seed));
      const path = ["mcp_servers", "new"];
      const added = editToml(text, ["mcp_servers"], [{ kind: "set", path, value: entry }]).text;
      const before = tomlData(text);
      const wanted = { ...before, mcp_servers: { ...before["mcp_servers"], new: entry } };
      assert.deepEqual(tomlData(added), wanted, `seed ${seed}`);
      const removed = editToml(added, ["mcp_servers"], [{ kind: "remove", path }]).text;
      assert.equal(removed, text, `seed ${seed}`);
    }
  });
});
