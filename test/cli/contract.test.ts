/**
 * The interface that programs rely on, as recorded before: a file per command in `golden/`. Flags and fields may be
 * added within a major version; removing, renaming or retyping one fails here. An addition is recorded with
 * `SVC_RECORD_CONTRACT=1 node --import tsx --test test/cli/contract.test.ts`, which refuses to record a break.
 */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, it } from "node:test";
import { z } from "zod";
import type { FlagShape } from "../../cli/arguments/command-shape.ts";
import { listCommands } from "../../cli/registry.ts";
import { cliCodes } from "../../contract/errors.ts";
import { CliFailurePayload, cliPayloads } from "../../contract/payloads/cli/cli.ts";
import { root } from "../support/root.ts";

const folder = path.join(root, "test/cli/golden");

/** Fields by path, with `?` for optional ones. */
type Fields = Record<string, string>;

interface Promised {
  arguments: string[];
  flags: Record<string, string>;
  documents: Record<string, Fields>;
}

type JsonSchema = z.core.JSONSchema.JSONSchema;

/** Maps `skill.tags[]` to `string`, and so on. */
function fieldsOf(schema: JsonSchema, at = "", mayMiss = false): Fields {
  const key = `${at}${mayMiss ? "?" : ""}`;
  const alternatives = schema.anyOf;
  if (alternatives !== undefined) {
    const present = alternatives.filter(({ type }) => type !== "null");
    if (present.length < alternatives.length && present.length === 1) {
      const inner = fieldsOf(present[0]!, at, mayMiss);
      return { ...inner, [key]: `${inner[key]} or null` };
    }
    return { [key]: alternatives.map(({ type, const: value }) => String(value ?? type)).join(" or ") };
  }
  const own = schema.const === undefined ? String(schema.type) : JSON.stringify(schema.const);
  const fields: Fields = { [key]: own };
  if (schema.type === "array") Object.assign(fields, fieldsOf(schema.items as JsonSchema, `${at}[]`));
  for (const [name, property] of Object.entries(schema.properties ?? {}))
    Object.assign(
      fields,
      fieldsOf(
        property as JsonSchema,
        at === "" ? name : `${at}.${name}`,
        !(schema.required ?? []).includes(name),
      ),
    );
  return fields;
}

const documentFields = (schema: z.ZodType) => {
  const { "": _whole, ...fields } = fieldsOf(z.toJSONSchema(schema, { io: "output" }));
  return Object.keys(fields).length === 0 ? { "": _whole! } : fields;
};

const flagText = ({ short, value, multiple }: FlagShape) =>
  [short === undefined ? "" : `-${short}`, `value ${value}`, multiple === true ? "repeatable" : ""]
    .filter((part) => part !== "")
    .join(", ");

/** Documents are named after their command, followed by the form in camel case if the command has several. */
const documentsOf = (command: string) =>
  Object.entries(cliPayloads).filter(([name]) => {
    const own = command.replace(" ", ".");
    return name === own || (name.startsWith(own) && /^[A-Z]/.test(name.slice(own.length)));
  });

async function promises(): Promise<Map<string, Promised>> {
  const all = new Map<string, Promised>();
  for (const [name, entry] of listCommands()) {
    const command = await entry.load();
    all.set(name, {
      arguments: Object.entries(command.positionals).map(
        ([argument, { required, multiple }]) =>
          `${argument}${multiple === true ? "..." : ""}${required === true ? "" : "?"}`,
      ),
      flags: Object.fromEntries(
        Object.entries<FlagShape>(command.flags).map(([flag, shape]) => [flag, flagText(shape)]),
      ),
      documents: Object.fromEntries(
        documentsOf(name).map(([document, schema]) => [document, documentFields(schema)]),
      ),
    });
  }
  all.set("svc", {
    arguments: [],
    flags: {},
    documents: {
      help: documentFields(cliPayloads.help),
      version: documentFields(cliPayloads.version),
      error: documentFields(CliFailurePayload),
      codes: Object.fromEntries(cliCodes.map((code) => [code, "code"])),
    },
  });
  return all;
}

