/** Mails about an organization, to each of its owners. */
import type { MailDue } from "../../storage/users.ts";
import { ownerRole } from "../access/permissions.ts";
import type { App } from "../app.ts";
import { queueMails } from "../mail/notice.ts";
import { mailDue } from "./account-mails.ts";

/** Maximum number of owners who get a mail. */
const mailedOwners = 20;
const mailMs = 7 * 86_400_000;

/** Stores a mail with the account of each owner; `id` prevents that a repeated call stores it twice. */
export async function mailOwners(
  app: App,
  tenantId: string,
  kind: MailDue["kind"],
  fields: Pick<MailDue, "id"> & Partial<MailDue>,
): Promise<void> {
  const owners = await app.storage.memberships.listWithRole(tenantId, ownerRole, mailedOwners);
  const expiresAt = new Date(app.now().getTime() + mailMs);
  for (const account of await app.storage.users.listByIds(owners.map(({ userId }) => userId))) {
    await app.storage.users.addMails(account._id, [
      { ...mailDue(app, kind, account.email, expiresAt), ...fields },
    ]);
    queueMails(app, account._id);
  }
}
