import { useQuery } from "@tanstack/react-query";
import { useLocation, useParams } from "@tanstack/react-router";
import { identityQuery } from "../../../api/account/session.ts";

const storageKey = "svc-organization";

/** Whether a member of an organization used this browser, so that their navigation is likely needed. */
export const mayBeMember = (): boolean => localStorage.getItem(storageKey) !== null;

/** The first of the organizations of a user that is wanted, the last one that they used, or their first one. */
export const chooseOrganization = (slugs: readonly string[], ...wanted: unknown[]): string | undefined =>
  [...wanted, localStorage.getItem(storageKey), slugs[0]].find(
    (slug): slug is string => typeof slug === "string" && slugs.includes(slug),
  );

/**
 * Slug of the organization whose pages the navigation offers: that of the address, or the last one, of the user's own.
 */
export function useCurrentOrganization(): string | undefined {
  const { org } = useParams({ strict: false });
  // The page for a new skill has the organization in its search.
  const searched = useLocation({
    select: ({ pathname, search }) => (pathname === "/new" ? (search as { org?: unknown }).org : undefined),
  });
  const { data: identity } = useQuery(identityQuery);
  const slugs = identity?.memberships.map(({ slug }) => slug) ?? [];
  const current = chooseOrganization(slugs, org, searched);
  if (current && localStorage.getItem(storageKey) !== current) localStorage.setItem(storageKey, current);
  return current;
}
