/** The signed-in user and the organizations that they belong to. */
import { queryOptions } from "@tanstack/react-query";
import { api, dataOf, endSessionBy, ok, type Schemas } from "../client.ts";
import { query, whole } from "../query.ts";
import { isSignedIn, rememberUser, signInAgain } from "./sign-in-again.ts";

export type Identity = Schemas["Identity"];

/** The signed-in user, or null for a visitor. */
export const identityQuery = queryOptions({
  queryKey: ["/api/user/session"],
  staleTime: 5 * 60_000,
  queryFn: async ({ signal }): Promise<Identity | null> => {
    const read = () => readSession(signal);
    const user = await read();
    // An ended session must not replace a page by that of a visitor, together with what was typed in it.
    const current = user === null && isSignedIn() && (await signInAgain()) ? await read() : user;
    rememberUser(current?.id);
    return current;
  },
});

/** The user of the browser's session, or null. */
export async function readSession(signal?: AbortSignal): Promise<Identity | null> {
  return (await dataOf(api.GET("/api/user/session", signal ? { signal } : {}))).user;
}

/** An organization by its slug or id, with what the caller may do in it. */
export const organizationQuery = (org: string) => query("/api/tenants/{tenant}", { tenant: org });

export const foldersQuery = (org: string) =>
  whole("/api/tenants/{tenant}/folders", { tenant: org, limit: 2000 });

/**
 * Whether the permissions of an organization or role include an action, as in `may(org.permissions, "member", "read")`.
 */
export function may(permissions: Record<string, string[]>, group: string, action: string): boolean {
  return permissions[group]?.includes(action) === true;
}

/** Ends the session. The caller loads the page again, so that nothing of the user stays in memory. */
export async function signOut(): Promise<void> {
  await endSessionBy("/api/auth/sign-out", () => ok(api.POST("/api/auth/sign-out")));
  sessionStorage.clear();
}
