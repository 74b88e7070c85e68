import type { TestOrg, TestService, TestUser } from "./service.ts";

/** A grant to an OAuth client that has its tokens. */
export async function addGrant(service: TestService, { id }: TestUser, org: TestOrg): Promise<string> {
  const { storage, newId, now } = service.app;
  const grantId = newId();
  const soon = new Date(now().getTime() + 3_600_000);
  await storage.oauthGrants.insert({
    _id: grantId,
    userId: id,
    clientId: "guarded",
    clientName: "Guarded",
    redirectUri: "http://127.0.0.1/",
    access: "read",
    tenantIds: [org.id],
    resource: `${service.url}/mcp`,
    epochs: { session: 0, token: 0 },
    codeHash: `code of ${id}`,
    codeChallenge: "",
    codeExpiresAt: soon,
    codeUsedAt: now(),
    createdAt: now(),
    expiresAt: soon,
  });
  return grantId;
}
