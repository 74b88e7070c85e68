/** Writing of the cached content of a version. */
import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { ContentFormat } from "../../contract/vocabulary.ts";
import { digestOfFiles, digestOfPath, digestOfText } from "../install/locations/digest.ts";
import { moveIntoPlace, writeWhole } from "../install/locations/files.ts";
import { writeReplaceable } from "./atomic.ts";
import {
  type CacheMeta,
  type ContentFolder,
  type RenderedFile,
  type VersionContent,
  cachedPackage,
  readMeta,
  renderedEntry,
  saveMeta,
} from "./cache.ts";

/** Updates the content folder to this version and these rendered files. `linked`: other entries that must stay. */
export async function writeCache(
  content: ContentFolder,
  about: Omit<CacheMeta, "digests" | "pending">,
  version: VersionContent,
  rendered: readonly RenderedFile[],
  linked: readonly string[],
): Promise<void> {
  const { path: folder, isShared } = content;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const before = await readMeta(folder);
  const entries = new Map(
    rendered.map(({ target, file, text }) => [renderedEntry(content, target, text), { file, text }]),
  );
  const stays = ([entry]: [string, string]) => isShared || linked.includes(entry);
  const next = Object.fromEntries(Object.entries(before?.digests ?? {}).filter(stays));
  for (const [entry, { file, text }] of entries)
    next[entry] = digestOfFiles([{ path: file, sha256: digestOfText(text) }]);
  if (version.format === "markdown") next["raw.md"] = digestOfText(version.body);
  else next["pkg"] = digestOfFiles(version.manifest.files);

  await saveMeta(folder, { ...about, digests: before?.digests ?? {}, pending: next });
  if (version.format === "markdown") await writeUnlessSame(join(folder, "raw.md"), version.body);
  else await writePackage(folder, version, next["pkg"]!, isShared);
  for (const [entry, { file, text }] of entries) {
    // Inside the folder, so that links to it and watchers of it stay valid.
    const entryFolder = join(folder, ...entry.split("/"));
    await writeUnlessSame(join(entryFolder, file), text);
    for (const name of await readdir(entryFolder))
      if (name !== file) await rm(join(entryFolder, name), { recursive: true, force: true });
  }
  await saveMeta(folder, { ...about, digests: next });
  if (!isShared) await removeOthers(folder, Object.keys(next), version.format);
}

/** Other projects may have links to a shared package: an intact one is not replaced. */
async function writePackage(
  folder: string,
  { folder: unpacked, manifest }: Extract<VersionContent, { format: "package" }>,
  digest: string,
  isShared: boolean,
): Promise<void> {
  const isIntact = isShared && (await digestOfPath(cachedPackage(folder))) === digest;
  if (!isIntact) await moveIntoPlace(unpacked, cachedPackage(folder));
  await writeReplaceable(join(folder, "manifest.json"), `${JSON.stringify(manifest, undefined, 2)}\n`);
}

async function writeUnlessSame(path: string, text: string): Promise<void> {
  if ((await digestOfPath(path)) !== digestOfText(text)) await writeWhole(path, text);
}

/** Removes the content of the previous version; content of projects stays. */
async function removeOthers(
  folder: string,
  entries: readonly string[],
  format: ContentFormat,
): Promise<void> {
  const kept = new Set([
    "meta.json",
    "versions",
    ...entries,
    ...(format === "package" ? ["manifest.json"] : []),
  ]);
  for (const name of await readdir(folder))
    if (!kept.has(name)) await rm(join(folder, name), { recursive: true, force: true });
}
