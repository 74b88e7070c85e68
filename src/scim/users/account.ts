/**
 * The account behind a provisioned user. SCIM never takes an account over: it changes neither its address, its name nor
 * its credentials, and what it can reach is the membership of its own organization. Anyone can create an organization
 * and provision any address, so only a verified domain of the organization makes a person a member without being asked.
 *
 * - The account is a member with a confirmed address: it is linked. A member whose address is not confirmed is refused,
 *   since it may belong to another person.
 * - The organization has verified the domain: an account with a confirmed address joins at once. If there is none, one
 *   is created without a password, whose address counts as confirmed.
 * - Otherwise, the organization invites the address, and the membership begins when the invitation is accepted. Until
 *   then there is neither an account nor anything else that the person would find taken.
 */
import { randomInt } from "node:crypto";
import slugify from "@sindresorhus/slugify";
import { limits } from "../../../contract/limits.ts";
import { cutAtWord } from "../../../contract/text/cut-text.ts";
import { isDuplicate } from "../../../storage/database.ts";
import type { ScimUserDoc } from "../../../storage/scim/users.ts";
import type { Account, Credentials, UserDoc } from "../../../storage/users/users.ts";
import type { App } from "../../app.ts";
import { personName, username } from "../../users/schema.ts";
import { uniqueness } from "../errors.ts";
import { personNameOf } from "./attributes.ts";
import { isVerifiedDomain } from "./domains.ts";

/** Decision about the account of an active user. */
export type AccountDecision =
  | { kind: "create" | "link" | "join"; userId: string }
  | { kind: "invite"; reason: NonNullable<ScimUserDoc["inviteReason"]> };

/** The account with an address, and whether the organization has verified the domain. */
export interface FoundAccount {
  account: Credentials | null;
  isVerified: boolean;
}

export async function findAccount(
  app: App,
  tenantId: string,
  { emailKey }: Pick<ScimUserDoc, "emailKey">,
): Promise<FoundAccount> {
  const [account, isVerified] = await Promise.all([
    app.storage.users.findCredentials(emailKey),
    isVerifiedDomain(app, tenantId, emailKey),
  ]);
  return { account, isVerified };
}

/** Throws `uniqueness` for an address that belongs to a member but is not confirmed. */
export async function decideAccount(
  app: App,
  tenantId: string,
  { email }: Pick<ScimUserDoc, "email">,
  { account, isVerified }: FoundAccount,
): Promise<AccountDecision> {
  const isConfirmed = account?.emailVerifiedAt !== undefined;
  if (account && (await app.storage.memberships.find(tenantId, account._id))) {
    if (isConfirmed) return { kind: "link", userId: account._id };
    throw uniqueness(
      `"${email}" is the address of a member who has not confirmed it. They must confirm it first.`,
    );
  }
  if (!isVerified) return { kind: "invite", reason: "domain" };
  if (!account) return { kind: "create", userId: app.newId() };
  return isConfirmed ? { kind: "join", userId: account._id } : { kind: "invite", reason: "account" };
}

/**
 * Creates the account of a user unless it exists, and returns a new one. False if another account has taken the address
 * since it was decided.
 */
export async function createAccount(app: App, user: ScimUserDoc): Promise<Account | boolean> {
  const { users } = app.storage;
  const userId = user.userId!;
  const now = app.now();
  const name = nameOf(user);
  for (let attempt = 0; ; attempt++) {
    const account: UserDoc = {
      _id: userId,
      email: user.email,
      emailKey: user.emailKey,
      username: usernameOf(user.email, attempt),
      name,
      // No password has this as its hash.
      passwordHash: "",
      passwordless: true,
      provisionedBy: user.tenantId,
      isAdministrator: false,
      // The caller has checked that the organization has verified the domain.
      emailVerifiedAt: now,
      createdAt: now,
      updatedAt: now,
    };
    try {
      await users.insert(account);
      return account;
    } catch (error) {
      if (isDuplicate(error, "_id_")) return true;
      if (isDuplicate(error, "user_email")) return (await users.find(userId)) !== null;
      if (!isDuplicate(error, "user_username") || attempt > 20) throw error;
    }
  }
}

function nameOf(user: ScimUserDoc): string {
  const read = personName.safeParse(cutAtWord(personNameOf(user), limits.personName));
  return read.success ? read.data : usernameOf(user.email, 0);
}

/** A user name made from the address; from the second attempt on with digits. */
function usernameOf(email: string, attempt: number): string {
  const local = slugify(email.slice(0, email.lastIndexOf("@"))).slice(0, limits.username.max - 8);
  const base = local.replace(/^-+|-+$/g, "") || "user";
  const name = attempt === 0 ? base : `${base}-${randomInt(10 ** Math.min(6, 2 + attempt))}`;
  const read = username.safeParse(name);
  return read.success ? read.data : `user-${randomInt(1_000_000)}`;
}
