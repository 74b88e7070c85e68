/** Things that wait for the user, by the page of the sidebar on which they are dealt with. */
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { countText } from "../../../../contract/text/count-text.ts";
import { identityQuery } from "../../api/account/session.ts";
import { queuesQuery } from "../../api/admin.ts";
import { attentionQuery, type AttentionItem } from "../../api/home.ts";
import type { Waiting } from "./status-dot.tsx";

/** Nothing is read before this time has passed: the page itself comes first. */
const delayMs = 1200;
const freshMs = 60_000;

type Kind = AttentionItem["kind"];
interface PageKind {
  kind: Kind;
  tone: Waiting["tone"];
  noun: string;
  plural?: string;
}
/** The most urgent first. */
const ofPages: Readonly<Record<string, readonly PageKind[]>> = {
  sync: [
    { kind: "sync_problem", tone: "danger", noun: "problem" },
    { kind: "sync_conflict", tone: "warn", noun: "conflict" },
  ],
  library: [
    {
      kind: "skill_finding",
      tone: "danger",
      noun: "skill with errors to review",
      plural: "skills with errors to review",
    },
  ],
  reviews: [
    { kind: "review_waiting", tone: "warn", noun: "version to review", plural: "versions to review" },
  ],
  workspaces: [{ kind: "workspace_failed", tone: "danger", noun: "failed workspace" }],
  tokens: [{ kind: "token_expiring", tone: "warn", noun: "expiring token" }],
};

function useItems(): AttentionItem[] {
  const { data: identity } = useQuery(identityQuery);
  const [isLater, setLater] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLater(true), delayMs);
    return () => clearTimeout(timer);
  }, []);
  const { data } = useQuery({
    ...attentionQuery,
    staleTime: freshMs,
    enabled: isLater && Boolean(identity),
  });
  return data?.items ?? [];
}

/** Things that wait on the pages of an organization, by the last segments of their addresses. */
export function useWaitingPages(org: string): Readonly<Record<string, Waiting>> {
  const own = useItems().filter(({ tenant }) => tenant?.slug === org);
  const entries = Object.entries(ofPages).flatMap(([page, kinds]) => {
    const found = kinds
      .map(({ kind, ...rest }) => ({ ...rest, count: own.filter((item) => item.kind === kind).length }))
      .filter(({ count }) => count > 0);
    const [first] = found;
    if (!first) return [];
    const text = found.map(({ count, noun, plural }) => countText(count, noun, plural)).join(", ");
    return [[page, { tone: first.tone, text }] as const];
  });
  return Object.fromEntries(entries);
}

/** The number of things on Home that need the user, and of their outdated installs, which are a list of their own. */
export function useWaitingCounts(): { installs: number; others: number } {
  const items = useItems();
  const installs = items.filter(({ kind }) => kind === "install_outdated").length;
  return { installs, others: items.length - installs };
}

/** Jobs that failed, for administrators of the service; 0 for others. */
export function useFailedJobs(): number {
  const { data: identity } = useQuery(identityQuery);
  const { data } = useQuery({
    ...queuesQuery,
    staleTime: freshMs,
    enabled: identity?.isAdministrator === true,
  });
  return data?.reduce((sum, { counts }) => sum + counts.failed, 0) ?? 0;
}
