/** A proxy between a client and the service that can respond like a broken network or a hostile server. */
import { type IncomingMessage, type ServerResponse, createServer, request as openRequest } from "node:http";
import type { AddressInfo } from "node:net";

/** Responds in place of the service; false lets the service respond. */
export type Fault = (request: IncomingMessage, response: ServerResponse, url: URL) => boolean;

export interface Gateway {
  url: string;
  fault: Fault;
  /** Every request so far, as method and path. */
  seen: string[];
  close: () => Promise<void>;
}

export async function openGateway(target: () => string): Promise<Gateway> {
  const made: Gateway = { url: "", fault: () => false, seen: [], close: async () => {} };
  const listener = createServer((request, response) => {
    const url = new URL(request.url!, target());
    made.seen.push(`${request.method} ${url.pathname}`);
    if (made.fault(request, response, url)) return;
    const { "accept-encoding": _zipped, ...headers } = request.headers;
    const onward = openRequest(url, { method: request.method, headers }, (answer) => {
      const isJson = answer.headers["content-type"]?.includes("json") === true;
      if (!isJson) {
        response.writeHead(answer.statusCode!, answer.headers);
        answer.pipe(response);
        return;
      }
      // Addresses that the service returns lead through this proxy too.
      const chunks: Buffer[] = [];
      answer.on("data", (chunk: Buffer) => chunks.push(chunk));
      answer.on("end", () => {
        const { "content-length": _length, ...kept } = answer.headers;
        response.writeHead(answer.statusCode!, kept);
        response.end(Buffer.concat(chunks).toString("utf8").replaceAll(target(), made.url));
      });
    });
    onward.on("error", () => response.destroy());
    request.pipe(onward);
  });
  await new Promise<void>((ready) => listener.listen(0, "127.0.0.1", ready));
  made.url = `http://127.0.0.1:${(listener.address() as AddressInfo).port}`;
  made.close = async () => {
    listener.closeAllConnections();
    await new Promise((closed) => listener.close(closed));
  };
  return made;
}

/** Responds, as a fault does. */
export function reply(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): true {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(typeof body === "string" ? body : JSON.stringify(body));
  return true;
}
