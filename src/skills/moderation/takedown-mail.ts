/** Mails about a takedown and its end, to the skill's author and the owners of its organization. */
import type { SkillDoc, TakedownFollowUp } from "../../../storage/skills/skills.ts";
import { ownerRole } from "../../access/permissions.ts";
import { mailDue } from "../../accounts/mails/account-mails.ts";
import type { App } from "../../app.ts";
import { queueMails } from "../../mail/notice.ts";

/** Maximum number of owners who get a mail. */
const mailedOwners = 20;
const mailMs = 7 * 86_400_000;

/** Stores a mail with each account. Anonymous shares have no recipients. */
export async function mailTakedown(app: App, skill: SkillDoc, followUp: TakedownFollowUp): Promise<void> {
  const { kind, reason, since } = followUp;
  const owners = await app.storage.memberships.listWithRole(skill.tenantId, ownerRole, mailedOwners);
  const ids = [...new Set([...(skill.author ? [skill.author.id] : []), ...owners.map((one) => one.userId)])];
  for (const account of await app.storage.users.listByIds(ids)) {
    const due = mailDue(
      app,
      kind === "lifted" ? "takedown-lifted" : "skill-taken-down",
      account.email,
      new Date(since.getTime() + mailMs),
    );
    // The id is the same if a crash repeats this, so that a pending mail is not stored twice.
    const id = `${skill._id}.${since.getTime()}`;
    const about = { skill: `${skill.tenantSlug}/${skill.slug}`, reason };
    await app.storage.users.addMails(account._id, [{ ...due, id, about }]);
    queueMails(app, account._id);
  }
}
