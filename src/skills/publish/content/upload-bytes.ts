/**
 * Bytes of staged uploads: in the object store of the service, or else in a folder that every API process can access.
 * With an object store, files of this machine last as long as a request.
 */
import { randomBytes } from "node:crypto";
import { mkdir, rename, rm } from "node:fs/promises";
import path from "node:path";
import { getFile, putFile } from "../../../../repos/object-store/files.ts";
import type { App } from "../../../app.ts";

const prefix = "uploads/";
const keyOf = (id: string) => `${prefix}${id}.zip`;

/** Folder of uploads, and of files that are being received. */
export function uploadFolder(app: Pick<App, "config">): string {
  return path.join(app.config.gitRoot, "uploads");
}

const pathOf = (app: App, id: string) => path.join(uploadFolder(app), `${id}.zip`);

/** Path of a new file for an upload that is being received or read. */
async function partPath(app: App, id: string): Promise<string> {
  const folder = uploadFolder(app);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return path.join(folder, `${id}.${randomBytes(6).toString("hex")}.part`);
}

/** Calls `receive` with the path of a new file, and stores what it has written there. */
export async function receiveBytes(
  app: App,
  id: string,
  receive: (file: string) => Promise<void>,
): Promise<void> {
  const part = await partPath(app, id);
  try {
    await receive(part);
    if (app.objects) await putFile(app.objects, keyOf(id), part);
    else await rename(part, pathOf(app, id));
  } finally {
    await rm(part, { force: true });
  }
}

export interface OpenedBytes {
  /** Path of the zip. */
  zip: string;
  close(): Promise<void>;
}

/** Undefined if the bytes are not there. */
export async function openBytes(app: App, id: string): Promise<OpenedBytes | undefined> {
  if (!app.objects) return { zip: pathOf(app, id), close: async () => undefined };
  const zip = await partPath(app, id);
  const close = () => rm(zip, { force: true });
  try {
    if (await getFile(app.objects, keyOf(id), zip)) return { zip, close };
  } catch (error) {
    await close();
    throw error;
  }
  await close();
  return undefined;
}

export async function removeBytes(app: App, id: string): Promise<void> {
  if (app.objects) await app.objects.remove([keyOf(id)]);
  else await rm(pathOf(app, id), { force: true });
}

/** Removes objects without an upload, which a process that was killed may have left. An upload is recorded first. */
export async function removeStrayObjects(app: App): Promise<void> {
  if (!app.objects) return;
  for await (const { key } of app.objects.list(prefix)) {
    const id = key.slice(prefix.length, -".zip".length);
    if ((await app.storage.uploads.find(id)) === null) await app.objects.remove([key]);
  }
}
