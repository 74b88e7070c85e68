import type { AdminUser } from "../../../api/admin.ts";
import { Initials } from "../../../parts/avatar.tsx";
import { Time } from "../../../parts/time.tsx";
import { visibleText } from "../../../parts/visible-text.ts";
import { UserMenu } from "./user-menu.tsx";

const named = 2;
/** The service records the day in UTC. */
const days = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeZone: "UTC" });

export function UserTable({ users }: { users: AdminUser[] }) {
  return (
    <div className="panel scroll">
      <table className="tbl">
        <caption className="sr">Accounts</caption>
        <thead>
          <tr>
            <th scope="col">Account</th>
            <th scope="col" className="hide-s">
              State
            </th>
            <th scope="col" className="hide-s">
              Organizations
            </th>
            <th scope="col" className="hide-s">
              Last seen
            </th>
            <th scope="col" className="hide-s">
              Created
            </th>
            <th scope="col">
              <span className="sr">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {users.map((user) => (
            <Row key={user.id} user={user} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Row({ user }: { user: AdminUser }) {
  const { username, name, email, organizations, lastSeenAt, createdAt } = user;
  return (
    <tr>
      <th scope="row">
        <span className="row">
          <Initials name={name || username} />
          <span>
            {visibleText(name || username)} <span className="meta">{username}</span>
            <span className="meta block">{email}</span>
            <span className="block only-s">
              <State user={user} />
            </span>
          </span>
        </span>
      </th>
      <td className="hide-s">
        <State user={user} />
      </td>
      <td className="hide-s">
        {organizations.length === 0 ? (
          <span className="dim">none</span>
        ) : (
          <span title={organizations.map(({ slug, role }) => `${slug} (${role})`).join(", ")}>
            {organizations
              .slice(0, named)
              .map(({ slug }) => slug)
              .join(", ")}
            {organizations.length > named && ` and ${organizations.length - named} more`}
          </span>
        )}
      </td>
      <td className="hide-s nowrap">
        {lastSeenAt === null ? (
          <span className="dim">never</span>
        ) : (
          <time dateTime={lastSeenAt}>{days.format(new Date(lastSeenAt))}</time>
        )}
      </td>
      <td className="hide-s nowrap">
        <Time value={createdAt} />
      </td>
      <td className="right">
        <UserMenu user={user} />
      </td>
    </tr>
  );
}

function State({ user: { isAdministrator, suspended, emailVerified } }: { user: AdminUser }) {
  return (
    <>
      <span className="row wrap">
        {isAdministrator && <span className="badge acc">administrator</span>}
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
