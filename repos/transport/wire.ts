/** The requests of Git's HTTP protocol, which a remote over HTTP and a directory both serve. */

export interface Limits {
  /** Maximum size of a response in bytes. */
  maxBytes: number;
  /** Maximum time without any data. */
  silenceMs: number;
  /** Maximum time of a request. */
  requestMs: number;
  signal?: AbortSignal;
  /** Redirects within the origin that are followed. Default: 3. */
  maxRedirects?: number;
  /** Subject of the requests, for the messages of refusals. Default: a repository. */
  asked?: "repository" | "document";
}

/** A request in the form of isomorphic-git. */
export interface WireRequest {
  url: string;
  method?: string;
  headers?: Record<string, string>;
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
