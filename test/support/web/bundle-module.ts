import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { rolldown } from "rolldown";
import { root } from "../root.ts";

/** A module of the dashboard, as it is bundled for the browser; Node.js has the interfaces that it uses. */
export async function bundleModule<T>(file: string): Promise<T> {
  const folder = await mkdtemp(path.join(tmpdir(), "svc-module-"));
  try {
    const bundled = path.join(folder, "module.mjs");
    const bundle = await rolldown({ input: path.join(root, file) });
    await bundle.write({ file: bundled, format: "esm", codeSplitting: false });
    await bundle.close();
    return (await import(pathToFileURL(bundled).href)) as T;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
