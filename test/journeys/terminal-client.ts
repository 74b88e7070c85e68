/** The built `svc` at a terminal, with a service that answers as a test says. */
import { realpathSync } from "node:fs";
import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import type { TestContext } from "node:test";
import { stripVTControlCharacters } from "node:util";
import { root } from "../support/root.ts";
import { removeFolder, temporaryFolder } from "../support/server.ts";
import { openTerminal } from "../support/terminal.ts";

const svcPath = path.join(root, "bin", "svc");

type Handler = (request: IncomingMessage, response: ServerResponse, url: URL) => void;

/** A home, a service with the given responses, and `svc` at a terminal with both. */
export async function setUp(t: TestContext, handler: Handler) {
  const home = realpathSync(temporaryFolder("terminal"));
  t.after(() => removeFolder(home));
  const server = createServer((request, response) =>
    handler(request, response, new URL(request.url!, "http://x")),
  );
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  t.after(async () => {
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const open = (args: readonly string[], env: Record<string, string> = {}, columns = 80) =>
    openTerminal([process.execPath, svcPath, ...args], {
      cwd: home,
      columns,
      env: {
        HOME: home,
        SVC_API_URL: url,
        SVC_TOKEN: `lsk_${"ab".repeat(32)}`,
        SVC_NO_UPDATE_CHECK: "1",
        ...env,
      },
    });
  return { home, url, open };
}

export function reply(response: ServerResponse, data: unknown): void {
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify({ success: true, data, nextCursor: null }));
}

export const identity = {
  username: "ann",
  name: "Ann",
  email: "a@example.com",
  memberships: [],
  pendingInvitations: [],
};

/** The final lines of a terminal: supports carriage returns and cleared lines only. */
export function screen(text: string): string[] {
  const clearLine = "\u001B[2K";
  return text.split("\n").map((line) => {
    const drawn = line.replace(/\r$/, "").replaceAll(clearLine, "\r").split("\r").at(-1)!;
    return stripVTControlCharacters(drawn);
  });
}
