/** Brings the entries of a server to its current revision. Values of members, and what users added, stay. */
import { isDeepStrictEqual } from "node:util";
import { type SuppliedValues, memberValues } from "../../../contract/mcp-entries/server.ts";
import type { ListedServer } from "../../api/calls/mcp.ts";
import type { Context } from "../../context.ts";
import { isRecord } from "../../state/is-record.ts";
import type { InstalledMcpServer, McpRecord } from "../../state/mcp-servers.ts";
import type { StateChange } from "../../state/state.ts";
import { shellWord } from "../../terminal/shell-word.ts";
import { loadEditor } from "../edit/editor.ts";
import { toolFileOf } from "../tools/index.ts";
import { readConfigText } from "./config-file.ts";
import { valueAt } from "./entry-changes.ts";
import { attempt } from "./failed-entry.ts";
import { installEntries } from "./install.ts";
import { fieldsIn, recoverValues, withPresentIds } from "./recover.ts";

export interface UpdatedServer {
  updated: McpRecord[];
  upToDate: McpRecord[];
  warnings: string[];
  /** An entry could not be brought to the current revision. */
  isPartial: boolean;
}

export async function updateEntries(
  context: Context,
  state: StateChange,
  profile: string,
  installed: InstalledMcpServer,
  server: ListedServer,
): Promise<UpdatedServer> {
  const result: UpdatedServer = { updated: [], upToDate: [], warnings: [], isPartial: false };
  for (const record of installed.installs.slice()) {
    const ready = await readyToUpdate(record, server);
    if ("problem" in ready) {
      result.warnings.push(ready.problem);
      result.isPartial = true;
      continue;
    }
    const { entry, values } = ready;
    const { publicId, slug, tenantSlug, revision } = server;
    const { platform, scope, projectDir, also } = record;
    const done = await installEntries(context, state, {
      profile,
      head: { publicId, slug, tenantSlug, via: "local" },
      revision,
      server,
      wanted: [{ platform, scope, projectDir, also }],
      values,
      force: false,
    });
    const problems = [
      ...done.skipped.map(({ reason }) => `${record.path}: ${reason}`),
      ...done.failed.map(({ error }) => error),
    ];
    if (problems.length > 0) result.isPartial = true;
    result.warnings.push(...problems);
    const moved = problems.length === 0 ? movedWarnings(record, server, values, entry) : [];
    result.warnings.push(...moved.filter((warning) => !result.warnings.includes(warning)));
    const isSame = record.revision === revision && record.pending === undefined;
    result[isSame ? "upToDate" : "updated"].push(...done.installed);
  }
  return result;
}

/** The current entry with the member's values for the server's current revision, or why it can't be updated. */
async function readyToUpdate(
  record: McpRecord,
  server: ListedServer,
): Promise<{ entry: unknown; values: SuppliedValues } | { problem: string }> {
  const { path, key } = record;
  const { tool } = toolFileOf(record);
  const ref = `${server.tenantSlug}/${server.slug}`;
  const read = await attempt(record, async () => ({ entry: await presentEntry(record) }));
  if ("error" in read) return { problem: read.error };
  if (read.entry === undefined || record.pending === "forced")
    return {
      problem: `${path} no longer has the entry "${key}": run svc mcp install ${ref}, or uninstall it`,
    };
  const entry = tool.asksForValues === true ? withPresentIds(server, read.entry) : read.entry;
  const values = recoverValues(tool, server, entry);
  if (memberValues(server).every(({ name, required }) => !required || Object.hasOwn(values, name)))
    return { entry, values };
  return { problem: `${path} lacks a value of yours: run ${installCommand(record, server)}` };
}

/** The command that writes an entry again, with all that it needs without a terminal: it reads no current values. */
function installCommand({ platform, projectDir, also }: McpRecord, server: ListedServer): string {
  const { tenantSlug, slug, transport } = server;
  const place = projectDir === undefined ? "-g" : `-p ${shellWord(projectDir)}`;
  const values = memberValues(server).flatMap(({ name, required }) =>
    required ? [`--var ${shellWord(name)}=<value>`] : [],
  );
  const more = [
    ...(also === undefined ? [] : [`--also ${also}`]),
    ...(transport === "http" ? ["--via local"] : []),
  ];
  return [`svc mcp install ${tenantSlug}/${slug} -t ${platform} ${place}`, ...more, ...values].join(" ");
}

/**
 * A new address gets the member's values, and a new command runs on their machine. So does one with other variables:
 * they can name an address, or the code that a program loads.
 */
function movedWarnings(
  record: McpRecord,
  server: ListedServer,
  values: SuppliedValues,
  present: unknown,
): string[] {
  const built = toolFileOf(record).tool.entryOf(server, values);
  if ("refused" in built || !isRecord(present)) return [];
  const next = built.entry as Record<string, unknown>;
  const ref = `${server.tenantSlug}/${server.slug}`;
  const [before, after] = [present, next].map((entry) => [
    placeOf(entry["url"] ?? entry["serverUrl"]),
    entry["command"],
    entry["args"],
  ]);
  const warnings: string[] = [];
  if (!isDeepStrictEqual(before, after))
    warnings.push(
      server.transport === "stdio"
        ? `${ref} now runs another command on your machine: ${[server.command, ...server.args].join(" ")}`
        : `${ref} now has another address, which gets the values that you supplied: ${server.url}`,
    );
  const variables = fieldsIn(present, "env", "environment");
  const changed = server.env.flatMap((one) =>
    one.kind === "fixed" && variables[one.name] !== one.value ? [`${one.name}=${one.value}`] : [],
  );
  if (changed.length > 0)
    warnings.push(`${ref} now runs with other variables on your machine: ${changed.join(" ")}`);
  return warnings;
}

/** A server with another query is still the same one; a path can be that of another customer of the same host. */
function placeOf(url: unknown): unknown {
  if (typeof url !== "string" || !URL.canParse(url)) return url;
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}

async function presentEntry(record: McpRecord): Promise<unknown> {
  const { path, projectDir, container, key } = record;
  const editor = await loadEditor(toolFileOf(record).tool);
  const { text } = await readConfigText(path, projectDir);
  return text === undefined ? undefined : valueAt(editor.read(text), [...container, key]);
}
