/** Staged uploads: announce, then stream the zip to the address that came back. */
import { createReadStream } from "node:fs";
import { Readable } from "node:stream";
import { CliError } from "../errors.ts";
import type { Progress } from "../output.ts";
import { type Client, parseBody } from "./client.ts";
import { failureOf } from "./failure.ts";
import { send } from "./http.ts";
import type { Answer } from "./transport.ts";

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

  let response: Answer;
  try {
    response = await send(client.options, {
      method: "PUT",
      url: target,
      headers: { "content-type": "application/zip", "content-length": String(file.size) },
      body: streamFile(file, progress),
      bodySha256: file.sha256,
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
  const body = parseBody(await response.text().catch(() => ""));
  if (response.ok) return uploadId;
  const failure = failureOf(response.status, body, response.header("retry-after"));
  if (failure.code === "E_NOT_AUTHENTICATED" || failure.code === "E_FORBIDDEN") throw failure;
  throw new CliError("E_UPLOAD_FAILED", `The upload was refused. ${failure.message}`, failure.details);
}

function streamFile(file: { path: string; size: number }, progress: Progress): Readable {
  return Readable.from(
    (async function* () {
      let sent = 0;
      for await (const chunk of createReadStream(file.path, { highWaterMark: 256 * 1024 })) {
        sent += (chunk as Buffer).length;
        progress.update(sent, file.size);
        yield chunk as Buffer;
      }
    })(),
    { objectMode: false },
  );
}
