/** Reads a document over HTTP, within the rules and limits of `http.ts`. */
import { RepoError } from "../errors.ts";
import { openHttpWire } from "./http.ts";

export interface DocumentLimits {
  allowPrivateNetwork: boolean;
  maxBytes: number;
  requestMs: number;
  maxRedirects?: number;
}

interface DocumentRequest {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
}

/** Throws `RepoError`, whose message names the host and never contains text of its response. */
export async function fetchText(
  url: string,
  { allowPrivateNetwork, maxBytes, requestMs, maxRedirects }: DocumentLimits,
  { method, headers, body }: DocumentRequest = {},
): Promise<string> {
  if (!URL.canParse(url)) throw new RepoError("invalid_remote", "the address is not a valid URL");
  // Only an address in this form may have a query.
  const { origin } = new URL(url);
  const wire = openHttpWire(
    { kind: "http", url: `${origin}/`, allowPrivateNetwork },
    {
      asked: "document",
      maxBytes,
      requestMs,
      maxRedirects,
      silenceMs: requestMs,
      signal: AbortSignal.timeout(requestMs),
    },
  );
  try {
    const sent = body === undefined ? {} : { body: [Buffer.from(body)] };
    const response = await wire.request({ url, method, headers, ...sent });
    const pieces: Uint8Array[] = [];
    for await (const piece of response.body) pieces.push(piece);
    return Buffer.concat(pieces).toString("utf8");
  } finally {
    await wire.close();
  }
}
