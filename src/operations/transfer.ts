/** `export` and `import`: the database to a file and back. Repositories are copied as files, after the export. */
import { createReadStream } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { createInterface } from "node:readline";
import { exportLines, importLines, isEmptyDatabase } from "../../storage/dump.ts";
import type { App } from "../app.ts";

/** Writes an export next to `file`, then moves it into place with mode 0600; returns its number of lines. */
export async function exportTo(app: App, file: string): Promise<number> {
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
  } catch (error) {
    await handle.close().catch(() => undefined);
    await rm(part, { force: true });
    throw error;
  }
  return lines;
}

/** Imports an export into an empty database; returns the number of documents. */
export async function importFrom(app: App, file: string): Promise<number> {
  if (!(await isEmptyDatabase(app.storage.database))) {
    throw new Error("The database is not empty: import into a new one.");
  }
  const lines = createInterface({ input: createReadStream(file, "utf8"), crlfDelay: Infinity });
  return importLines(app.storage.database, lines);
}
