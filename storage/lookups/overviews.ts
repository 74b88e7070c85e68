/** Queries over many organizations or people, for overviews: each reads one page, or a bounded number of rows. */
import type { Collection } from "mongodb";
import type { SessionDoc } from "../credentials/sessions.ts";
import type { ListedToken, TokenDoc } from "../credentials/tokens.ts";
import { commandTimeMs, type Database } from "../database.ts";
import type { MembershipDoc } from "../memberships/document.ts";
import type { TenantDoc } from "../organizations/tenants.ts";
import type { PathReservationDoc } from "../skills/path-reservations.ts";

/** A user and the time of their last use of a session or token, if any. */
interface LastUse {
  _id: string;
  at: Date | null;
}

export function openOverviews(database: Database) {
  const memberships = database.collection<MembershipDoc>("memberships");
  const sessions = database.collection<SessionDoc>("sessions");
  const tenants = database.collection<TenantDoc>("tenants");
  const tokens = database.collection<TokenDoc>("tokens");
  const lastOf = (field: string, userIds: string[]) => [
    { $match: { userId: { $in: userIds } } },
    { $group: { _id: "$userId", at: { $max: field } } },
  ];
  return {
    /** A page of all organizations by slug; `prefix`: beginning of it. */
    listTenants(prefix: string | undefined, after: string | undefined, limit: number): Promise<TenantDoc[]> {
      const slug = {
        ...(prefix === undefined ? {} : { $gte: prefix, $lt: `${prefix}\uffff` }),
        ...(after === undefined ? {} : { $gt: after }),
      };
      return tenants
        .find(
          { ...(Object.keys(slug).length > 0 ? { slug } : {}), erasedAt: { $exists: false } },
          { projection: { outbox: 0 } },
        )
        .sort({ slug: 1 })
        .limit(limit)
        .toArray();
    },
    /** Last use of each user's sessions, ended ones included, and of their personal tokens. */
    async listLastUses(userIds: string[]): Promise<LastUse[]> {
      const found = await Promise.all([
        sessions.aggregate<LastUse>(lastOf("$lastSeenAt", userIds)).toArray(),
        tokens.aggregate<LastUse>(lastOf("$lastUsedAt", userIds)).toArray(),
      ]);
      return found.flat();
    },
    ...countsOf(database, memberships),
    listExpiringTokens: (...query: ExpiringQuery) => listExpiringTokens(tokens, ...query),
  };
}

function countsOf(database: Database, memberships: Collection<MembershipDoc>) {
  const reservations = database.collection<PathReservationDoc>("places");
  return {
    /** Numbers of members of organizations. */
    async countMembers(tenantIds: string[]): Promise<Map<string, number>> {
      const rows = await memberships
        .aggregate<{ _id: string; count: number }>([
          { $match: { tenantId: { $in: tenantIds }, active: true } },
          { $group: { _id: "$tenantId", count: { $sum: 1 } } },
        ])
        .toArray();
      return new Map(rows.map(({ _id, count }) => [_id, count]));
    },
    /** Numbers of skills of organizations that are not deleted, by the paths that they hold. */
    async countSkills(tenantIds: string[]): Promise<Map<string, number>> {
      const rows = await reservations
        .aggregate<{ _id: string; count: number }>(
          [
            { $match: { tenantId: { $in: tenantIds }, kind: "skill" } },
            { $group: { _id: "$tenantId", count: { $sum: 1 } } },
          ],
          { maxTimeMS: commandTimeMs },
        )
        .toArray();
      return new Map(rows.map(({ _id, count }) => [_id, count]));
    },
    /** Number of members of an organization whose account has no second factor. */
    async countWithoutFactor(tenantId: string): Promise<number> {
      const [row] = await memberships
        .aggregate<{ count: number }>([
          { $match: { tenantId, active: true } },
          { $lookup: { from: "users", localField: "userId", foreignField: "_id", as: "user" } },
          { $match: { "user.hasFactor": { $ne: true } } },
          { $count: "count" },
        ])
        .toArray();
      return row?.count ?? 0;
    },
  };
}

type ExpiringQuery = [
  owners: { tenantIds: readonly string[]; userId: string | undefined },
  within: { from: Date; to: Date },
  limit: number,
];

/** Tokens of organizations and of a user that expire within a time, the next one first; no logins of devices. */
function listExpiringTokens(
  tokens: Collection<TokenDoc>,
  ...[{ tenantIds, userId }, { from, to }, limit]: ExpiringQuery
): Promise<ListedToken[]> {
  const owners = [{ tenantId: { $in: [...tenantIds] } }, ...(userId === undefined ? [] : [{ userId }])];
  const filter = {
    $or: owners,
    revokedAt: { $exists: false },
    login: { $exists: false },
    expiresAt: { $gt: from, $lte: to },
  };
  return tokens
    .find(filter, { projection: { outbox: 0, pendingSince: 0, secretHash: 0 } })
    .sort({ expiresAt: 1 })
    .limit(limit)
    .toArray();
}
