/**
 * The end of all API tokens of an account. One write of the account raises its `tokenEpoch`, which ends every personal
 * token at once; here their records are marked as revoked, so that lists and the limit of tokens agree.
 */
import type { ListedToken, TokenOwner } from "../../storage/credentials/tokens.ts";
import type { App } from "../app.ts";
import { publishEvents, makeSystemEvent } from "../audit/events.ts";
import { eventOfOwner } from "./mails/mail-links.ts";

const batch = 100;
/** Requests that were authenticated before the tokens ended are over after that time. */
const inFlightMs = 60_000;
const system = { ipHash: undefined, source: "web", client: "web" } as const;

/**
 * Revokes the tokens that have ended so far, without delaying the response. The reconcile job does it again and
 * finishes it.
 */
export function revokeEndedTokens(app: App, userId: string): void {
  app.background("revoke ended tokens", () => revokeAll(app, userId));
}

/**
 * Completes the work of an interrupted process, and revokes the tokens that concurrent requests have created with an
 * ended token or session. Called by the reconcile job; may run twice.
 */
export async function finishEndingTokens(app: App): Promise<void> {
  const { users } = app.storage;
  const before = new Date(app.now().getTime() - inFlightMs);
  for (const userId of await users.listTokensEnding(before, batch)) {
    const since = await revokeAll(app, userId);
    if (since) await users.clearTokensEnding(userId, since);
  }
}

/** Returns the time at which the tokens ended; undefined if no tokens are ending. */
async function revokeAll(app: App, userId: string): Promise<Date | undefined> {
  const { users, tokens } = app.storage;
  const user = await users.find(userId);
  if (!user?.tokensEnding) return undefined;
  const { since, ofOrganizations } = user.tokensEnding;
  const by = user.suspended ? "suspension" : "password reset";
  await endEach(
    () => tokens.listOfEarlierEpochs(userId, user.tokenEpoch ?? 0, batch),
    (token) => {
      const metadata = { name: token.name, by };
      const event = eventOfOwner(app, user, system, "user.token_deleted", metadata);
      return revoke(app, token, { userId }, { ...event, resourceType: "token", resourceId: token._id });
    },
  );
  if (!ofOrganizations) return since;
  const until = new Date(since.getTime() + inFlightMs);
  await endEach(
    () => tokens.listMadeBy(userId, until, batch),
    (token) => {
      const tenantId = token.tenantId!;
      const event = makeSystemEvent(app, "organization.token_revoked", {
        tenantId,
        resourceType: "token",
        resourceId: token._id,
        metadata: { name: token.name, by: "password reset of its creator" },
      });
      return revoke(app, token, { tenantId }, event);
    },
  );
  await disablePolicies(app, userId, until);
  return since;
}

/** Disables the trust policies that the account has created, with which pipelines would get new tokens. */
async function disablePolicies(app: App, userId: string, until: Date): Promise<void> {
  const { oidcPolicies } = app.storage;
  await endEach(
    () => oidcPolicies.listMadeBy(userId, until, batch),
    async ({ _id, tenantId, name, revision, epoch }) => {
      const event = makeSystemEvent(app, "oidc.policy_updated", {
        tenantId,
        resourceType: "policy",
        resourceId: _id,
        metadata: { name, changed: { enabled: false }, by: "password reset of its creator" },
      });
      const fields = { enabled: false, epoch: epoch + 1 };
      const disabled = await oidcPolicies.change(_id, {
        revision,
        set: fields,
        now: app.now(),
        events: [event],
      });
      if (disabled) await publishEvents(app, oidcPolicies, _id, [event]);
    },
  );
}

/** Repeats until a list is empty; what has ended is no longer listed. */
async function endEach<T>(list: () => Promise<T[]>, end: (one: T) => Promise<void>): Promise<void> {
  for (let rows = await list(); rows.length > 0; rows = await list()) for (const row of rows) await end(row);
}

type Event = ReturnType<typeof makeSystemEvent>;

async function revoke(app: App, { _id }: ListedToken, owner: TokenOwner, event: Event): Promise<void> {
  const { tokens } = app.storage;
  if (await tokens.revoke(_id, owner, app.now(), [event])) await publishEvents(app, tokens, _id, [event]);
}
