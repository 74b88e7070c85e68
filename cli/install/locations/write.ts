/** Writes one install location: a link, a copy or a section, atomically. */
import { stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { InstallMethod } from "../../../contract/vocabulary.ts";
import { messageOf } from "../../errors.ts";
import { clearLeftovers } from "../../state/atomic.ts";
import { type ContentFolder, cachedPackage, renderedEntry } from "../../state/cache.ts";
import type { InstallationRecord } from "../../state/config.ts";
import { characterCount } from "../../targets/render.ts";
import type { PlanContext, PlannedWrite } from "../plan/placement.ts";
import { inspectRecord } from "../records/record.ts";
import { isThere } from "./digest.ts";
import {
  copyTree,
  isWithoutLinks,
  linkTarget,
  linkType,
  readTextFile,
  replaceFile,
  replaceFolder,
  replaceLink,
  writeWhole,
} from "./files.ts";
import { applySection } from "./section.ts";

export interface WrittenLocation {
  record: InstallationRecord;
  outcome: "written" | "unchanged" | "failed";
  reason?: string;
}

/** Never throws; a failed location is unchanged. The cache is written already. */
export async function writeLocation(at: PlanContext, plan: PlannedWrite): Promise<WrittenLocation> {
  const { warnings } = at;
  const { record } = plan;
  try {
    if (at.written.has(record.path)) return { record, outcome: "written" };
    if (await isAsPlanned(plan, at)) {
      await advise(plan, warnings);
      return { record: { ...record, installedAt: plan.replaces!.installedAt }, outcome: "unchanged" };
    }
    await clearLeftovers(dirname(record.path));
    const method = await putThere(at, plan);
    if (record.shared === true) at.written.add(record.path);
    await advise(plan, warnings);
    return {
      record: method === record.method ? record : { ...record, method, digest: plan.digest },
      outcome: "written",
    };
  } catch (error) {
    return { record, outcome: "failed", reason: messageOf(error) };
  }
}

async function isAsPlanned(
  plan: PlannedWrite,
  { installName, cache, content }: PlanContext,
): Promise<boolean> {
  const { record, replaces } = plan;
  return (
    replaces !== undefined &&
    replaces.method === record.method &&
    replaces.path === record.path &&
    replaces.digest === record.digest &&
    (await inspectRecord(record, installName, cache)) === "intact" &&
    (record.method !== "symlink" || (await linkTarget(record.path)) === linkFor(plan, content).target)
  );
}

function linkFor(
  { placement, record }: PlannedWrite,
  content: ContentFolder,
): { target: string; kind: "dir" | "file" } {
  if (placement.shape === "section") throw new Error("a section is not a link");
  if (placement.content === "package") return { target: cachedPackage(content.path), kind: "dir" };
  const { file, text } = placement.content;
  const folder = join(content.path, ...renderedEntry(content, record.platform, text).split("/"));
  return placement.shape === "file"
    ? { target: join(folder, file), kind: "file" }
    : { target: folder, kind: "dir" };
}

/** Writes and returns the method that was used: a copy where links can't be created. */
async function putThere(
  { context: { platform }, installName, content: cached, warnings }: PlanContext,
  plan: PlannedWrite,
): Promise<InstallMethod> {
  const { placement, record } = plan;
  const { path } = record;
  if (placement.shape === "section") {
    const present = await readTextFile(path);
    const edit = applySection(present, installName, placement.block);
    if ("refused" in edit) throw new Error(`${path}: ${edit.refused}`);
    if (edit.text !== present) await writeWhole(path, edit.text);
    return "section";
  }
  if (record.method === "symlink") {
    const { target, kind } = linkFor(plan, cached);
    try {
      await replaceLink(path, target, linkType(kind, platform));
      return "symlink";
    } catch (error) {
      if (!isWithoutLinks(error)) throw error;
      warnings.push(`${path} is a copy: no link can be made there`);
    }
  }
  if (placement.shape === "file") {
    await replaceFile(path, placement.content.text);
    return "copy";
  }
  const { content } = placement;
  await replaceFolder(path, (folder) =>
    content === "package"
      ? copyTree(cachedPackage(cached.path), folder)
      : writeWhole(join(folder, content.file), content.text),
  );
  return "copy";
}

/** Warnings about a written section that the tool may not read. */
async function advise({ placement, record }: PlannedWrite, warnings: string[]): Promise<void> {
  if (placement.shape !== "section") return;
  const { advised, hiddenBy, path } = placement;
  if (advised !== undefined) {
    const { size, unit, consequence } = advised;
    const actual =
      unit === "bytes" ? (await stat(path)).size : characterCount((await readTextFile(path)) ?? "");
    if (actual > size) warnings.push(`${path} is over ${size} ${unit}: ${consequence}`);
  }
  if (hiddenBy === undefined) return;
  const other = join(dirname(path), hiddenBy);
  if (await isThere(other))
    warnings.push(
      `${record.platform} reads ${other} instead of ${basename(path)}: the section will not be seen`,
    );
}
