/** A listener of server-sent events, as tests use it. */
import http from "node:http";
import type { CallOptions, TestService } from "../support/service.ts";
import { until } from "../support/until.ts";

export interface EventStream<T> {
  status: number;
  headers: http.IncomingHttpHeaders;
  text(): string;
  isEnded(): boolean;
  /** Data of the events with a name, in their order. */
  of(event: string): T[];
  /** Waits for an event `change` that matches. */
  change(matches: (data: T) => boolean, what: string): Promise<T>;
  close(): void;
}

export function listen<T>(
  service: TestService,
  path: string,
  { token, cookie, headers }: CallOptions,
): Promise<EventStream<T>> {
  return new Promise((resolve, reject) => {
    const sent = {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(cookie === undefined ? {} : { cookie }),
      ...headers,
    };
    const request = http.get(new URL(path, service.url), { headers: sent, agent: false }, (response) => {
      let text = "";
      let isEnded = false;
      response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
      response.on("close", () => (isEnded = true)).on("error", () => undefined);
      const of = (event: string) =>
        [...text.matchAll(/event: (\w+)\ndata: (.*)\n\n/g)]
          .filter(([, name]) => name === event)
          .map(([, , data]) => JSON.parse(data!) as T);
      resolve({
        status: response.statusCode!,
        headers: response.headers,
        text: () => text,
        isEnded: () => isEnded,
        of,
        async change(matches, what) {
          await until(what, () => of("change").some(matches));
          return of("change").find(matches)!;
        },
        close: () => request.destroy(),
      });
    });
    request.on("error", reject);
  });
}