/** Parts of `before` that are missing in `now`, and would break a program written against it. */
function breaks(before: Promised, now: Promised): string[] {
  const missing: string[] = [];
  before.arguments.forEach((argument, i) => {
    if (now.arguments[i] !== argument && now.arguments[i] !== `${argument}?`)
      missing.push(`argument ${argument} is ${now.arguments[i] ?? "gone"}`);
  });
  for (const argument of now.arguments.slice(before.arguments.length))
    if (!argument.endsWith("?")) missing.push(`argument ${argument} is needed now`);
  for (const [flag, shape] of Object.entries(before.flags))
    if (now.flags[flag] !== shape)
      missing.push(`--${flag} was "${shape}", is "${now.flags[flag] ?? "gone"}"`);
  for (const [document, fields] of Object.entries(before.documents))
    for (const [field, type] of Object.entries(fields)) {
      // An optional field may become required, but not the other way round.
      const found = now.documents[document]?.[field] ?? now.documents[document]?.[field.replace(/\?$/, "")];
      if (found !== type) missing.push(`${document}: ${field} was ${type}, is ${found ?? "gone"}`);
    }
  const codes = before.documents["codes"] ?? {};
  for (const code of Object.keys(now.documents["codes"] ?? {}))
    if (!Object.hasOwn(codes, code)) missing.push(`${code} is new: the set of codes is closed`);
  return missing;
}

const fileOf = (name: string) => path.join(folder, `${name.replace(" ", "-")}.json`);
const read = (file: string) => JSON.parse(readFileSync(file, "utf8")) as Promised;
const present = await promises();
const isRecording = process.env["SVC_RECORD_CONTRACT"] === "1";

describe("the interface for programs", () => {
  for (const [name, now] of present)
    it(`is compatible with the recorded one of ${name}`, () => {
      const before = existsSync(fileOf(name)) ? read(fileOf(name)) : undefined;
      assert.deepEqual(before === undefined ? [] : breaks(before, now), []);
      if (isRecording) {
        mkdirSync(folder, { recursive: true });
        writeFileSync(fileOf(name), `${JSON.stringify(now, undefined, 2)}\n`);
      } else assert.deepEqual(now, before, "an addition that is not recorded: see the head of this test");
    });

  it("has a document for every command, and no recording of a removed command", () => {
    for (const [name, { documents }] of present)
      assert.notDeepEqual(documents, {}, `${name} has no document in contract/payloads/cli/cli.ts`);
    const promised = readdirSync(folder).map((file) => path.join(folder, file));
    assert.deepEqual(promised.toSorted(), [...present.keys()].map(fileOf).toSorted());
  });

  it("detects every kind of break", () => {
    const before: Promised = {
      arguments: ["path?"],
      flags: { team: "-t, value required" },
      documents: { x: { "skill.slug": "string", "count?": "integer" } },
    };
    const changed = (change: Partial<Promised>) => breaks(before, { ...before, ...change }).length;

    assert.equal(changed({}), 0);
    assert.equal(
      changed({ arguments: ["path?", "more?"], flags: { ...before.flags, all: "value none" } }),
      0,
    );
    assert.equal(
      changed({ documents: { x: { "skill.slug": "string", count: "integer", more: "string" } } }),
      0,
    );
    assert.equal(changed({ arguments: ["path"] }), 1);
    assert.equal(changed({ arguments: ["path?", "more"] }), 1);
    assert.equal(changed({ flags: {} }), 1);
    assert.equal(changed({ flags: { team: "value required" } }), 1);
    assert.equal(changed({ documents: { x: { "skill.slug?": "string", "count?": "integer" } } }), 1);
    assert.equal(changed({ documents: { x: { "skill.slug": "integer", "count?": "integer" } } }), 1);
    assert.equal(changed({ documents: { x: { "skill.slug": "string" } } }), 1);
    assert.equal(changed({ documents: { ...before.documents, codes: { E_NEW: "code" } } }), 1);
  });
});
