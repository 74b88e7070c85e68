/** Changes of the set of factors of an account: one write with their events, mails and the end of sessions. */
import type { SignInMethod } from "../../storage/credentials/sessions.ts";
import type { EventRow } from "../../storage/outbox.ts";
import type { Credentials, Factors, MailDue, Passkey } from "../../storage/users/users.ts";
import type { App } from "../app.ts";
import { flushEvents } from "../audit/events.ts";
import { noteBreakGlass } from "../auth/break-glass.ts";
import { concurrentChange } from "../auth/credentials.ts";
import { dropSessions, openSession } from "../auth/sessions.ts";
import type { Cookie } from "../http/route.ts";
import { queueMails } from "../mail/notice.ts";
import type { SessionActor } from "./load.ts";

export interface Change {
  set?: Partial<Factors>;
  unset?: readonly (keyof Factors)[];
  addPasskey?: Passkey;
  removePasskey?: string;
  hasFactor: boolean;
  mails: MailDue[];
  events: EventRow[];
}

/** Applies a change that ends no session. Throws `conflict`. */
export async function changeFactors(app: App, user: Credentials, change: Change): Promise<void> {
  const { events, ...fields } = change;
  const done = await app.storage.users.changeFactors(user, { ...fields, now: app.now() }, events);
  if (done === null) throw concurrentChange();
  report(app, user._id, change);
}

/**
 * Applies a change that ends all other sessions: they may not have passed the factors that the account has from now on,
 * or may belong to the finder of a lost device. Returns the cookie of the caller's new session. Throws `conflict`.
 */
export async function changeAndEndSessions(
  app: App,
  caller: SessionActor,
  user: Credentials,
  change: Change,
  session: { userAgent: string; methods: readonly SignInMethod[] },
): Promise<Cookie> {
  const { events, ...fields } = change;
  // A first factor can open an organization to its owner that requires its identity provider.
  const { sso, breakGlass = [], verifiedAt } = caller.via;
  const noted =
    change.hasFactor && !user.hasFactor
      ? await noteBreakGlass(app, { ...user, hasFactor: true }, caller.origin, {
          ...session,
          sso,
          breakGlass,
        })
      : { events: [], uses: [] };
  // First, so that nothing can fail between the change and the response. Until then it is an ordinary session.
  const opened = await openSession(app, user, {
    ...session,
    verifiedAt,
    sso,
    breakGlass: [...breakGlass, ...noted.uses],
    events: noted.events,
  });
  const keptSessionId = opened.sessionId;
  const { users, sessions } = app.storage;
  let epoch: number | null = null;
  try {
    epoch = await users.changeFactors(user, { ...fields, keptSessionId, now: app.now() }, events);
  } finally {
    if (epoch === null) await sessions.remove(keptSessionId, app.now());
  }
  if (epoch === null) throw concurrentChange();
  report(app, user._id, change);
  dropSessions(app, user._id, { epoch, keptSessionId });
  return opened.cookie;
}

function report(app: App, userId: string, { events, mails }: Change): void {
  if (events.length > 0) flushEvents(app, app.storage.users, userId, events);
  if (mails.length > 0) queueMails(app, userId);
}
