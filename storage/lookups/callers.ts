/**
 * Facts about the callers of requests, by their credentials: each credential with its account or organization in one
 * query, and concurrent requests share queries (`batched-lookup.ts`). No fact that decides access is cached.
 */
import { LRUCache } from "lru-cache";
import type { Document } from "mongodb";
import type { OidcPolicyDoc } from "../ci/oidc-policies.ts";
import type { SessionDoc } from "../credentials/sessions.ts";
import type { TokenDoc } from "../credentials/tokens.ts";
import { isId } from "../database.ts";
import { counting, type MembershipDoc } from "../memberships/document.ts";
import type { OauthGrantDoc } from "../oauth/grants.ts";
import type { RoleDoc } from "../organizations/roles.ts";
import type { TeamDoc } from "../organizations/teams.ts";
import type { TenantDoc } from "../organizations/tenants.ts";
import { account, type Account } from "../users/document.ts";
import { batchedLookup, oneOf } from "./batched-lookup.ts";
import type { JoinedReads } from "./joined-reads.ts";

/** Teams and custom roles that memberships name, including deleted roles. */
export interface NamedFacts {
  teams: Pick<TeamDoc, "_id" | "tenantId" | "roleIds">[];
  roles: Pick<RoleDoc, "_id" | "tenantId" | "permissions" | "active">[];
}

/** A person's account, if it exists, and memberships that count, by slug of the organization. */
export interface PersonFacts {
  account: Account | undefined;
  memberships: MembershipDoc[];
  /** Undefined if the memberships name none, or if they were not read. */
  named: NamedFacts | undefined;
}

/** A credential as it is stored: revoked, expired or ended ones included. */
export type PersonalToken = PersonFacts & { token: TokenDoc };
/** `policy`: the trust policy of a CI token, unless it was deleted. */
export type OrganizationToken = {
  token: TokenDoc;
  tenant: TenantDoc | undefined;
  policy: Pick<OidcPolicyDoc, "enabled" | "epoch" | "createdBy" | "changedBy"> | undefined;
};
/** `grant`: the OAuth grant whose current access token it is. */
export type AccessToken = PersonFacts & { grant: OauthGrantDoc };
export type OpenedSession = PersonFacts & { session: SessionDoc };

export function openCallers(reads: JoinedReads) {
  const findToken = personLookup<TokenDoc>(reads, "tokens");
  const findAccessToken = personLookup<OauthGrantDoc & { secretHash: string }>(reads, "oauth_grants");
  const findSession = personLookup<SessionDoc>(reads, "sessions");
  const findOrganizationToken = batchedLookup(async (secretHashes) => {
    const rows = await reads.read<TokenDoc & { tenant: TenantDoc[]; policy: OidcPolicyDoc[] }>(
      "tokens",
      [
        { $match: { secretHash: oneOf(secretHashes) } },
        { $project: ofCredential },
        lookup("tenants", "tenantId", "_id", "tenant"),
        lookup("oidc_policies", "policyId", "_id", "policy"),
      ],
      withSecretIn(secretHashes, "alone"),
    );
    return bySecret(rows, ({ tenant: [tenant], policy: [policy], ...token }): OrganizationToken => ({
      token,
      tenant: tenant?.erasedAt === undefined ? tenant : undefined,
      policy: policy?.active ? policy : undefined,
    }));
  }, reads.schedule);
  return {
    /** By the hash of the secret. A token of an organization has no account here. */
    async findPersonalToken(secretHash: string): Promise<PersonalToken | undefined> {
      const found = await findToken(secretHash);
      return found && { token: found.credential, ...found.person };
    },
    /** By the hash of the secret. A personal token has no organization. */
    findOrganizationToken,
    async findAccessToken(secretHash: string): Promise<AccessToken | undefined> {
      const found = await findAccessToken(secretHash);
      return found && { grant: found.credential, ...found.person };
    },
    async findSession(secretHash: string): Promise<OpenedSession | undefined> {
      const found = await findSession(secretHash);
      return found && { session: found.credential, ...found.person };
    },
  };
}

interface PersonRow {
  secretHash: string;
  account: (Account & { deletedAt?: Date })[];
  memberships: MembershipDoc[];
  teams?: TeamDoc[];
  roles?: RoleDoc[];
}

interface FoundPerson<C> {
  credential: C;
  person: PersonFacts;
}

/** Kept of a credential since its last use. */
interface Known {
  /** Owner of the credential, which never changes. */
  userId: string;
  /** Whether their memberships name teams or custom roles. */
  isNamed: boolean;
}

/** The cache allocates room for all of them at once. */
const knownCredentials = 5_000;

/**
 * Look-up of a credential with its person. Only the owner's id is kept from one look-up to the next, so that account
 * and memberships are read by it, which costs the engine less than joining them. Reading teams and custom roles costs
 * more than the rest, and most people have none, so they are read with credentials that had any at their last use.
 * Elsewhere, the caller reads them.
 */
