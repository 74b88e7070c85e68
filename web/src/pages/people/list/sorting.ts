/** Orders of the list of members. */
import type { Member } from "../../../api/organization/people.ts";

export const memberSorts = ["name", "role", "seen", "joined"] as const;
export type MemberSort = (typeof memberSorts)[number];
/** An order, with `-` for its reverse; without one, by user name as the service has it. */
export type MemberOrder = MemberSort | `-${MemberSort}`;

export const readOrder = (value: unknown): MemberOrder | undefined =>
  memberSorts.flatMap((sort): MemberOrder[] => [sort, `-${sort}`]).find((order) => order === value);

const keys: Record<MemberSort, (member: Member) => string> = {
  name: ({ name, username }) => (name || username).toLocaleLowerCase("en"),
  role: ({ roleName = "" }) => roleName,
  // Members who were never seen come first, or last in reverse.
  seen: ({ lastSeenAt }) => lastSeenAt ?? "",
  joined: ({ joinedAt }) => joinedAt,
};

/** The members in an order; those that are alike stay in the order of their user names. */
export function sortMembers(members: Member[], order: MemberOrder | undefined): Member[] {
  if (order === undefined) return members;
  const isReverse = order.startsWith("-");
  const key = keys[(isReverse ? order.slice(1) : order) as MemberSort];
  const compared = members.toSorted((a, b) => key(a).localeCompare(key(b), "en"));
  return isReverse ? compared.toReversed() : compared;
}

/** The order after a click on a column: by it, in reverse, and as it was. */
export function nextOrder(sort: MemberSort, order: MemberOrder | undefined): MemberOrder | undefined {
  if (order === sort) return `-${sort}`;
  return order === `-${sort}` ? undefined : sort;
}
