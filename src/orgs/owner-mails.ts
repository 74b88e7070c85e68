/** Mails about an organization, to each of its owners. */
import type { MailDue } from "../../storage/users/users.ts";
import { ownerRole } from "../access/permissions.ts";
import type { App } from "../app.ts";
import { queueMails } from "../mail/notice.ts";

/** Maximum number of owners who get a mail. */
const mailedOwners = 20;
const mailMs = 7 * 86_400_000;

/** Stores a mail with the account of each owner; a repeated call with the same id stores another. */
export async function mailOwners(
  app: App,
  tenantId: string,
  kind: MailDue["kind"],
  fields: Pick<MailDue, "id"> & Partial<MailDue>,
): Promise<void> {
  const owners = await app.storage.memberships.listWithRole(tenantId, ownerRole, mailedOwners);
  const createdAt = app.now();
  const expiresAt = new Date(createdAt.getTime() + mailMs);
  for (const account of await app.storage.users.listByIds(owners.map(({ userId }) => userId))) {
    await app.storage.users.addMails(account._id, [
      { kind, to: account.email, createdAt, expiresAt, ...fields },
    ]);
    queueMails(app, account._id);
  }
}
