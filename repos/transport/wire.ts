/** The requests of Git's HTTP protocol, which a remote over HTTP and a directory both serve. */

export interface Limits {
  /** Maximum size of a response in bytes. */
  maxBytes: number;
  /** Maximum time without any data. */
  silenceMs: number;
  /** Maximum time of a request. */
  requestMs: number;
  signal?: AbortSignal | undefined;
  /** Redirects within the origin that are followed. Default: 3. */
  redirectsAtMost?: number | undefined;
  /** Subject of the requests, for the messages of refusals. Default: a repository. */
  asked?: "repository" | "document" | undefined;
}

/** A request in the form of isomorphic-git. */
export interface WireRequest {
  url: string;
  method?: string | undefined;
  headers?: Record<string, string> | undefined;
  body?: unknown;
}

export interface WireResponse {
  url: string;
  method: string;
  statusCode: number;
  statusMessage: string;
  headers: Record<string, string>;
  body: AsyncIterableIterator<Uint8Array>;
}

export interface Wire {
  request(request: WireRequest): Promise<WireResponse>;
  close(): Promise<void> | void;
}
