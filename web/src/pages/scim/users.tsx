import { Select } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { scimUserStates } from "../../../../contract/vocabulary.ts";
import { scimUsersQuery, type ScimUser, type ScimUserFilter } from "../../api/organization/scim.ts";
import { DataTable, type Column } from "../../parts/lists/data-table.tsx";
import { ListSection } from "../../parts/lists/list-section.tsx";
import { SearchField } from "../../parts/lists/search-field.tsx";
import { Time } from "../../parts/text/time.tsx";

interface Props {
  org: string;
  filter: ScimUserFilter;
  onFilter: (part: ScimUserFilter) => void;
}

/** The users that SCIM manages, by user name. */
export function Users({ org, filter, onFilter }: Props) {
  const { query, state } = filter;
  const found = useInfiniteQuery(scimUsersQuery(org, filter));
  return (
    <ListSection
      label="Users"
      found={found}
      filter={
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
      }
      empty={
        query !== undefined || state !== undefined
          ? "No user matches. Remove a filter: users are found by the beginning of their user name."
          : "No users yet. Assign people in your identity provider."
      }
    >
      {(users) => (
        <DataTable
          caption="Users that SCIM manages"
          className="align-top"
          columns={columnsOf(org)}
          rows={users}
          keyOf={({ id }) => id}
        />
      )}
    </ListSection>
  );
}

const columnsOf = (org: string): Column<ScimUser>[] => [
  { header: "User", className: "wrap-text", cell: (user) => <Name user={user} /> },
  {
    header: "Account",
    isHiddenOnPhones: true,
    cell: ({ account, active }) =>
      account && active ? (
        <Link to="/$org/-/people" params={{ org }} search={{ query: account.username }}>
          {account.username}
        </Link>
      ) : (
        account?.username
      ),
  },
  {
    header: "Groups",
    isHiddenOnPhones: true,
    className: "wrap-text",
    cell: ({ groups }) => groups.map((group) => group.name).join(", "),
  },
  { header: "State", className: "wrap-text", cell: (user) => <State user={user} /> },
  {
    header: "Changed",
    isHiddenOnPhones: true,
    className: "meta nowrap",
    cell: ({ updatedAt }) => <Time value={updatedAt} />,
  },
];

function Name({ user: { userName, name, email } }: { user: ScimUser }) {
  const details = [userName, ...(email.toLowerCase() === userName.toLowerCase() ? [] : [email])];
  return (
    <>
      <b>{name ?? userName}</b>
      {(name !== null || details.length > 1) && (
        <span className="meta block">{(name === null ? details.slice(1) : details).join(", ")}</span>
      )}
    </>
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
