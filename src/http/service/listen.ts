/** Opens and closes the listener of an HTTP server. */
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";

/** Resolves to the port, which the system chooses if it is 0. */
export async function listen(server: Server, host: string, port: number): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  return (server.address() as AddressInfo).port;
}

/** Closes idle connections at once, the others after their response, and all of them after the time limit. */
export function closeServer(server: Server, timeoutMs: number): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
    setTimeout(() => server.closeAllConnections(), timeoutMs).unref();
  });
}
