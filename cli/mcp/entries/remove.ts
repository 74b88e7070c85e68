/** Removes the entries of a server from the tools' files. */
import { removeMadeFolders } from "../../install/records/record.ts";
import type { Config, Profile } from "../../state/config.ts";
import type { InstalledMcpServer, McpRecord } from "../../state/mcp-servers.ts";
import type { StateChange } from "../../state/state.ts";
import { loadEditor } from "../edit/editor.ts";
import { centralId, dropRecord, installedServers, ownersIn } from "../records.ts";
import type { ReportedEntry } from "../report.ts";
import { toolFileOf } from "../tools/index.ts";
import { readConfigText, updateConfigText } from "./config-file.ts";
import { removalChanges, valueAt } from "./entry-changes.ts";
import { attempt } from "./failed-entry.ts";

export interface RemovedEntries {
  removed: McpRecord[];
  /** Entries that stay, with the reason. */
  failed: string[];
  warnings: string[];
}

/** The records of removed entries go with them; those that can't be removed keep theirs. */
async function removeEntries(
  state: StateChange,
  profile: Profile,
  server: InstalledMcpServer,
): Promise<RemovedEntries> {
  const result: RemovedEntries = { removed: [], failed: [], warnings: [] };
  for (const record of server.installs.slice()) {
    const outcome = await attempt(record, async () => ({ kept: await removeEntry(state.config, record) }));
    if ("error" in outcome) {
      result.failed.push(outcome.error);
      continue;
    }
    if (outcome.kept === undefined) result.removed.push(record);
    else result.warnings.push(outcome.kept);
    dropRecord(state.config, profile, server, record);
    await state.save();
  }
  return result;
}

/** Removes all entries of a profile, or of some of its servers. `gone`: the removals to report. */
export async function removeAllEntries(
  state: StateChange,
  profile: Profile,
  servers: readonly InstalledMcpServer[] = installedServers(profile),
): Promise<RemovedEntries & { gone: ReportedEntry[] }> {
  const all: RemovedEntries & { gone: ReportedEntry[] } = { removed: [], failed: [], warnings: [], gone: [] };
  for (const server of servers) {
    const { removed, failed, warnings } = await removeEntries(state, profile, server);
    all.removed.push(...removed);
    all.failed.push(...failed);
    all.warnings.push(...warnings);
    if (server.publicId !== centralId)
      all.gone.push(...removed.map(({ platform, scope }) => ({ server, platform, scope })));
  }
  return all;
}

/** Returns the reason why an entry stays in its file although the record goes. */
async function removeEntry(config: Config, record: McpRecord): Promise<string | undefined> {
  const { path, key, projectDir, container } = record;
  if (record.pending === "forced")
    return `${path}: the entry "${key}" may not be the one that svc was about to write, so it stays`;
  const others = ownersIn(config, path).filter((one) => one.record !== record);
  if (others.some((one) => one.record.key === key)) return undefined;

  const { tool } = toolFileOf(record);
  const editor = await loadEditor(tool);
  const known = config.mcpFiles?.[path];
  // An interrupted run may have removed the file, and not its folder.
  const isMissing = (await readConfigText(path, projectDir)).text === undefined;
  let isGone = isMissing && known?.created !== undefined;
  const withoutEntry = (text: string | undefined) => {
    if (text === undefined) return text;
    const content = editor.read(text);
    if (valueAt(content, [...container, key]) === undefined) return text;
    const { text: removed } = editor.edit(text, container, removalChanges(content, record));
    if (others.length > 0 || known === undefined) return removed;
    const restored = editor.restore(removed, known.undo);
    isGone = restored === known.created;
    return isGone ? undefined : restored;
  };
  if (!isMissing) await updateConfigText(path, projectDir, withoutEntry);
  if (isGone && known?.createdFolder !== undefined)
    await removeMadeFolders({ path, createdFolder: known.createdFolder });
  return undefined;
}
