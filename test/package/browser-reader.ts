/** The reader of zips in the browser, as it is bundled for it; Node.js has the same interfaces. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { rolldown } from "rolldown";
import type { LeftOut } from "../../contract/package/left-out.ts";
import { root } from "../support/root.ts";

export interface Reader {
  readZip(zip: Blob): Promise<{ files: { path: string; mode: string }[]; leftOut: LeftOut[] }>;
}

export async function bundleReader(): Promise<Reader> {
  const folder = await mkdtemp(path.join(tmpdir(), "svc-reader-"));
  try {
    const file = path.join(folder, "read-zip.mjs");
    const bundle = await rolldown({ input: path.join(root, "web/src/parts/zip/read-zip.ts") });
    await bundle.write({ file, format: "esm", codeSplitting: false });
    await bundle.close();
    return (await import(pathToFileURL(file).href)) as Reader;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
