/** Downloads into a file, with a maximum size. */
import { open } from "node:fs/promises";
import { CliError } from "../errors.ts";
import type { Progress } from "../terminal/output.ts";
import { networkError } from "./network-error.ts";
import type { Answer } from "./transport.ts";

/** Writes a response body to `path` and returns its size. Throws `E_NETWORK` if it is truncated or too large. */
export async function saveBody(
  response: Answer,
  path: string,
  bounds: { maxBytes: number; progress?: Progress },
): Promise<number> {
  const announced = Number(response.header("content-length") ?? Number.NaN);
  const tooLarge = () =>
    new CliError("E_NETWORK", `The download is larger than the ${bounds.maxBytes} bytes a package may have.`);
  if (announced > bounds.maxBytes) {
    response.discard();
    throw tooLarge();
  }
  const file = await open(path, "wx", 0o600);
  let received = 0;
  try {
    for await (const value of response.body) {
      received += value.length;
      if (received > bounds.maxBytes) throw tooLarge();
      await file.writeFile(value);
      if (Number.isFinite(announced)) bounds.progress?.update(received, announced);
    }
  } catch (error) {
    if (error instanceof CliError || isFileError(error)) throw error;
    throw networkError(error, response.url, response.url);
  } finally {
    response.discard();
    await file.close();
  }
  // The length of a compressed response is not that of the decompressed body.
  if (
    response.header("content-encoding") === undefined &&
    Number.isFinite(announced) &&
    received !== announced
  )
    throw new CliError("E_NETWORK", `The download stopped after ${received} of ${announced} bytes.`);
  return received;
}

function isFileError(error: unknown): boolean {
  return error instanceof Error && "syscall" in error && (error as NodeJS.ErrnoException).syscall === "write";
}
