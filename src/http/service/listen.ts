/** Opens and closes the listener of an HTTP server. */
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Health } from "./health.ts";

/** Idle connections stay open for longer than proxies keep theirs, which would otherwise send into a closed one. */
const timeouts = { requestTimeout: 300_000, headersTimeout: 20_000, keepAliveTimeout: 75_000 };

/** The server of the API, not yet listening. */
export function createListener(health: Health, handle: RequestListener): Server {
  return createServer(timeouts, (request, response) => {
    // A proxy then opens its next connection to another process, instead of sending into one that closes.
    if (health.isDraining) response.setHeader("connection", "close");
    handle(request, response);
  });
}

/** Resolves to the port, which the system chooses if it is 0. */
export async function listen(server: Server, host: string, port: number): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  return (server.address() as AddressInfo).port;
}

/**
 * Closes idle connections at once, the others after their response, and all of them after the time limit. Connections
 * that wait in the listener's queue are accepted before it closes, since the system would cut them.
 */
export async function closeServer(server: Server, timeoutMs: number): Promise<void> {
  await acceptWaiting();
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
    setTimeout(() => server.closeAllConnections(), timeoutMs).unref();
  });
}

/** A turn of the event loop accepts every connection that waits at its beginning. */
async function acceptWaiting(): Promise<void> {
  for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setImmediate(resolve));
}
