/**
 * Mails to the owner of an account. Each is recorded in the account's document, in the same write as the change that it
 * reports, and sent by the job `mail.account`; the reconcile job finds mails that could not be queued.
 */
import type { Account, Credentials, MailDue } from "../../../storage/users/users.ts";
import type { App } from "../../app.ts";
import { composeMail, installHint, quotedName, type MailText } from "../../mail/compose.ts";
import type { Mail } from "../../mail/mailer.ts";
import { signLink } from "../../mail/signed-link.ts";
import { domainFailing, domainLapsed } from "./domain-mails.ts";

const noticeMs = 24 * 3_600_000;

/** A mail to be recorded in an account's document. It is not sent after its link has expired. */
export function mailDue(app: App, kind: MailDue["kind"], to: string, expiresAt?: Date): MailDue {
  const createdAt = app.now();
  return {
    id: app.newId(),
    kind,
    to,
    createdAt,
    expiresAt: expiresAt ?? new Date(createdAt.getTime() + noticeMs),
  };
}

/** Binding of a link for a forgotten password: its use, or a change of the password or address, invalidates it. */
export function resetBinding(user: Pick<Credentials, "emailKey" | "passwordHash">): string {
  return `${user.emailKey}\n${user.passwordHash}`;
}

/** The id in a confirmation link: the account and the request. */
export const confirmationId = (userId: string, requestId: string) => `${userId}-${requestId}`;

/** The text of a recorded mail. Undefined if its subject no longer applies: used, replaced or too late. */
export async function writeMail(app: App, user: Credentials, due: MailDue): Promise<Mail | undefined> {
  if (due.expiresAt <= app.now()) return undefined;
  const text = await writers[due.kind](app, user, due);
  return text && { to: due.to, ...composeMail(app.config.baseUrl, text) };
}

type Writer = (
  app: App,
  user: Credentials,
  due: MailDue,
) => MailText | undefined | Promise<MailText | undefined>;

