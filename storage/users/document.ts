/** Document of an account, its projections and indexes. */
import type { Collection } from "mongodb";
import { changeOf } from "../change.ts";
import type { KnownClients } from "../credentials/known-clients.ts";
import type { WithOutbox } from "../outbox.ts";
import type { Factors } from "./factor-document.ts";

export interface UserDoc extends WithOutbox, KnownClients {
  _id: string;
  /** As entered by the owner. */
  email: string;
  /** The address folded for comparison; unique. */
  emailKey: string;
  username: string;
  name: string;
  /** Argon2id in PHC string form; empty for an account without a password. */
  passwordHash: string;
  /** Set while the account, which an identity provider has created, has no password. */
  passwordless?: true;
  /** Organization whose identity provider has created the account. */
  provisionedBy?: string;
  /** Second factors, recovery codes among them. */
  factors?: Factors;
  /** Whether the account has a second factor: written together with `factors`, and read with every request. */
  hasFactor?: true;
  isAdministrator: boolean;
  /** Number of the change that decided `isAdministrator` last (`service/settings.ts`): earlier ones have no effect. */
  administratorChange?: number;
  /** Time at which the current address was confirmed. */
  emailVerifiedAt?: Date;
  /** Link that confirms the current address. */
  verification?: { id: string; expiresAt: Date };
  /** Address that replaces the current one when it is confirmed. */
  emailChange?: { id: string; email: string; emailKey: string; expiresAt: Date };
  /** Increases when all sessions end at once: those of earlier epochs are invalid, except the kept one. Absent is 0. */
  sessionEpoch?: number;
  keptSessionId?: string | null;
  /** Increases when all API tokens of the account end at once: those of other epochs are invalid. Absent is 0. */
  tokenEpoch?: number;
  /** Set in the write that ended tokens, until the records of those tokens are marked as revoked. */
  tokensEnding?: TokensEnding;
  /** Mails to be sent, added in the same write as the change that they report. */
  mailsDue?: MailDue[];
  /** Set while an administrator has suspended the account: it can neither sign in nor act by a token. */
  suspended?: { at: Date; by: { userId: string; username: string }; reason: string };
  /** Set while the account is being deleted: no look-up finds it. */
  deletedAt?: Date;
  /** Set when the deletion is final: the names are free, and only the id and the events are left. */
  erasing?: true;
  /** Set on the first account of the service only, by the unique index. */
  founder?: true;
  createdAt: Date;
  updatedAt: Date;
}

export interface TokensEnding {
  since: Date;
  /** Also the tokens that this account created for organizations, and its trust policies. */
  ofOrganizations?: true;
}

/** A mail to be sent to an account. Its text and its link are created when it is sent. */
export interface MailDue {
  id: string;
  kind:
    | "confirm-email"
    | "confirm-change"
    | "change-requested"
    | "email-changed"
    | "reset-password"
    | "password-changed"
    | "password-reset"
    | "factor-added"
    | "factor-removed"
    | "recovery-code-used"
    | "factors-reset"
    | "sso-break-glass"
    | "sso-certificate"
    | "sso-metadata"
    | "sso-changed"
    | "sso-groups"
    | "skill-taken-down"
    | "takedown-lifted"
    | "domain-failing"
    | "domain-lapsed"
    | "storage-limit"
    | "webhook-disabled"
    | "operator-notice";
  to: string;
  /** In mails about takedowns: the skill as `org/slug`, and the administrator's reason. */
  about?: { skill: string; reason: string };
  /** In mails about domains: the name, its TXT record, the organization, and when the verification lapses. */
  domain?: { name: string; record: string; organization: string; lapsesAt?: Date };
  /** In mails about single sign-on, storage and webhooks: the organization, and a sentence or the name of a user. */
  organization?: { slug: string; text: string };
  /** In mails to administrators of the service: a condition, and whether it is over. */
  operation?: { subject: string; text: string; isOver: boolean };
  /** In mails about second factors: the factor, or the administrator's reason. */
  factor?: string;
  createdAt: Date;
  /** The mail is not sent after that; its link expires then too. */
  expiresAt: Date;
}

/** A user without credentials and without data that is to be copied elsewhere. */
export type Account = Omit<
  UserDoc,
  | "passwordHash"
  | "factors"
  | "outbox"
  | "pendingSince"
  | "mailsDue"
  | "deletedAt"
  | "erasing"
  | keyof KnownClients
>;
export type Credentials = Account & Pick<UserDoc, "passwordHash" | "factors"> & KnownClients;

/** Projection of `Credentials`. */
export const credentials = { outbox: 0, pendingSince: 0, mailsDue: 0 } as const;
/** Projection of `Account`. */
export const account = {
  ...credentials,
  passwordHash: 0,
  factors: 0,
  knownDevices: 0,
  knownAddresses: 0,
} as const;
/** Accounts that are not being deleted. */
export const present = { deletedAt: { $exists: false } } as const;

/** Maximum number of pending mails of an account; only flooding causes more. */
const mailsWaiting = 20;
/** Part of an update that adds mails. */
export const addMails = (mails: MailDue[]) => ({ mailsDue: { $each: mails, $slice: -mailsWaiting } });

/** Changes an account that is not being deleted. */
export const changeAccount = (users: Collection<UserDoc>) =>
  changeOf<UserDoc, Account>(users, present, account);
