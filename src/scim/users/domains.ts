import { domainToASCII } from "node:url";
import type { App } from "../../app.ts";

/** Whether an organization has verified the domain of an address. */
export async function isVerifiedDomain(app: App, tenantId: string, emailKey: string): Promise<boolean> {
  const domain = domainToASCII(emailKey.slice(emailKey.lastIndexOf("@") + 1));
  return domain !== "" && (await app.storage.ssoDomains.isVerifiedFor(tenantId, domain));
}
