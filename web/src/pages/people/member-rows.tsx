import { Checkbox } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useRef, useState } from "react";
import type { Member, Role, Team } from "../../api/organization/people.ts";
import { identityQuery, may } from "../../api/session.ts";
import { Initials } from "../../parts/avatar.tsx";
import { useNextPage, type Found } from "../../parts/lists/found.ts";
import type { Organization } from "../../parts/organization-page.tsx";
import { Time } from "../../parts/time.tsx";
import { MemberMenu } from "./member-menu.tsx";

const rowHeight = 52;
/** Rows before the end of the list from which the next page is requested. */
const prefetchRows = 40;

interface Props {
  org: string;
  organization: Organization;
  members: Member[];
  roles: Role[];
  teams: Team[];
  found: Found<Member>;
  chosen: ReadonlySet<string>;
  onChoose: (chosen: ReadonlySet<string>) => void;
}

/** The members, of whom only the rows in view are drawn. */
export function MemberRows(props: Props) {
  const { members, organization, found, chosen, onChoose } = props;
  const list = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count: members.length,
    getScrollElement: () => list.current,
    estimateSize: () => rowHeight,
    overscan: 8,
  });
  const drawn = rows.getVirtualItems();
  const last = drawn.at(-1)?.index ?? 0;
  useNextPage(found, last > members.length - prefetchRows);
  const canChange =
    may(organization.permissions, "member", "update") || may(organization.permissions, "member", "remove");
  const height = Math.min(rows.getTotalSize(), 13 * rowHeight);
  return (
    <div className="panel" role="table" aria-label="Members" aria-rowcount={members.length + 1}>
      <Head members={members} chosen={chosen} canChange={canChange} onChoose={onChoose} />
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

function MemberRow({ member, index, top, canChange, chosen, onChoose, roles, teams, ...rest }: RowProps) {
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
          <b>{name || username}</b> <span className="meta">{username}</span>{" "}
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
        {lastSeenAt ? <Day value={lastSeenAt} /> : <JoinedAt value={joinedAt} />}
      </span>
      <span role="cell" className="right">
        <MemberMenu {...rest} member={member} roles={roles} isSelf={identity?.id === userId} />
      </span>
    </div>
  );
}

const dayMs = 86_400_000;
const days = new Intl.RelativeTimeFormat("en", { numeric: "auto" });

/** A day relative to today; the service does not record the time. */
function Day({ value }: { value: string }) {
  const [today] = useState(() => Math.floor(Date.now() / dayMs));
  return <time dateTime={value}>{days.format(Math.floor(Date.parse(value) / dayMs) - today, "day")}</time>;
}

const JoinedAt = ({ value }: { value: string }) => (
  <>
    joined <Time value={value} />
  </>
);

type HeadProps = Pick<Props, "members" | "chosen" | "onChoose"> & { canChange: boolean };

function Head({ members, chosen, canChange, onChoose }: HeadProps) {
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
      <span role="columnheader">Name</span>
      <span role="columnheader">Role</span>
      <span role="columnheader" className="hidden-on-phones">
        Teams
      </span>
      <span role="columnheader" className="hidden-on-phones">
        Last seen
      </span>
      <span role="columnheader" className="visually-hidden">
        Actions
      </span>
    </div>
  );
}
