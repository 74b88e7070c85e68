/** Bytes of a version's files, for results that hold them in memory. */
import type { VersionDoc } from "../../../storage/versions/versions.ts";
import type { App } from "../../app.ts";
import { openVersionFile } from "../read/content.ts";

export interface FileBytes {
  size: number;
  mimeType: string;
  /** Undefined for a file over the limit. */
  bytes: Buffer | undefined;
}

/** Throws `not_found`. */
export async function readVersionBytes(
  app: App,
  version: VersionDoc,
  path: string,
  limitBytes: number,
): Promise<FileBytes> {
  const { body, size, type } = await openVersionFile(app, version, path);
  const facts = { size, mimeType: type.split(";")[0]! };
  if (size > limitBytes) {
    if (!Buffer.isBuffer(body)) body.destroy();
    return { ...facts, bytes: undefined };
  }
  if (Buffer.isBuffer(body)) return { ...facts, bytes: body };
  const chunks: Buffer[] = [];
  for await (const chunk of body as AsyncIterable<Buffer>) chunks.push(chunk);
  return { ...facts, bytes: Buffer.concat(chunks) };
}

/** The text of bytes that are one: UTF-8 without NUL. */
export function textOfBytes(bytes: Buffer): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
