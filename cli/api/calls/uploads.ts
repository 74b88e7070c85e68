/** Staged uploads: announce the zip, then stream it to the returned address. */
import { createReadStream } from "node:fs";
import { Readable } from "node:stream";
import { CliError } from "../../errors.ts";
import type { Progress } from "../../terminal/output.ts";
import { parseBody } from "../call.ts";
import type { Client } from "../client.ts";
import { failureOf } from "../failure.ts";
import { send } from "../http.ts";
import type { Answer } from "../transport.ts";

/** Long enough for the largest package over a slow connection. */
const uploadTimeoutMs = 30 * 60_000;

/** Uploads a file and returns the id to publish with. Throws `E_UPLOAD_FAILED` if the upload fails. */
export async function uploadPackage(
  client: Client,
  file: { path: string; size: number; sha256: string },
  progress: Progress,
): Promise<string> {
  const { uploadId, url } = await client.announceUpload(file.size, file.sha256);
  const target = uploadTarget(url, client.options.baseUrl);

  let response: Answer;
  try {
    response = await send(client.options, {
      method: "PUT",
      url: target,
      headers: { "content-type": "application/zip", "content-length": String(file.size) },
      body: () => streamFile(file, progress),
      bodySha256: file.sha256,
      timeoutMs: uploadTimeoutMs,
    });
  } catch (error) {
    throw new CliError(
      "E_UPLOAD_FAILED",
      `The upload was interrupted. ${error instanceof Error ? error.message : ""}`.trim(),
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

/**
 * The upload address at the service's own origin, since a package may be private. A service that is reached by another
 * name than its own returns that one, so the path of its uploads is used with the name in use.
 */
function uploadTarget(given: string, baseUrl: string): string {
  const url = URL.canParse(given, baseUrl) ? new URL(given, baseUrl) : undefined;
  if (url === undefined)
    throw new CliError("E_UPLOAD_FAILED", "The service returned no usable upload address.");
  const path = /\/api\/uploads\/[A-Za-z0-9_-]+$/.exec(url.pathname)?.[0];
  if (path !== undefined && /^https?:$/.test(url.protocol)) return baseUrl + path + url.search;
  const { origin } = new URL(baseUrl);
  if (url.origin === origin) return url.href;
  const named = url.origin === "null" ? url.protocol : url.origin;
  throw new CliError(
    "E_UPLOAD_FAILED",
    `${origin} names an upload address at ${named}, and svc uploads to the service itself only. Set SVC_API_URL ` +
      "to the service's own address.",
    { origin: named },
  );
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
