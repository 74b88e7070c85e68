/** Which queries a change concerns, and when they are read again: at once, unless rows would move under the pointer. */
import type { Query, QueryClient } from "@tanstack/react-query";
import type { Path } from "../api/query.ts";
import type { Change, LiveMessage } from "./stream.ts";

const tenant = "/api/tenants/{tenant}";
const effective = ["/api/folders/{folder}/effective", "/api/skills/{skill}/effective"] as const;
const servers = [
  `${tenant}/mcp-servers`,
  `${tenant}/mcp-servers/{server}`,
  `${tenant}/mcp-servers/{server}/deletion`,
] as const;

/** Paths of the queries that show each subject. `test/house/dashboard.test.ts` compares them with those in use. */
export const operations: Record<Change["type"], readonly Path[]> = {
  skill: [
    "/api/search",
    "/api/skills",
    "/api/skills/{skill}",
    "/api/skills/{skill}/versions",
    "/api/skills/{skill}/manifest",
    "/api/skills/{skill}/findings",
    "/api/skills/{skill}/versions/{version}/review",
    `${tenant}/reviews`,
    `${tenant}/folders`,
    `${tenant}/collections/{collection}`,
    "/api/user/attention",
    "/api/user/followed-changes",
  ],
  collection: [`${tenant}/collections`, `${tenant}/collections/{collection}`],
  folder: [
    "/api/folders/{folder}/access",
    "/api/search",
    "/api/skills",
    "/api/skills/{skill}",
    `${tenant}/folders`,
    `${tenant}/mcp-registry`,
    ...effective,
  ],
  member: [tenant, `${tenant}/members`, `${tenant}/teams/{id}/members`, `${tenant}/roles`, ...effective],
  team: [
    `${tenant}/members`,
    `${tenant}/teams`,
    `${tenant}/teams/{id}`,
    `${tenant}/teams/{id}/folders`,
    `${tenant}/teams/{id}/members`,
    ...effective,
  ],
  role: [tenant, `${tenant}/members`, `${tenant}/roles`, ...effective],
  invitation: [`${tenant}/invitations`, "/api/user/attention", "/api/user/session"],
  token: [`${tenant}/tokens`, "/api/user/attention", "/api/user/tokens"],
  policy: [`${tenant}/oidc-policies`],
  mcpServer: [
    "/api/mcp-servers",
    "/api/skills",
    "/api/skills/{skill}",
    "/api/user/connectors",
    `${tenant}/mcp-registry`,
    ...servers,
  ],
  workspace: [
    "/api/user/attention",
    `${tenant}/folders`,
    `${tenant}/personal-workspaces`,
    `${tenant}/personal-workspaces/members`,
  ],
  sync: [
    "/api/user/attention",
    `${tenant}/repo-sync`,
    `${tenant}/repo-sync/conflicts`,
    `${tenant}/repo-sync/history`,
  ],
  organization: [
    "/api/user/connectors",
    "/api/user/session",
    tenant,
    `${tenant}/collections`,
    `${tenant}/mcp-central`,
    `${tenant}/mcp-registry`,
  ],
  membership: ["/api/user/session", tenant],
  account: ["/api/user/session", "/api/user/sessions"],
};
/** Changes of a burst are read together. */
const collectMs = 300;
/** Time after its last move for which a pointer counts as in use. */
const pointerMs = 1500;

/** Lists in which an added row would move the others. */
const lists = '[role="treegrid"], [role="listbox"], [role="rowgroup"], tbody, nav';

export interface Refetcher {
  receive(message: LiveMessage): void;
  /** Reads what waits now. */
  apply(): void;
  close(): void;
}

/** `onWaiting` gets the number of changes that wait because the pointer is in use on a list. */
export function openRefetcher(client: QueryClient, onWaiting: (count: number) => void): Refetcher {
  const concerned = new Set<unknown>();
  let isReset = false;
  let count = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const pointer = watchPointer();

  const isConcerned = ({ queryKey }: Query) => isReset || concerned.has(queryKey[0]);
  const apply = () => {
    clearTimeout(timer);
    timer = undefined;
    // Versions never change: what was read without an end of its freshness stays.
    void client.invalidateQueries({
      predicate: (query) => isConcerned(query) && query.isStaleByTime(0),
      refetchType: "active",
    });
    concerned.clear();
    isReset = false;
    count = 0;
    onWaiting(0);
  };
  const tryToApply = () => {
    timer = undefined;
    if (!pointer.isOnList()) return apply();
    onWaiting(count);
    timer = setTimeout(tryToApply, collectMs);
  };
  return {
    receive(message) {
      if (message.kind === "reset") isReset = true;
      else for (const operation of operations[message.change.type] ?? []) concerned.add(operation);
      count++;
      timer ??= setTimeout(tryToApply, collectMs);
    },
    apply,
    close() {
      clearTimeout(timer);
      pointer.close();
    },
  };
}

/** Whether the pointer is pressed, or was moved lately, on a list. */
export function watchPointer() {
  let movedAt = 0;
  let isPressed = false;
  let target: Element | null = null;
  const note = (event: PointerEvent | DragEvent) => {
    movedAt = performance.now();
    target = event.target instanceof Element ? event.target : null;
    if (event.type === "pointerdown" || event.type === "dragstart") isPressed = true;
    if (event.type === "pointerup" || event.type === "dragend") isPressed = false;
  };
  const events = ["pointermove", "pointerdown", "pointerup", "dragstart", "dragend"] as const;
  for (const name of events) addEventListener(name, note, { passive: true });
  return {
    isOnList: () =>
      (isPressed || performance.now() - movedAt < pointerMs) &&
      target !== null &&
      target.closest(lists) !== null,
    close: () => {
      for (const name of events) removeEventListener(name, note);
    },
  };
}
