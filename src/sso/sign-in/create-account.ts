/**
 * Accounts that a provider creates. The identity is written first and names the id of the account, so that of
 * concurrent or interrupted sign-ins all create the same one.
 */
import { toOneLine } from "../../../contract/checks/unsafe-characters.ts";
import { isDuplicate } from "../../../storage/database.ts";
import { outboxFields } from "../../../storage/outbox.ts";
import type { SsoSubject } from "../../../storage/sso/attempts.ts";
import type { SsoIdentityDoc } from "../../../storage/sso/identities.ts";
import type { SsoProviderDoc } from "../../../storage/sso/providers.ts";
import type { Account, UserDoc } from "../../../storage/users/users.ts";
import type { Origin } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { flushEvents } from "../../audit/events.ts";
import { foldName, username as usernameSchema } from "../../users/schema.ts";
import { personEvent } from "./events.ts";
import { SignInRefused } from "./failure.ts";

/** Numbers that are tried after a user name that is taken. */
const attempts = 50;

/** Inserts the record of a person at a provider. Returns the existing record if there is one. */
function insertIdentity(
  app: App,
  provider: SsoProviderDoc,
  subject: SsoSubject,
  userId: string,
): Promise<SsoIdentityDoc> {
  return app.storage.ssoIdentities.insert({
    _id: app.newId(),
    tenantId: provider.tenantId,
    providerId: provider._id,
    subjectKey: subject.subjectKey,
    userId,
    email: subject.email ?? "",
    createdAt: app.now(),
  });
}

/** Records that a person at a provider has an existing account. Throws `SignInRefused` if they have another one. */
export async function linkIdentity(
  app: App,
  provider: SsoProviderDoc,
  subject: SsoSubject,
  account: Account,
): Promise<void> {
  const identity = await insertIdentity(app, provider, subject, account._id);
  if (identity.userId === account._id) return;
  throw new SignInRefused("concurrent", "The person has got another account concurrently: try again.");
}

/** Creates the account of a new person, without a password. Throws `SignInRefused`. */
export async function createAccount(
  app: App,
  provider: SsoProviderDoc,
  subject: SsoSubject,
  origin: Origin,
): Promise<Account> {
  const { users, ssoIdentities } = app.storage;
  const identity = await insertIdentity(app, provider, subject, app.newId());
  try {
    return await insertAccount(app, provider, subject, identity.userId, origin);
  } catch (error) {
    const known = await users.find(identity.userId);
    if (known) return known;
    await ssoIdentities.remove(identity._id);
    if (!isDuplicate(error)) throw error;
    throw new SignInRefused("concurrent", "The address or account was taken concurrently: try again.");
  }
}

async function insertAccount(
  app: App,
  provider: SsoProviderDoc,
  { email, name }: SsoSubject,
  userId: string,
  origin: Origin,
): Promise<Account> {
  const now = app.now();
  const address = email ?? "";
  const local = address.slice(0, address.lastIndexOf("@"));
  const base = usernameBase(local);
  for (let number = 0; ; number++) {
    const username = number === 0 && base.length > 1 ? base : `${base}-${number + 1}`;
    const person = { _id: userId, username };
    const event = personEvent(app, person, origin, "sso.user_created", provider, {
      username,
      email: address,
    });
    const account: UserDoc = {
      ...person,
      email: address,
      emailKey: foldName(address),
      name: cleanName(name) || local.slice(0, 100),
      passwordHash: "",
      passwordless: true,
      provisionedBy: provider.tenantId,
      isAdministrator: false,
      // The provider vouches for it, in a domain that its organization has verified.
      emailVerifiedAt: now,
      createdAt: now,
      updatedAt: now,
      ...outboxFields([event]),
    };
    try {
      await app.storage.users.insert(account);
      flushEvents(app, app.storage.users, userId, [event]);
      return account;
    } catch (error) {
      if (!isDuplicate(error, "user_username") || number >= attempts) throw error;
    }
  }
}

/** A user name made from the local part of an address. */
function usernameBase(local: string): string {
  const plain = foldName(local)
    .normalize("NFD")
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 30)
    .replace(/-+$/, "");
  return usernameSchema.safeParse(plain).success ? plain : "member";
}

/** A name without characters that no display name may have. */
const cleanName = (name: string | null) => toOneLine(name ?? "").slice(0, 100);
