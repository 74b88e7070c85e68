import { Select } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { scimUserStates } from "../../../../contract/vocabulary.ts";
import { scimUsersQuery, type ScimUser, type ScimUserFilter } from "../../api/organization/scim.ts";
import { Pager, usePages } from "../../parts/lists/pager.tsx";
import { Problem } from "../../parts/problem.tsx";
import { SkeletonRows } from "../../parts/skeleton-rows.tsx";
import { Time } from "../../parts/time.tsx";
import { SearchField } from "./search-field.tsx";

interface Props {
  org: string;
  filter: ScimUserFilter;
  onFilter: (part: ScimUserFilter) => void;
}

/** The users that SCIM manages, by user name. */
export function Users({ org, filter, onFilter }: Props) {
  const { query, state } = filter;
  const pages = usePages(JSON.stringify(filter));
  const found = useQuery(scimUsersQuery(org, filter, pages.cursor));
  const users = found.data?.data ?? [];
  const isFiltered = query !== undefined || state !== undefined;
  return (
    <section className="stack g3" aria-label="Users">
      <div className="row wrap">
        <SearchField
          label="Find users"
          placeholder="Beginning of the user name"
          value={query}
          onChange={(next) => onFilter({ query: next })}
        />
        <Select
          aria-label="State"
          placeholder="All states"
          w={150}
          clearable
          clearButtonProps={{ "aria-label": "All states" }}
          data={[...scimUserStates]}
          value={state ?? null}
          onChange={(next) => onFilter({ state: next ?? undefined })}
        />
      </div>
      <Problem error={found.error} retry={() => void found.refetch()} />
      {found.isPending && <SkeletonRows height={48} />}
      {users.length > 0 && (
        <div data-dimmed={found.isPlaceholderData}>
          <UserTable org={org} users={users} />
        </div>
      )}
      {found.isSuccess && users.length === 0 && (
        <p className="sub">
          {isFiltered
            ? "No user matches. Remove a filter: users are found by the beginning of their user name."
            : "No users yet. Assign people in your identity provider."}
        </p>
      )}
      <Pager
        pages={pages}
        nextCursor={found.data?.nextCursor}
        isPending={found.isPlaceholderData}
        label="users"
      />
    </section>
  );
}

function UserTable({ org, users }: { org: string; users: ScimUser[] }) {
  return (
    <div className="panel scroll">
      <table className="tbl scim-table">
        <caption className="sr">Users that SCIM manages</caption>
        <thead>
          <tr>
            <th scope="col">User</th>
            <th scope="col" className="hide-s">
              Account
            </th>
            <th scope="col" className="hide-s">
              Groups
            </th>
            <th scope="col">State</th>
            <th scope="col" className="hide-s">
              Changed
            </th>
          </tr>
        </thead>
        <tbody>
          {users.map((user) => (
            <UserRow key={user.id} org={org} user={user} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function UserRow({ org, user }: { org: string; user: ScimUser }) {
  const { userName, name, email, account, groups, updatedAt } = user;
  const details = [userName, ...(email.toLowerCase() === userName.toLowerCase() ? [] : [email])];
  return (
    <tr>
      <td className="wrap-text">
        <b>{name ?? userName}</b>
        {(name !== null || details.length > 1) && (
          <span className="meta block">{(name === null ? details.slice(1) : details).join(", ")}</span>
        )}
      </td>
      <td className="hide-s">
        {account && user.active ? (
          <Link to="/$org/-/people" params={{ org }} search={{ query: account.username }}>
            {account.username}
          </Link>
        ) : (
          account?.username
        )}
      </td>
      <td className="hide-s wrap-text">{groups.map((group) => group.name).join(", ")}</td>
      <td className="wrap-text">
        <State user={user} />
      </td>
      <td className="meta hide-s nowrap">
        <Time value={updatedAt} />
      </td>
    </tr>
  );
}

function State({ user: { active, invited, reason } }: { user: ScimUser }) {
  if (invited)
    return (
      <>
        <span className="badge warn">invited</span>
        <span className="meta block">{reason}</span>
      </>
    );
  return active ? <span className="badge ok">active</span> : <span className="badge">inactive</span>;
}
