/** `export` and `import`: the database to a file and back. Repositories are copied as files, after the export. */
import { createReadStream } from "node:fs";
import { open, rename, rm, stat } from "node:fs/promises";
import { createInterface } from "node:readline";
import { checkedLines } from "../../storage/dump/checked-lines.ts";
import { exportLines } from "../../storage/dump/export-lines.ts";
import { hasUnfinishedImport, importLines, type Imported } from "../../storage/dump/import-lines.ts";
import type { Stores } from "../app.ts";
import { advanceEpoch } from "../epoch/epoch.ts";

/** Writes an export next to `file`, then moves it into place with mode 0600; returns its number of lines. */
export async function exportTo(app: Stores, file: string): Promise<number> {
  const part = `${file}.${process.pid}.part`;
  const handle = await open(part, "wx", 0o600);
  let lines = 0;
  try {
    let chunk = "";
    for await (const line of exportLines(app.storage.database, app.now())) {
      chunk += `${line}\n`;
      lines++;
      if (chunk.length < 1 << 20) continue;
      await handle.write(chunk);
      chunk = "";
    }
    await handle.write(chunk);
    await handle.sync();
    await handle.close();
    await rename(part, file);
    // From now on, the exported database is older than the Git root.
    await advanceEpoch(app);
  } catch (error) {
    await handle.close().catch(() => undefined);
    await rm(part, { force: true });
    throw error;
  }
  return lines;
}

/**
 * Imports an export into an empty database, or continues an interrupted import. A file
 * is read to its end before anything is written, so that an incomplete one leaves the database empty.
 */
export async function importFrom(app: Stores, file: string): Promise<Imported> {
  // A pipe can be read only once: an incomplete export then ends the import, which a complete one continues.
  if ((await stat(file)).isFile()) for await (const _ of checkedLines(linesOf(file)));
  return importLines(app.storage.database, linesOf(file));
}

function linesOf(file: string): AsyncIterable<string> {
  return createInterface({ input: createReadStream(file, "utf8"), crlfDelay: Infinity });
}

/** Throws while the database contains a part of an export only. */
export async function requireCompleteImport(app: Pick<Stores, "storage">): Promise<void> {
  if (await hasUnfinishedImport(app.storage.database))
    throw new Error(
      "The database contains an import that was interrupted: run the import with the same file again to complete it.",
    );
}
