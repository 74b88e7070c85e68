/** Calls of the MCP server by hand. */
import { request } from "node:http";

export type Headers = Record<string, string | string[]>;

export interface Answered {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: { error?: { code?: number; message: string; data?: { code: string } }; result?: unknown };
}

/** A call that may name another host than the one that it is sent to. */
export function sendByHand(
  { url }: { url: string },
  path: string,
  headers: Headers,
  body: string | Buffer,
): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const sent = request(new URL(path, url), {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...headers,
      },
    });
    sent.once("error", reject);
    sent.once("response", (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.once("end", () => {
        const text = Buffer.concat(chunks).toString();
        resolve({
          status: response.statusCode!,
          headers: response.headers,
          body: (text === "" ? {} : JSON.parse(text)) as Answered["body"],
        });
      });
    });
    sent.end(body);
  });
}

export const list = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: {} });
export const callOf = (name: string, input: unknown) =>
  JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: input } });
