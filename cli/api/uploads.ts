/** Staged uploads: announce, then stream the zip to the address that came back. */
import { createReadStream } from "node:fs";
import { CliError } from "../errors.ts";
import type { Progress } from "../output.ts";
import type { Client } from "./client.ts";
import { failureOf } from "./failure.ts";
import { send } from "./http.ts";

/** An upload of the largest package over a slow line has to get through. */
const uploadTimeoutMs = 30 * 60_000;

/** Uploads a file and answers the id to publish with. Throws `E_UPLOAD_FAILED` when the bytes do not arrive. */
export async function uploadPackage(
  client: Client,
  file: { path: string; size: number; sha256: string },
  progress: Progress,
): Promise<string> {
  const { uploadId, url } = await client.announceUpload(file.size, file.sha256);
  if (!URL.canParse(url, client.options.baseUrl))
    throw new CliError("E_UPLOAD_FAILED", "The service handed out no usable upload address.");
  const target = new URL(url, client.options.baseUrl).href;

  let response: Response;
  try {
    response = await send(client.options, {
      method: "PUT",
      url: target,
      headers: { "content-type": "application/zip", "content-length": String(file.size) },
      body: streamFile(file, progress),
      timeoutMs: uploadTimeoutMs,
    });
  } catch (error) {
    throw new CliError(
      "E_UPLOAD_FAILED",
      `The upload broke off. ${error instanceof Error ? error.message : ""}`.trim(),
      undefined,
      { cause: error },
    );
  }
  const body: unknown = await response.json().catch(() => undefined);
  if (response.ok) return uploadId;
  const failure = failureOf(response.status, body, response.headers.get("retry-after"));
  if (failure.code === "E_NOT_AUTHENTICATED" || failure.code === "E_FORBIDDEN") throw failure;
  throw new CliError("E_UPLOAD_FAILED", `The upload was refused. ${failure.message}`, failure.details);
}

function streamFile(file: { path: string; size: number }, progress: Progress): ReadableStream<Uint8Array> {
  const chunks = createReadStream(file.path, { highWaterMark: 256 * 1024 })[Symbol.asyncIterator]();
  let sent = 0;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { value, done } = (await chunks.next()) as IteratorResult<Buffer, undefined>;
      if (done === true) {
        controller.close();
        return;
      }
      sent += value.length;
      progress.update(sent, file.size);
      controller.enqueue(value);
    },
    async cancel() {
      await chunks.return?.();
    },
  });
}
