/** Packs and unpacks zips in a worker, which ends with the work or with the signal. */
import type { LeftOut } from "../../../../contract/package/left-out.ts";
import type { DroppedFile, ZipFile } from "./format.ts";

export type Request = { kind: "pack"; files: readonly ZipFile[] } | { kind: "unpack"; zip: Blob };
export type Response =
  | { kind: "progress"; bytes: number }
  | { kind: "packed"; zip: Blob; sha256: string }
  | { kind: "unpacked"; files: DroppedFile[]; leftOut: LeftOut[] }
  | { kind: "failed"; message: string };
type Result<K> = Extract<Response, { kind: K }>;

export function packFiles(
  files: readonly ZipFile[],
  onProgress: (bytes: number) => void,
  signal: AbortSignal,
): Promise<Result<"packed">> {
  return run({ kind: "pack", files }, "packed", onProgress, signal);
}

export function unpackFile(zip: Blob): Promise<Result<"unpacked">> {
  return run({ kind: "unpack", zip }, "unpacked");
}

function run<K extends "packed" | "unpacked">(
  request: Request,
  kind: K,
  onProgress?: (bytes: number) => void,
  signal?: AbortSignal,
): Promise<Result<K>> {
  const worker = new Worker(new URL("./worker.ts", import.meta.url), { type: "module" });
  return new Promise<Result<K>>((resolve, reject) => {
    signal?.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
    worker.addEventListener("message", ({ data }: MessageEvent<Response>) => {
      if (data.kind === "progress") onProgress?.(data.bytes);
      else if (data.kind === "failed") reject(new Error(data.message));
      else if (data.kind === kind) resolve(data as Result<K>);
    });
    worker.addEventListener("error", () => reject(new Error("The files could not be read. Try again.")));
    // A worker has no origin to name.
    // oxlint-disable-next-line unicorn/require-post-message-target-origin
    worker.postMessage(request);
  }).finally(() => worker.terminate());
}
