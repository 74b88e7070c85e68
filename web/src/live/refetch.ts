/** Which queries a change concerns, and when they are read again: at once, unless rows would move under the pointer. */
import type { Query, QueryClient } from "@tanstack/react-query";
import type { Change, LiveMessage } from "./stream.ts";

/** First parts of the keys of the queries that show each subject. `test/house/dashboard.test.ts` compares them. */
export const operations: Record<Change["type"], readonly string[]> = {
  skill: [
    "skill",
    "versions",
    "version",
    "manifest",
    "findings",
    "skills",
    "skill-search",
    "latest-skills",
    "folders",
    "attention",
  ],
  folder: ["folders", "folder-access", "effective", "skills", "skill", "mcp-registry"],
  member: ["members", "member-search", "team-members", "effective", "organization", "roles", "member-count"],
  team: ["teams", "team", "team-members", "members", "effective"],
  role: ["roles", "members", "effective", "organization"],
  invitation: ["invitations", "attention", "identity"],
  token: ["tokens", "own-tokens", "attention"],
  policy: ["policies"],
  mcpServer: ["mcp-servers", "mcp-server", "mcp-registry", "connectors", "remote-servers", "skill", "skills"],
  workspace: ["workspaces", "workspace-settings", "folders", "attention"],
  sync: ["sync", "sync-runs", "sync-conflicts", "is-connected", "attention"],
  organization: ["organization", "identity", "connectors-switch", "mcp-registry", "connectors"],
  membership: ["identity", "organization"],
  account: ["identity", "sessions"],
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
  const concerned = new Set<string>();
  let isReset = false;
  let count = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const pointer = watchPointer();

  const isConcerned = ({ queryKey }: Query) => isReset || concerned.has(String(queryKey[0]));
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
