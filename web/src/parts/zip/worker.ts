/** Packs and unpacks zips outside of the page's thread. */
import type { Request, Response } from "./client.ts";
import { readZip } from "./read-zip.ts";
import { writeZip } from "./write-zip.ts";

const answer = (response: Response) => postMessage(response);

addEventListener("message", ({ data: request }: MessageEvent<Request>) => {
  void handle(request);
});

async function handle(request: Request): Promise<void> {
  try {
    if (request.kind === "unpack") {
      answer({ kind: "unpacked", ...(await readZip(request.zip)) });
      return;
    }
    const made = await writeZip(request.files, (bytes) => answer({ kind: "progress", bytes }));
    answer({ kind: "packed", ...made });
  } catch (error) {
    answer({ kind: "failed", message: error instanceof Error ? error.message : String(error) });
  }
}