function personLookup<C extends { secretHash: string; userId?: string }>(
  reads: JoinedReads,
  collection: string,
) {
  const known = new LRUCache<string, Known>({ max: knownCredentials });
  const readJoined = (stages: Document[]) => async (secretHashes: string[]) => {
    const rows = await reads.read<C & PersonRow>(
      collection,
      [
        { $match: { secretHash: oneOf(secretHashes) } },
        lookup("users", "userId", "_id", "account"),
        lookup("memberships", "userId", "userId", "memberships"),
        ...stages,
        { $project: { ...ofCredential, namedIds: 0, account } },
      ],
      withSecretIn(secretHashes, "joined"),
    );
    return bySecret(rows, toPerson<C>);
  };
  const first = batchedLookup(readJoined([]), reads.schedule);
  const complete = batchedLookup(readJoined(namedStages), reads.schedule);
  const byOwner = batchedLookup(async (keys: string[]) => {
    const pairs = keys.map((key) => key.split(" ") as [secretHash: string, userId: string]);
    const found = await readByOwners<C>(reads, collection, new Map(pairs));
    return new Map([...found].map(([secretHash, one]) => [`${secretHash} ${one.credential.userId}`, one]));
  }, reads.schedule);
  return async (secretHash: string): Promise<FoundPerson<C> | undefined> => {
    const before = known.get(secretHash);
    let found: FoundPerson<C> | undefined;
    if (before?.isNamed === false) found = await byOwner(`${secretHash} ${before.userId}`);
    found ??= await (before?.isNamed ? complete : first)(secretHash);
    const userId = found?.credential.userId;
    if (!found || userId === undefined) {
      known.delete(secretHash);
      return found;
    }
    const isNamed = found.person.memberships.some(({ role, teamIds }) => teamIds.length > 0 || isId(role));
    if (before?.isNamed !== isNamed) known.set(secretHash, { userId, isNamed });
    return found;
  };
}

/** Credentials with their persons, by the ids of their owners. The person is read after the credential. */
async function readByOwners<C extends { secretHash: string; userId?: string }>(
  reads: JoinedReads,
  collection: string,
  owners: ReadonlyMap<string, string>,
): Promise<Map<string, FoundPerson<C>>> {
  const [secretHashes, userIds] = [[...owners.keys()], new Set(owners.values())];
  const ids = oneOf([...userIds]);
  const [credentials, accounts, memberships] = await Promise.all([
    reads.read<C>(
      collection,
      [{ $match: { secretHash: oneOf(secretHashes) } }],
      withSecretIn(secretHashes, "alone"),
    ),
    reads.read<PersonRow["account"][number]>(
      "users",
      [{ $match: { _id: ids } }, { $project: account }],
      (row) => userIds.has(row._id) && row.emailKey !== undefined,
    ),
    reads.read<MembershipDoc>(
      "memberships",
      [{ $match: { userId: ids } }],
      (row) => userIds.has(row.userId) && row.teamIds !== undefined,
    ),
  ]);
  const byId = new Map(accounts.map((row) => [row._id, row]));
  // Other reads of the same command may have found the same rows.
  const distinct = [...new Map(memberships.map((row) => [row._id, row])).values()];
  const own = credentials.filter((row) => owners.get(row.secretHash) === row.userId);
  return bySecret(own, (credential) => {
    const user = byId.get(credential.userId!);
    const ofUser = distinct.filter((row) => row.userId === credential.userId);
    return toPerson({ ...credential, account: user ? [user] : [], memberships: ofUser });
  });
}

function toPerson<C>({ account: [user], memberships, teams, roles, ...credential }: C & PersonRow) {
  const facts: PersonFacts = {
    account: user?.deletedAt === undefined ? user : undefined,
    memberships: memberships.filter(counts).sort((a, b) => (a.tenantSlug < b.tenantSlug ? -1 : 1)),
    named: teams && roles && { teams: teams.filter((team) => team.active), roles },
  };
  return { credential: credential as C, person: facts };
}

/** The condition `counting`. */
const counts = (row: MembershipDoc) => row.active === counting.active && row.pending === undefined;

/** No row of another collection has the hash of a secret. `joined`: with the memberships of its owner. */
function withSecretIn(secretHashes: string[], form: "joined" | "alone") {
  const hashes = new Set(secretHashes);
  return (row: { secretHash?: string; memberships?: unknown }) =>
    row.secretHash !== undefined &&
    hashes.has(row.secretHash) &&
    (row.memberships !== undefined) === (form === "joined");
}

function bySecret<T extends { secretHash: string }, V>(rows: T[], read: (row: T) => V): Map<string, V> {
  return new Map(rows.map((row) => [row.secretHash, read(row)]));
}

function lookup(from: string, localField: string, foreignField: string, as: string): Document {
  return { $lookup: { from, localField, foreignField, as } };
}

const flattened = (lists: string) => ({
  $reduce: { input: lists, initialValue: [], in: { $concatArrays: ["$$value", "$$this"] } },
});

const namedStages: Document[] = [
  { $set: { namedIds: flattened("$memberships.teamIds") } },
  lookup("teams", "namedIds", "_id", "teams"),
  { $set: { namedIds: { $concatArrays: ["$memberships.role", flattened("$teams.roleIds")] } } },
  lookup("roles", "namedIds", "_id", "roles"),
];

/** Removing a field costs the engine more than sending it, so only secrets and what may be long are left out. */
const ofCredential = { outbox: 0, notice: 0 } as const;
