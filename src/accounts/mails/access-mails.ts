/**
 * Mails about a new session, token, device or OAuth client, each with a link that ends it. The link is signed over what
 * it ends and only opens a page: mail scanners open links, so a button on the page ends the access.
 */
import { isSessionCurrent, type SessionDoc } from "../../../storage/credentials/sessions.ts";
import type { TokenDoc } from "../../../storage/credentials/tokens.ts";
import { isId } from "../../../storage/database.ts";
import type { Notice } from "../../../storage/mail/notices.ts";
import type { OauthGrantDoc } from "../../../storage/oauth/grants.ts";
import type { Account } from "../../../storage/users/users.ts";
import type { Origin } from "../../access/actor.ts";
import { isPermitted } from "../../access/permissions.ts";
import type { App } from "../../app.ts";
import { flushEvents } from "../../audit/events.ts";
import { composeMail, inertName, type MailText } from "../../mail/compose.ts";
import type { Mail } from "../../mail/mailer.ts";
import { checkLink, readLink, signLink } from "../../mail/signed-link.ts";
import { loadMemberships } from "../../users/load.ts";
import { badLink, eventOfOwner } from "./mail-links.ts";

const linkMs = 30 * 24 * 3_600_000;
const ifNotYou = "If it was not you, end it now, then choose a new password on the sign-in page.";

export type Access =
  | { kind: "session"; record: SessionDoc }
  | { kind: "token"; record: TokenDoc }
  | { kind: "grant"; record: OauthGrantDoc };

/** Text of the link or button that ends an access. */
export const endLabels: Record<Access["kind"], string> = {
  session: "End the session",
  token: "Revoke the token",
  grant: "Revoke the access",
};

/**
 * The mail about an access; undefined when it is too late. One that has ended already is reported too:
 * otherwise a stranger who signs in and out at once would leave a browser that counts as known, and no mail.
 */
export function writeAccessMail(app: App, user: Account, access: Access): Mail | undefined {
  const { notice } = access.record;
  if (!notice || notice.expiresAt <= app.now()) return undefined;
  const text: MailText = {
    subject: subjectOf(access),
    ...(isOver(app, user, access) ? endedText(app, user, access) : activeText(app, user, access, notice)),
  };
  return { to: notice.to, ...composeMail(app.config.baseUrl, text) };
}

type Text = Omit<MailText, "subject">;

function activeText(app: App, user: Account, access: Access, { createdAt }: Notice): Text {
  const expiresAt = new Date(createdAt.getTime() + linkMs);
  const link = { id: `${access.kind}-${access.record._id}`, expiresAt, bind: user._id };
  const url = `${app.config.baseUrl}/end-access?token=${signLink(app, "end-access", link)}`;
  return {
    before: [
      `${describeAccess(access)} has had access to your account "${user.username}" since ${timeOf(access)}.`,
    ],
    link: { label: endLabels[access.kind], url },
    after: [ifNotYou, "The link works for 30 days. If it was you, there is nothing to do."],
  };
}

function endedText(app: App, user: Account, access: Access): Text {
  if (access.kind === "grant" && access.record.reused) return reusedText(app, user, access);
  return {
    before: [
      `${describeAccess(access)} had access to your account "${user.username}" from ${timeOf(access)} on. ` +
        "It has ended since.",
    ],
    link: { label: "Choose a new password", url: `${app.config.baseUrl}/forgot-password` },
    after: ["If it was not you, choose a new password now. If it was you, there is nothing to do."],
  };
}

const reuses: Record<NonNullable<OauthGrantDoc["reused"]>, string> = {
  code: "Its authorization code was used twice",
  "refresh token": "A refresh token was used again after it had been replaced",
};

function reusedText(app: App, user: Account, access: Extract<Access, { kind: "grant" }>): Text {
  return {
    before: [
      `${describeAccess(access)} had access to your account "${user.username}" from ${timeOf(access)} on. ` +
        `${reuses[access.record.reused!]}, so the access was revoked.`,
    ],
    link: { label: "Review programs with access", url: `${app.config.baseUrl}/settings/applications` },
    after: [
      "This happens when two copies of a program share one sign-in, and when someone has copied it. If you use the " +
        "program, connect it again. If you don't know of a second copy, look at your audit log for what it did.",
    ],
  };
}

function subjectOf(access: Access): string {
  if (access.kind === "session") return "New sign-in to your account";
  if (access.kind === "grant" && access.record.reused) return "The access of a program was revoked";
  if (access.kind === "grant") return "A program was given access to your account";
  return access.record.login ? "A device was signed in to your account" : "A new API token was created";
}

function describeAccess(access: Access): string {
  if (access.kind === "session") {
    const client = access.record.client ?? "an unknown program";
    return `A session of ${client}, in a browser that had not signed in before,`;
  }
  if (access.kind === "grant")
    return `The program "${inertName(access.record.clientHost ?? access.record.clientName)}"`;
  const { name, login, tenantId } = access.record;
  if (login) return `The device login "${inertName(name)}"`;
  return `The API token "${inertName(name)}"${tenantId === undefined ? "" : " of an organization"}`;
}

