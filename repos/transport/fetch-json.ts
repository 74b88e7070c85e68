/** Reads a JSON document over HTTP, within the rules and limits of `http.ts`. */
import { RepoError } from "../errors.ts";
import { openHttpWire } from "./http.ts";

interface JsonLimits {
  allowPrivateNetwork: boolean;
  maxBytes: number;
  requestMs: number;
  redirectsAtMost?: number;
}

/** Throws `RepoError`, whose message names the host and never contains text of its response. */
export async function fetchJson(
  url: string,
  { allowPrivateNetwork, maxBytes, requestMs, redirectsAtMost }: JsonLimits,
): Promise<unknown> {
  const wire = openHttpWire(
    { kind: "http", url, allowPrivateNetwork },
    {
      maxBytes,
      requestMs,
      redirectsAtMost,
      silenceMs: requestMs,
      signal: AbortSignal.timeout(requestMs),
    },
  );
  try {
    const { body } = await wire.request({ url, headers: { accept: "application/json" } });
    const pieces: Uint8Array[] = [];
    for await (const piece of body) pieces.push(piece);
    return JSON.parse(Buffer.concat(pieces).toString("utf8"));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new RepoError("remote_protocol", `${new URL(url).host} does not send JSON`);
  } finally {
    await wire.close();
  }
}
