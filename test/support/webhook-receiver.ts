/** A receiver of webhooks on a port of this machine. */
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { Webhook } from "standardwebhooks";
import { closedAfter } from "./set-up.ts";

export interface ReceivedMessage {
  headers: Record<string, string>;
  body: string;
}

export interface ReceiverAnswer {
  status: number;
  headers?: Record<string, string>;
  body?: string;
}

export interface TestReceiver {
  url: string;
  received: ReceivedMessage[];
  /** Highest number of requests at a time. */
  maxOpen: number;
  /** Decides about each request. */
  answer: (message: ReceivedMessage) => ReceiverAnswer | Promise<ReceiverAnswer>;
}

export async function startReceiver(): Promise<TestReceiver> {
  const state: TestReceiver = { url: "", received: [], maxOpen: 0, answer: () => ({ status: 204 }) };
  let open = 0;
  const server = createServer((request, response) => {
    let body = "";
    state.maxOpen = Math.max(state.maxOpen, ++open);
    response.once("close", () => open--);
    request.setEncoding("utf8").on("data", (text: string) => (body += text));
    request.once("end", () => {
      const message = { headers: onlyTexts(request.headers), body };
      state.received.push(message);
      void Promise.resolve(state.answer(message)).then(({ status, headers, body: text }) =>
        response.writeHead(status, headers).end(text),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  await closedAfter({
    close() {
      server.close();
      server.closeAllConnections();
    },
  });
  state.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  return state;
}

const onlyTexts = (headers: IncomingHttpHeaders): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));

/** Verifies a message as at its own time: the clock of a service may be ahead. Throws for a wrong signature. */
export function verifyMessage({ headers, body }: ReceivedMessage, secret: string): void {
  const { now } = Date;
  Date.now = () => Number(headers["webhook-timestamp"]) * 1000;
  try {
    new Webhook(secret).verify(body, headers);
  } finally {
    Date.now = now;
  }
}
