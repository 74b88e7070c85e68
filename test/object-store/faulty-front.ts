/** A server in front of an object store that fails some of its requests, as a test decides. */
import { createServer, type IncomingMessage, request } from "node:http";
import type { AddressInfo } from "node:net";

/** A refusal with S3's code, or a response that is cut off after some bytes. */
export type Fault = { status: number; code: string } | { cutAfter: number };

export interface FaultyFront {
  endpoint: string;
  /** Methods and paths of the requests so far. */
  seen: string[];
  /** Decides what happens to a request; undefined: it is forwarded. */
  decide: (asked: IncomingMessage) => Fault | undefined;
  close(): Promise<void>;
}

export async function startFaultyFront(target: string): Promise<FaultyFront> {
  const { hostname, port } = new URL(target);
  const front: FaultyFront = {
    endpoint: "",
    seen: [],
    decide: () => undefined,
    close: async () => undefined,
  };
  const server = createServer((asked, answer) => {
    front.seen.push(`${asked.method} ${asked.url}`);
    const fault = front.decide(asked);
    if (fault !== undefined && "status" in fault) {
      asked.resume();
      asked.once("end", () =>
        answer.writeHead(fault.status).end(`<Error><Code>${fault.code}</Code><Message>m</Message></Error>`),
      );
      return;
    }
    // The signature covers the header Host, which stays as the client has sent it.
    const options = { hostname, port, method: asked.method, path: asked.url, headers: asked.headers };
    const forwarded = request(options, (found) => {
      answer.writeHead(found.statusCode!, found.headers);
      if (fault === undefined) {
        found.pipe(answer);
        return;
      }
      let sent = 0;
      found.on("data", (piece: Buffer) => {
        answer.write(piece.subarray(0, fault.cutAfter - sent));
        sent += piece.length;
        if (sent >= fault.cutAfter) answer.destroy();
      });
    });
    forwarded.on("error", () => answer.destroy());
    asked.pipe(forwarded);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  front.endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  front.close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return front;
}
