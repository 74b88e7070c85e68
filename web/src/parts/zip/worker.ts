/** Packs and unpacks zips outside of the page's thread. */
import { readZip } from "./read-zip.ts";
import type { Request, Response } from "./client.ts";
import { isIgnoredPath } from "./ignored.ts";
import { writeZip } from "./write-zip.ts";

const answer = (response: Response) => postMessage(response);

addEventListener("message", ({ data: request }: MessageEvent<Request>) => {
  void handle(request);
});

async function handle(request: Request): Promise<void> {
  try {
    if (request.kind === "pack") {
      const made = await writeZip(request.files, (bytes) => answer({ kind: "progress", bytes }));
      answer({ kind: "packed", ...made });
      return;
    }
    const ignored: string[] = [];
    const files = await readZip(request.zip, (path) => {
      if (isIgnoredPath(path)) ignored.push(path);
      return !isIgnoredPath(path);
    });
    answer({ kind: "unpacked", files, ignored });
  } catch (error) {
    answer({ kind: "failed", message: error instanceof Error ? error.message : String(error) });
  }
}
