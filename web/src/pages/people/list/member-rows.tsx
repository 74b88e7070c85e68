import { Checkbox } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useVirtualizer } from "@tanstack/react-virtual";
import { ArrowDown, ArrowUp } from "lucide-react";
import { useRef } from "react";
import { identityQuery, may } from "../../../api/account/session.ts";
import type { Member, Team } from "../../../api/organization/people.ts";
import { Initials } from "../../../parts/avatar.tsx";
import { useNextPage, type Found } from "../../../parts/lists/found.ts";
import type { Organization } from "../../../parts/page/organization-page.tsx";
import { Time } from "../../../parts/text/time.tsx";
import { MemberMenu } from "../member-menu.tsx";
import { nextOrder, type MemberOrder, type MemberSort } from "./sorting.ts";

const rowHeight = 52;
/** Rows before the end of the list from which the next page is requested. */
const prefetchRows = 40;

interface Props {
  org: string;
  organization: Organization;
  members: Member[];
  teams: Team[];
  found: Found<Member>;
  chosen: ReadonlySet<string>;
  onChoose: (chosen: ReadonlySet<string>) => void;
  order: MemberOrder | undefined;
  onOrder: (order: MemberOrder | undefined) => void;
}

/** The members, of whom only the rows in view are drawn. */
export function MemberRows(props: Props) {
  const { members, organization, found } = props;
  const list = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count: members.length,
    getScrollElement: () => list.current,
    estimateSize: () => rowHeight,
    overscan: 8,
  });
  const drawn = rows.getVirtualItems();
  const last = drawn.at(-1)?.index ?? 0;
  // Another order needs all members.
  useNextPage(found, props.order !== undefined || last > members.length - prefetchRows);
  const canChange =
    may(organization.permissions, "member", "update") || may(organization.permissions, "member", "remove");
  const height = Math.min(rows.getTotalSize(), 13 * rowHeight);
  return (
    <div className="panel" role="table" aria-label="Members" aria-rowcount={members.length + 1}>
      <Head {...props} canChange={canChange} />
      <div ref={list} role="rowgroup" tabIndex={0} aria-label="Members" style={{ height, overflow: "auto" }}>
        <div role="presentation" style={{ height: rows.getTotalSize(), position: "relative" }}>
          {drawn.map(({ index, start }) => {
            const member = members[index];
            return member ? (
              <MemberRow
                key={member.userId}
                {...props}
                member={member}
                index={index}
                top={start}
                canChange={canChange}
              />
            ) : null;
          })}
        </div>
      </div>
    </div>
  );
}

interface RowProps extends Props {
  member: Member;
  index: number;
  top: number;
  canChange: boolean;
}

function MemberRow({ member, index, top, canChange, chosen, onChoose, teams, ...rest }: RowProps) {
  const { org } = rest;
  const { userId, username, name, email, roleName, teamIds, lastSeenAt, joinedAt } = member;
  const { data: identity } = useQuery(identityQuery);
  const toggle = (isOn: boolean) =>
    onChoose(new Set(isOn ? [...chosen, userId] : [...chosen].filter((id) => id !== userId)));
  const teamNames = (member.teams ?? teams.filter(({ id }) => teamIds.includes(id))).map((team) => team.name);
  return (
    <div
      className="member-row"
      role="row"
      aria-rowindex={index + 2}
      style={{ position: "absolute", insetInline: 0, transform: `translateY(${top}px)` }}
    >
      <span role="cell">
        {canChange && (
          <Checkbox
            size="xs"
            aria-label={`Choose ${username}`}
            checked={chosen.has(userId)}
            onChange={(event) => toggle(event.currentTarget.checked)}
          />
        )}
      </span>
      <span role="cell" className="row clip">
        <Initials name={name || username} />
        <span className="clip">
          <Link to="/$org/-/people/members/$member" params={{ org, member: userId }} className="name">
            {name || username}
          </Link>{" "}
          {name !== username && <span className="meta">{username}</span>}{" "}
          {member.provisioned === true && (
            <span className="badge" title="Managed by your identity provider">
              SCIM
            </span>
          )}
          {email !== undefined && <span className="meta block clip">{email}</span>}
        </span>
      </span>
      <span role="cell" className="clip">
        {roleName}
      </span>
      <span role="cell" className="clip sub hidden-on-phones" title={teamNames.join(", ")}>
        {teamNames.join(", ")}
      </span>
      <span role="cell" className="meta hidden-on-phones">
        {lastSeenAt ? <Time value={lastSeenAt} isDay /> : <JoinedAt value={joinedAt} />}
      </span>
      <span role="cell" className="right">
        <MemberMenu
          org={org}
          organization={rest.organization}
          member={member}
          isSelf={identity?.id === userId}
        />
      </span>
    </div>
  );
}

const JoinedAt = ({ value }: { value: string }) => (
  <>
    joined <Time value={value} />
  </>
);

type HeadProps = Pick<Props, "members" | "chosen" | "onChoose" | "order" | "onOrder"> & {
  canChange: boolean;
};

function Head({ members, chosen, canChange, onChoose, order, onOrder }: HeadProps) {
  const sorting = { order, onOrder };
  return (
    <div className="member-row member-head" role="row" aria-rowindex={1}>
      <span role="columnheader">
        {canChange && (
          <Checkbox
            size="xs"
            aria-label="Choose all members shown"
            checked={chosen.size > 0 && chosen.size === members.length}
            indeterminate={chosen.size > 0 && chosen.size < members.length}
            onChange={(event) =>
              onChoose(new Set(event.currentTarget.checked ? members.map(({ userId }) => userId) : []))
            }
          />
        )}
      </span>
      <SortHeader sort="name" label="Name" {...sorting} />
      <SortHeader sort="role" label="Role" {...sorting} />
      <span role="columnheader" className="hidden-on-phones">
        Teams
      </span>
      <SortHeader sort="seen" label="Last seen" className="hidden-on-phones" {...sorting} />
      <span role="columnheader" className="visually-hidden">
        Actions
      </span>
    </div>
  );
}

interface SortProps extends Pick<Props, "order" | "onOrder"> {
  sort: MemberSort;
  label: string;
  className?: string;
}

/** The header of a column that orders the list. */
function SortHeader({ sort, label, className, order, onOrder }: SortProps) {
  const isReverse = order === `-${sort}`;
  const isSorted = isReverse || order === sort;
  const Arrow = isReverse ? ArrowDown : ArrowUp;
  return (
    <span
      role="columnheader"
      className={className}
      aria-sort={isSorted ? (isReverse ? "descending" : "ascending") : "none"}
    >
      <button type="button" className="sort-button" onClick={() => onOrder(nextOrder(sort, order))}>
        {label} {isSorted && <Arrow size={12} aria-hidden="true" />}
      </button>
    </span>
  );
}
