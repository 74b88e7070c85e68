/** Requests at a fixed rate, which do not wait for the responses of earlier ones. */
import { Agent, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

export interface Call {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: string;
}

/** The status of the response, after it has been read. */
export function send(base: string, call: Call, agent: Agent): Promise<number> {
  return new Promise((resolve, reject) => {
    const { method, path, headers, body } = call;
    const sent = request(base + path, { method, headers, agent }, (response) => {
      response.resume();
      response.once("end", () => resolve(response.statusCode!));
      response.once("error", reject);
    });
    sent.once("error", (error: NodeJS.ErrnoException) => {
      // The service has closed the idle connection while the request was sent.
      if (sent.reusedSocket && error.code === "ECONNRESET") resolve(send(base, call, agent));
      else reject(error);
    });
    sent.end(body);
  });
}

/** Calls `work` with 0, 1, … at `rate` per second, until `isOver(n)`. Returns what all of them return. */
export async function atRate<T>(
  rate: number,
  isOver: (n: number) => boolean,
  work: (n: number, agent: Agent) => Promise<T>,
): Promise<T[]> {
  const agent = new Agent({ keepAlive: true });
  const results: Promise<T>[] = [];
  const began = performance.now();
  for (let n = 0; !isOver(n); n++) {
    await sleep(Math.max(0, began + (n * 1000) / rate - performance.now()));
    results.push(work(n, agent));
  }
  const all = await Promise.all(results);
  agent.destroy();
  return all;
}
