/** Scans files of a skill for hidden and harmful content, one after the other, so that one at a time is in memory. */
import type { ReadableStream } from "node:stream/web";
import { gunzipSync, inflateRawSync } from "node:zlib";
import type { Inflate } from "../../../contract/scan/archive.ts";
import type { ScanReport } from "../../../contract/scan/report.ts";
import { openScan, type FileToScan } from "../../../contract/scan/scan.ts";

const inflate: Inflate = (data, form, maxBytes) => {
  try {
    return (form === "raw" ? inflateRawSync : gunzipSync)(data, { maxOutputLength: maxBytes });
  } catch {
    return undefined;
  }
};

/** The head of a file, which is followed by its bytes in pieces, or the next of them. */
export type FilePart = { path: string; isExecutable: boolean; size: number } | Uint8Array;

export async function scanFiles(parts: ReadableStream<FilePart>): Promise<ScanReport> {
  const scan = openScan({ inflate });
  for await (const file of joinParts(parts)) scan.add(file);
  return scan.finish();
}

async function* joinParts(parts: ReadableStream<FilePart>): AsyncGenerator<FileToScan> {
  let file: (FileToScan & { read: number }) | undefined;
  for await (const part of parts) {
    if (part instanceof Uint8Array) {
      file!.data.set(part, file!.read);
      file!.read += part.length;
    } else {
      if (file) yield file;
      file = { ...part, data: new Uint8Array(part.size), read: 0 };
    }
  }
  if (file) yield file;
}