const writers: Record<MailDue["kind"], Writer> = {
  "confirm-email"(app, user, { to }) {
    if (!user.verification || user.email !== to) return undefined;
    return {
      subject: "Confirm your e-mail address",
      before: [`The account "${user.username}" was made with this address. Please confirm that it is yours.`],
      link: { label: "Confirm the address", url: confirmUrl(app, user._id, user.verification) },
      after: [
        "The link works for 24 hours, after you have signed in to the account. " +
          "If you did not create an account, ignore this mail.",
      ],
      command: installHint(app.config.baseUrl),
    };
  },
  async "confirm-change"(app, user, { to }) {
    if (user.emailChange?.email !== to) return undefined;
    if (await isTaken(app, user, user.emailChange.emailKey)) return takenText;
    return {
      subject: "Confirm your new e-mail address",
      before: [
        `The account "${user.username}" is to have this address from now on. Please confirm that it is yours.`,
      ],
      link: { label: "Confirm the new address", url: confirmUrl(app, user._id, user.emailChange) },
      after: [
        "The link works for 24 hours, after you have signed in to the account. " +
          "If you did not ask for a change, ignore this mail.",
      ],
    };
  },
  "change-requested": (_, user) => ({
    subject: "Your e-mail address is about to change",
    before: [
      `Someone who knows the password of your account "${user.username}" asked for another e-mail address. ` +
        "It changes when the new address is confirmed.",
    ],
    after: ["If it was not you, change your password now, which also cancels the request."],
  }),
  "email-changed": (_, user) => ({
    subject: "Your e-mail address was changed",
    before: [
      `Your account "${user.username}" has another e-mail address now. Nothing more is sent to this one.`,
    ],
    after: ["If it was not you, write to the administrator of this service."],
  }),
  "password-changed": (_, user) => ({
    subject: "Your password was changed",
    before: [
      `The password of your account "${user.username}" was changed, and its other sessions were ended. ` +
        "API tokens go on working.",
    ],
    after: ["If it was not you, ask for a new password on the sign-in page and revoke your API tokens."],
  }),
  "password-reset": (_, user) => ({
    subject: "Your password was changed",
    before: [
      `The password of your account "${user.username}" was changed by the link of a mail. ` +
        "All sessions and API tokens of the account were ended: log in again with svc login, and create new " +
        "tokens where programs use them.",
    ],
    after: ["If it was not you, ask for a new password on the sign-in page."],
  }),
  "factor-added": (_, user, { factor = "a second factor" }) => ({
    subject: "A second factor was added to your account",
    before: [`Your account "${user.username}" has ${factor} now, which its sign-in can ask for.`],
    after: [
      "If it was not you, change your password, remove the factor in Settings, Security, and end all sessions.",
    ],
  }),
  "factor-removed": (_, user, { factor = "A second factor" }) => ({
    subject: "A second factor of your account was removed",
    before: [`${factor} of your account "${user.username}" was removed, and its other sessions were ended.`],
    after: [
      "If it was not you, ask for a new password on the sign-in page, then look at Settings, Security.",
    ],
  }),
  "recovery-code-used": (_, user) => ({
    subject: "A recovery code of your account was used",
    before: [`A recovery code of your account "${user.username}" was used. It does not work again.`],
    after: [
      "If you have lost a device, remove it in Settings, Security, and renew the recovery codes.",
      "If it was not you, change your password now and end all sessions.",
    ],
  }),
  "factors-reset": (_, user, { factor = "" }) => ({
    subject: "The second factors of your account were removed",
    before: [
      `An administrator of this service has removed all second factors of your account "${user.username}" and ended ` +
        "its sessions. You sign in with your password alone until you add a factor again.",
      `Reason: ${factor}`,
    ],
    after: ["If you did not ask for this, write to the administrator of this service."],
  }),
  "sso-break-glass": (_app, _, { organization }) =>
    organization && {
      subject: `An owner of ${organization.slug} signed in without your identity provider`,
      before: [
        `"${organization.slug}" requires a sign-in through its identity provider. Its owner ` +
          `"${organization.text}" has signed in with a second factor of their account instead, which owners can do ` +
          "while the provider is down.",
      ],
      after: ["You get this mail as an owner. If no one meant to do this, look at the audit log."],
    },
  "sso-changed": (_app, _, { organization }) =>
    organization && {
      subject: `The required sign-in of ${organization.slug} was changed`,
      before: [organization.text],
      after: ["You get this mail as an owner. If no one meant to do this, look at the audit log."],
    },
  "sso-certificate": (_app, _, { organization }) =>
    organization && {
      subject: `A certificate of your identity provider expires: ${organization.slug}`,
      before: [organization.text],
      after: [
        `Add the provider's next certificate before, in the single sign-on of "${organization.slug}". Both can be stored at ` +
          "the same time. Sign-ins fail once no valid certificate is left. You get this mail as an owner.",
      ],
    },
  "sso-metadata": (_app, _, { organization }) =>
    organization && {
      subject: `The metadata of your identity provider expires: ${organization.slug}`,
      before: [organization.text],
      after: [
        `Enter its current metadata before, in the single sign-on of "${organization.slug}", or its address, which is read ` +
          "every day. Sign-ins go on as long as a certificate is valid. You get this mail as an owner.",
      ],
    },
  "sso-groups": (_app, _, { organization }) =>
    organization && {
      subject: `Too many groups from your identity provider: ${organization.slug}`,
      before: [organization.text],
      after: [
        "Let the provider send only the groups that are assigned to this application, or provision groups with " +
          `SCIM. The sign-in log in the single sign-on of "${organization.slug}" has the people. ` +
          "You get this mail as an owner.",
      ],
    },
  "storage-limit": (app, _, { organization }) =>
    organization && {
      subject: `Storage of ${organization.slug}`,
      before: [organization.text],
      link: { label: "Open the settings", url: `${app.config.baseUrl}/${organization.slug}/-/settings` },
      after: [
        "Delete skills that are not used any more, or ask an administrator of this service for a higher limit. " +
          `You get this mail as an owner of "${organization.slug}".`,
      ],
    },
  "webhook-disabled": (app, _, { organization }) =>
    organization && {
      subject: `A webhook of ${organization.slug} was disabled`,
      before: [organization.text],
      link: { label: "Open the webhooks", url: `${app.config.baseUrl}/${organization.slug}/-/webhooks` },
      after: [
        "Events since then are not sent. Pending messages are kept for 30 days, and sent once you enable the webhook. " +
          `You get this mail as an owner of "${organization.slug}".`,
      ],
    },
  "skill-taken-down": (_app, _, { about }) =>
    about && {
      subject: "A skill of yours was taken down",
      before: [
        `An administrator of this service has taken down the skill ${quotedName(about.skill)}. Only members of its organization can read it now.`,
        `Reason: ${about.reason}`,
      ],
      after: [
        `You get this mail as its author or as an owner of its organization. If you disagree, write to the administrator of this service.`,
      ],
    },
  "takedown-lifted": (_app, _, { about }) =>
    about && {
      subject: "The takedown of a skill of yours was lifted",
      before: [
        `The skill ${quotedName(about.skill)} has its own visibility again.`,
        `Reason: ${about.reason}`,
      ],
      after: ["You get this mail as its author or as an owner of its organization."],
    },
  "domain-failing": (app, _, due) => domainFailing(app, due),
  "domain-lapsed": (app, _, due) => domainLapsed(app, due),
  "operator-notice": (app, _, { operation }) =>
    operation && {
      subject: operation.subject,
      before: operation.isOver ? ["This is over, and needs nothing more:", operation.text] : [operation.text],
      link: { label: "Open the state of the service", url: `${app.config.baseUrl}/admin` },
      after: ["You get this mail as an administrator of this service, once a day while the problem lasts."],
    },
  "reset-password"(app, user, { to, expiresAt }) {
    if (user.email !== to) return undefined;
    const link = { id: user._id, expiresAt, bind: resetBinding(user) };
    const url = `${app.config.baseUrl}/reset-password?token=${signLink(app, "reset-password", link)}`;
    return {
      subject: "Choose a new password",
      before: [`A new password was asked for, for your account "${user.username}".`],
      link: { label: "Choose a new password", url },
      after: [
        "The link expires in one hour and works once. If you did not ask, do nothing: the password stays.",
      ],
    };
  },
};

const takenText: MailText = {
  subject: "This address has an account already",
  before: [
    "Someone wants to use this address for their account, but you have an account with it. Nothing was changed.",
  ],
  after: ["If it was you, sign in to that account with this address, or choose another address."],
};

async function isTaken(app: App, user: Account, emailKey: string): Promise<boolean> {
  const holder = await app.storage.users.findCredentials(emailKey);
  return holder !== null && holder._id !== user._id;
}

function confirmUrl(app: App, userId: string, request: { id: string; expiresAt: Date }): string {
  const link = { id: confirmationId(userId, request.id), expiresAt: request.expiresAt };
  return `${app.config.baseUrl}/confirm-email?token=${signLink(app, "confirm-email", link)}`;
}