const timeOf = ({ record }: Access) => `${record.createdAt.toISOString().slice(0, 16).replace("T", " ")} UTC`;

/** Whether an access has expired or ended, alone or with all others of its account. */
function isOver(app: App, user: Account, access: Access): boolean {
  const { expiresAt } = access.record;
  if (expiresAt && expiresAt <= app.now()) return true;
  if (access.kind === "session")
    return access.record.endedAt !== undefined || !isSessionCurrent(access.record, user);
  if (access.kind === "grant")
    return access.record.revokedAt !== undefined || access.record.epochs.token !== (user.tokenEpoch ?? 0);
  const { revokedAt, userId, epoch = 0 } = access.record;
  return revokedAt !== undefined || (userId !== undefined && epoch !== (user.tokenEpoch ?? 0));
}

/** Content of the page of a link. */
export interface AccessView {
  description: string;
  kind: Access["kind"];
}

/** Reads a link without using it. Throws `refused`. */
export async function readAccess(app: App, token: string): Promise<AccessView> {
  const { access } = await findAccess(app, token);
  return {
    description: `${describeAccess(access)} has had access to your account since ${timeOf(access)}.`,
    kind: access.kind,
  };
}

/** Ends the access of a link. Throws `refused`, also where it has ended already. */
export async function endAccess(app: App, origin: Origin, token: string): Promise<AccessView> {
  const { access, user } = await findAccess(app, token);
  const by = "mail link";
  const { _id } = access.record;
  if (access.kind === "session") {
    const { sessions } = app.storage;
    const event = eventOfOwner(app, user, origin, "user.sessions_ended", { sessionId: _id, by });
    if (!(await sessions.end(_id, user._id, app.now(), [event]))) throw badLink("used");
    flushEvents(app, sessions, _id, [event]);
  } else if (access.kind === "grant") {
    await endGrant(app, user, access.record, origin);
  } else {
    const { tokens } = app.storage;
    const { tenantId, name } = access.record;
    const owner = tenantId === undefined ? { userId: user._id } : { tenantId };
    const event = {
      ...eventOfOwner(
        app,
        user,
        origin,
        tenantId === undefined ? "user.token_deleted" : "organization.token_revoked",
        { name, by },
      ),
      tenantId,
      resourceType: "token",
      resourceId: _id,
    };
    if (!(await tokens.revoke(_id, owner, app.now(), [event]))) throw badLink("used");
    flushEvents(app, tokens, _id, [event]);
  }
  return { description: describeAccess(access), kind: access.kind };
}

async function endGrant(app: App, user: Account, grant: OauthGrantDoc, origin: Origin): Promise<void> {
  const { oauthGrants: grants } = app.storage;
  const { _id, clientHost, clientName } = grant;
  const metadata = { client: clientHost ?? clientName, by: "mail link" };
  const made = eventOfOwner(app, user, origin, "user.grant_revoked", metadata);
  const event = { ...made, resourceType: "grant", resourceId: _id };
  if (!(await grants.revoke(_id, user._id, app.now(), [event]))) throw badLink("used");
  flushEvents(app, grants, _id, [event]);
}

async function findAccess(app: App, token: string): Promise<{ access: Access; user: Account }> {
  const [kind = "", id = ""] = readLink(token)?.id.split("-") ?? [];
  const access = isId(id) ? await loadAccess(app, kind, id) : undefined;
  const userId =
    access?.kind === "token" ? (access.record.userId ?? access.record.createdBy) : access?.record.userId;
  const user = userId === undefined ? null : await app.storage.users.find(userId);
  if (!access || !user) throw badLink("invalid");
  const state = checkLink(app, "end-access", token, user._id);
  if (state !== "valid") throw badLink(state);
  if (isOver(app, user, access) || !(await mayEnd(app, user, access))) throw badLink("used");
  return { access, user };
}

async function loadAccess(app: App, kind: string, id: string): Promise<Access | undefined> {
  if (kind === "session") {
    const record = await app.storage.sessions.findById(id);
    return record ? { kind, record } : undefined;
  }
  if (kind === "grant") {
    const record = await app.storage.oauthGrants.findById(id);
    return record ? { kind, record } : undefined;
  }
  const record = kind === "token" ? await app.storage.tokens.findById(id) : null;
  return record ? { kind: "token", record } : undefined;
}

/** An organization's token is its creator's to end only while they may still manage the organization's tokens. */
async function mayEnd(app: App, user: Account, access: Access): Promise<boolean> {
  if (access.kind !== "token" || access.record.tenantId === undefined) return true;
  const { tenantId } = access.record;
  const memberships = await loadMemberships(app, user._id);
  const membership = memberships.find((one) => one.tenantId === tenantId);
  return isPermitted(membership?.permissions, "apiToken:manage");
}
