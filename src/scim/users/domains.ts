import type { App } from "../../app.ts";
import { domainOfAddress } from "../../users/email-domain.ts";

/** Whether an organization has verified the domain of an address. */
export async function isVerifiedDomain(app: App, tenantId: string, emailKey: string): Promise<boolean> {
  const domain = domainOfAddress(emailKey);
  return domain !== undefined && (await app.storage.ssoDomains.isVerifiedFor(tenantId, domain));
}
