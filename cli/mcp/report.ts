/** Reports entries to the service, as `install/report.ts` does for skills, with the same limits. */
import { mapLimit } from "../../contract/concurrency/map-limit.ts";
import type { InstallScope, McpTarget } from "../../contract/vocabulary.ts";
import { searchOf } from "../api/call.ts";
import type { Client } from "../api/client.ts";
import { send } from "../api/http.ts";
import type { InstalledMcpServer } from "../state/mcp-servers.ts";

const budgetMs = 2000;
const atOnce = 8;

export interface ReportedEntry {
  server: Pick<InstalledMcpServer, "publicId" | "tenantSlug" | "via">;
  platform: McpTarget;
  scope: InstallScope;
  /** The installed revision; absent after an uninstall. */
  revision?: number;
}

/** Never throws, and does not change the output of the command. */
export async function reportEntries(
  client: Client | undefined,
  machine: string | undefined,
  entries: readonly ReportedEntry[],
): Promise<void> {
  if (client === undefined || machine === undefined) return;
  const deadline = performance.now() + budgetMs;
  await mapLimit([...entries], atOnce, async ({ server, platform, scope, revision }) => {
    const timeoutMs = deadline - performance.now();
    if (timeoutMs <= 0) return;
    const path = [server.tenantSlug, "mcp-servers", server.publicId, "installs"]
      .map(encodeURIComponent)
      .join("/");
    const url = `/api/tenants/${path}`;
    const place = { platform, scope, machine };
    const request =
      revision === undefined
        ? ({ method: "DELETE", url: url + searchOf(place) } as const)
        : ({
            method: "PUT",
            url,
            body: JSON.stringify({ ...place, revision, via: server.via }),
            headers: { "content-type": "application/json" },
          } as const);
    await send(client.options, { timeoutMs, ...request })
      .then((response) => response.discard())
      .catch(() => undefined);
  });
}
