import type { AdminUser } from "../../../api/admin.ts";
import { Initials } from "../../../parts/avatar.tsx";
import { actionsColumn, DataTable, type Column } from "../../../parts/lists/data-table.tsx";
import { Time } from "../../../parts/text/time.tsx";
import { visibleText } from "../../../parts/text/visible-text.ts";
import { UserMenu } from "./user-menu.tsx";

const named = 2;

export function UserTable({ users }: { users: readonly AdminUser[] }) {
  return <DataTable caption="Accounts" columns={columns} rows={users} keyOf={({ id }) => id} />;
}

const columns: Column<AdminUser>[] = [
  { header: "Account", isRowHeader: true, cell: (user) => <Name user={user} /> },
  { header: "State", isHiddenOnPhones: true, cell: (user) => <State user={user} /> },
  {
    header: "Organizations",
    isHiddenOnPhones: true,
    cell: ({ organizations }) =>
      organizations.length === 0 ? (
        <span className="dim">none</span>
      ) : (
        <span title={organizations.map(({ slug, role }) => `${slug} (${role})`).join(", ")}>
          {organizations
            .slice(0, named)
            .map(({ slug }) => slug)
            .join(", ")}
          {organizations.length > named && ` and ${organizations.length - named} more`}
        </span>
      ),
  },
  {
    header: "Last seen",
    isHiddenOnPhones: true,
    className: "nowrap",
    cell: ({ lastSeenAt }) =>
      lastSeenAt === null ? <span className="dim">never</span> : <Time value={lastSeenAt} isDay />,
  },
  {
    header: "Created",
    isHiddenOnPhones: true,
    className: "nowrap",
    cell: ({ createdAt }) => <Time value={createdAt} />,
  },
  actionsColumn((user) => <UserMenu user={user} />),
];

function Name({ user }: { user: AdminUser }) {
  const { username, name, email } = user;
  return (
    <span className="row">
      <Initials name={name || username} />
      <span>
        {visibleText(name || username)} <span className="meta">{username}</span>
        <span className="meta block">{email}</span>
        <span className="block only-on-phones">
          <State user={user} />
        </span>
      </span>
    </span>
  );
}

function State({ user: { isAdministrator, suspended, emailVerified } }: { user: AdminUser }) {
  return (
    <>
      <span className="row wrap">
        {isAdministrator && <span className="badge accent">administrator</span>}
        {suspended && <span className="badge danger">suspended</span>}
        {!emailVerified && <span className="badge">address not confirmed</span>}
      </span>
      {suspended && (
        <span className="meta block error">
          {visibleText(suspended.reason)} (by {suspended.by}, <Time value={suspended.at} />)
        </span>
      )}
    </>
  );
}
