import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { identityQuery } from "../../api/session.ts";

const storageKey = "svc-organization";

/** Whether a member of an organization used this browser, so that their navigation is likely needed. */
export const mayBeMember = (): boolean => localStorage.getItem(storageKey) !== null;

/**
 * Slug of the organization whose pages the navigation offers: that of the address, or the last one, of the user's own.
 */
export function useCurrentOrganization(): string | undefined {
  const { org } = useParams({ strict: false });
  const { data: identity } = useQuery(identityQuery);
  const slugs = identity?.memberships.map(({ slug }) => slug) ?? [];
  const current = [org, localStorage.getItem(storageKey), slugs[0]].find(
    (slug) => typeof slug === "string" && slugs.includes(slug),
  );
  if (current && localStorage.getItem(storageKey) !== current) localStorage.setItem(storageKey, current);
  return current ?? undefined;
}
