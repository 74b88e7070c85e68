/** One entry of a server in one tool's file: the file, the key, and the content with the entry. */
import type { McpServer, SuppliedValues } from "../../../contract/mcp-entries/server.ts";
import type { McpRefusal, McpTool } from "../../../contract/mcp-entries/tool.ts";
import type { InstallScope, McpTarget } from "../../../contract/vocabulary.ts";
import type { Context } from "../../context.ts";
import { isThere } from "../../install/locations/digest.ts";
import type { Config } from "../../state/config.ts";
import type { McpRecord, ServerHead } from "../../state/mcp-servers.ts";
import { machineOf } from "../../targets/detect.ts";
import type { InstallLocation } from "../../targets/target.ts";
import type { Plain, Undo } from "../edit/change.ts";
import { type Editor, loadEditor } from "../edit/editor.ts";
import { ownersIn } from "../records.ts";
import { toolFileOf } from "../tools/index.ts";
import type { McpToolFile } from "../tools/tool-file.ts";
import { readConfigText } from "./config-file.ts";
import { type BuiltEntry, entryChanges, namesIn, valueAt } from "./entry-changes.ts";

export interface WantedEntry {
  platform: McpTarget;
  scope: InstallScope;
  projectDir?: string;
  /** The name of a further file of the tool. */
  also?: string;
  /** The file is written since the machine is set up for it, not on request: a refusal is not reported. */
  isImplied?: boolean;
}

export interface EntryPlan {
  /** The server that is recorded. */
  head: ServerHead;
  revision: number;
  /** The server that the entry is made from. */
  server: McpServer;
  values: SuppliedValues;
  /** Replace an entry of someone else. */
  force: boolean;
  now: Date;
}

/** A tool's file, and how to edit it. */
export interface EntryFile extends WantedEntry {
  path: string;
  definition: McpToolFile;
  editor: Editor;
}

export interface PlannedEntry {
  text: string;
  undo: Undo[];
  record: McpRecord;
  /** An entry of someone else is replaced. */
  isForced: boolean;
}

/** The file of a tool at a location, or the reason why it has none. */
export async function findEntryFile(context: Context, wanted: WantedEntry): Promise<EntryFile | McpRefusal> {
  const definition = toolFileOf(wanted);
  const { scope, projectDir } = wanted;
  const location: InstallLocation = {
    ...machineOf(context),
    scope,
    projectDir,
  };
  const path = await definition.fileOf(location, { isThere, contentOf });
  if (typeof path !== "string") return path;
  return { ...wanted, path, definition, editor: await loadEditor(definition.tool) };
}

async function contentOf(path: string, tool: McpTool): Promise<Plain | undefined> {
  const editor = await loadEditor(tool);
  try {
    return editor.read((await readConfigText(path, undefined)).text ?? "");
  } catch {
    return undefined;
  }
}

/** Content of a file that does not exist yet. */
export function initialText({ initial }: McpToolFile): string {
  return initial === undefined ? "" : `${JSON.stringify(initial, undefined, 2)}\n`;
}

/** The content with the entry. Throws `UnusableFile`. */
export function planEntry(
  config: Config,
  file: EntryFile,
  text: string | undefined,
  { head, revision, server, values, force, now }: EntryPlan,
): PlannedEntry | McpRefusal {
  const { definition, editor, path, platform, scope, projectDir, also } = file;
  const built = definition.tool.entryOf(server, values);
  if ("refused" in built) return built;
  const base = text ?? initialText(definition);
  const content = editor.read(base);
  const form = definition.formIn?.(content) ?? { container: definition.tool.container };
  const shaped: BuiltEntry = "toEntry" in form ? { ...built, entry: form.toEntry(built.entry) } : built;
  const { container, key, present, owned, recorded } = locate(
    config,
    file,
    content,
    { head, server },
    form.container,
  );
  const isForeign = present !== undefined && owned === undefined;
  if (isForeign && !force) return { refused: `an entry named ${key} already exists; use --force` };

  const ours = present === undefined || owned === undefined ? undefined : { value: present, record: owned };
  const changes = entryChanges(definition.tool, [...container, key], shaped, ours);
  const { text: edited, undo } = editor.edit(base, container, changes);
  const inputs = built.inputs.map(({ id }) => id);
  const record: McpRecord = {
    platform,
    scope,
    path,
    key,
    projectDir,
    also,
    installedAt: recorded?.revision === revision ? recorded.installedAt : now.toISOString(),
    revision,
    container: [...container],
    names: namesIn(shaped.entry),
    inputs: inputs.length === 0 ? undefined : inputs,
  };
  return { text: edited, undo, record, isForced: isForeign };
}

/** The entry's key and current value, with the record if svc wrote it. */
function locate(
  config: Config,
  { path, definition }: EntryFile,
  content: Plain,
  { head, server }: Pick<EntryPlan, "head" | "server">,
  defaultContainer: readonly string[],
): {
  container: readonly string[];
  key: string;
  present: unknown;
  owned: McpRecord | undefined;
  recorded: McpRecord | undefined;
} {
  const owners = ownersIn(config, path);
  // All hosted connectors share one entry.
  const isOwner = (one: ServerHead) =>
    one.via === head.via && (head.via === "central" || one.publicId === head.publicId);
  const recorded = owners.find((one) => isOwner(one.server))?.record;
  const container = recorded?.container ?? defaultContainer;
  const isTaken = owners.some((one) => !isOwner(one.server) && one.record.key === server.slug);
  const isReserved = definition.tool.reserved?.includes(server.slug) === true;
  const qualified = `${server.tenantSlug}-${server.slug}`.slice(0, keyLength);
  const key = recorded?.key ?? (isTaken || isReserved ? qualified : server.slug);
  const present = valueAt(content, [...container, key]);
  const owned = recorded?.pending === "forced" ? undefined : recorded;
  return { container, key, present, owned, recorded };
}

/** The shortest limit of the tools. */
const keyLength = 64;
