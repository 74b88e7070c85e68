/**
 * Sends the due mails about followed skills, one to a person with everything that waits for them. What they may not
 * read any more is left out, as are reminders of those who have updated. A person without an account, a confirmed
 * address or a readable change gets none. A worker that crashes between sending and removing the marks sends the mail
 * once more; nothing is lost.
 */
import { mapLimit } from "../../contract/concurrency/map-limit.ts";
import type { App } from "../../src/app.ts";
import { MailError } from "../../src/mail/mailer.ts";
import { isOutdated } from "../../src/skills/analytics/list-installs.ts";
import { visibleChanges, type SeenChange } from "../../src/skills/following/changes.ts";
import { writeFollowMail } from "../../src/skills/following/mail.ts";
import { loadUserActor } from "../../src/users/load.ts";

const batch = 100;
/** Changes that are read for one mail. It lists fewer, and the home page has them all. */
const maxChanges = 1000;
/** Time for which one worker has a person's mail: longer than the mail server may take. */
const claimMs = 5 * 60_000;
/** Failures in a row after which no more is tried: fewer may be those of a recipient, who must not delay the others. */
const maxFailures = 3;
const readConcurrency = 8;
/** Pause after a failure of the mail server. */
const retryMs = 15 * 60_000;

export async function sendFollowMails(app: App): Promise<void> {
  let failures = 0;
  for (;;) {
    const userIds = await app.storage.followedChanges.listRecipientsDue(app.now(), batch);
    let sent = 0;
    for (const userId of userIds) {
      try {
        if (await sendFollowMail(app, userId)) sent++;
        failures = 0;
      } catch (error) {
        if (++failures >= maxFailures) throw error;
        app.log.warn({ error, userId }, "a mail about followed skills was not sent, and is tried again");
      }
    }
    if (userIds.length < batch || sent === 0) return;
  }
}

/** False if another worker has the mail. Throws what prevents it, if a later attempt may succeed. */
async function sendFollowMail(app: App, userId: string): Promise<boolean> {
  const { followedChanges, followSettings } = app.storage;
  const now = app.now();
  if (!(await followSettings.claim(userId, now, new Date(now.getTime() + claimMs)))) return false;
  let sentAt: Date | undefined;
  try {
    const mail = await mailOf(app, userId, await followedChanges.listDue(userId, now, maxChanges));
    if (mail) {
      await app.mail.send(mail);
      sentAt = now;
    }
    await followedChanges.postponeDue(userId, now, undefined);
  } catch (error) {
    if (!(error instanceof MailError)) throw error;
    const isLost = !error.retryable;
    await followedChanges.postponeDue(userId, now, isLost ? undefined : new Date(now.getTime() + retryMs));
    if (!isLost) throw error;
    app.log.warn({ error, userId }, "dropped a mail about followed skills that was permanently refused");
  } finally {
    await followSettings.release(userId, sentAt);
  }
  return true;
}

async function mailOf(
  app: App,
  userId: string,
  rows: Awaited<ReturnType<App["storage"]["followedChanges"]["listDue"]>>,
) {
  // Like a token of the person: it works while they have signed in as their organizations require.
  const via = { kind: "token", tokenId: "", limits: {} } as const;
  const origin = { ipHash: undefined, source: "api", client: "api" } as const;
  const actor = await loadUserActor(app, userId, via, origin);
  const { email, emailVerifiedAt } = actor?.account ?? {};
  if (!actor || email === undefined || !emailVerifiedAt) return undefined;
  // A change may have been noted while the person ended the mails.
  const { mail, reviews } = (await app.storage.followSettings.find(userId)) ?? {};
  const wanted = rows.filter(({ reason }) => (reason === "reviewer" ? reviews : mail !== "off"));
  if (wanted.length === 0) return undefined;
  const changes = await withOutdated(app, userId, await visibleChanges(app, actor, wanted));
  return changes.length > 0 ? writeFollowMail(app, { userId, to: email }, changes) : undefined;
}

/** The changes, with the outdated installs of reminders, and without reminders of those who have none any more. */
async function withOutdated(app: App, userId: string, changes: SeenChange[]): Promise<SeenChange[]> {
  const kept = await mapLimit(changes, readConcurrency, async (change) => {
    if (change.row.kind !== "reminder") return [change];
    const { skill } = change;
    const rows = await app.storage.installs.listOfPerson(skill._id, userId);
    const outdated = rows.filter((row) => isOutdated(row, skill));
    return outdated.length > 0 ? [{ ...change, outdated }] : [];
  });
  return kept.flat();
}
