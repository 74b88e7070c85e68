/** Documents of `svc -o json` against their declared schema. */
import assert from "node:assert/strict";
import { z } from "zod";
import { type CliPayloadName, CliFailurePayload, cliPayloads } from "../../contract/payloads/cli/cli.ts";

/** Fails with every deviation if a payload does not have the command's shape; returns it typed. */
export function keepContract<K extends CliPayloadName>(
  name: K,
  payload: unknown,
): z.output<(typeof cliPayloads)[K]> {
  const parsed = cliPayloads[name].safeParse(payload);
  if (!parsed.success) assert.fail(deviation(name, parsed.error, payload));
  return parsed.data as z.output<(typeof cliPayloads)[K]>;
}

/** The same for the error object on stderr. */
export function keepFailure(payload: unknown, context: string): CliFailurePayload["error"] {
  const parsed = CliFailurePayload.safeParse(payload);
  if (!parsed.success) assert.fail(`${context}\n${deviation("error", parsed.error, payload)}`);
  return parsed.data.error;
}

/** The document that a command line requests. */
export function payloadNameOf(words: readonly string[], document?: unknown): CliPayloadName {
  const args = words.filter((word, i) => word !== "-o" && words[i - 1] !== "-o");
  const has = (flag: string) => args.includes(flag);
  if (has("--help") || has("-h") || args[0] === "help") return "help";
  if (args.length === 1 && has("--version")) return "version";
  const [name, second] = args;
  if (name === "list") return has("--public") ? "listPublic" : has("--installed") ? "listInstalled" : "list";
  // A folder of skills can't be recognized by the command line.
  if (name === "publish" && typeof document === "object" && document !== null && "skills" in document)
    return "publishAll";
  if ((name === "publish" || name === "push") && has("--dry-run")) return `${name}DryRun`;
  if (name === "whoami" && typeof document === "object" && document !== null && "organization" in document)
    return "whoamiOrganization";
  if (name === "share" && has("--list")) return "shareList";
  if (name === "share" && has("--delete")) return "shareDelete";
  if (name === "sync" && (second === undefined || second.startsWith("-"))) return "sync.status";
  if (name === "marketplace" && second !== undefined && !second.startsWith("-")) return "marketplaceOne";
  if (name === "folders") return second === "create" ? "folders.create" : "folders.list";
  const inGroup = `${name}.${second}`;
  const full = Object.hasOwn(cliPayloads, inGroup) ? inGroup : name;
  assert.ok(full !== undefined && Object.hasOwn(cliPayloads, full), `no document is declared for ${full}`);
  return full as CliPayloadName;
}

function deviation(name: string, error: z.ZodError, payload: unknown): string {
  return `${name}: ${z.prettifyError(error)}\n${JSON.stringify(payload, undefined, 2)}`;
}
