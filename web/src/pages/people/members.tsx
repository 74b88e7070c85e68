import { Button, Select, TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { createFileRoute, useNavigate } from "@tanstack/react-router";
import { Search, UserPlus } from "lucide-react";
import { useMemo, useRef, useState } from "react";
import { countText, numberText } from "../../../../contract/text/count-text.ts";
import { may } from "../../api/account/session.ts";
import { membersQuery, rolesQuery, teamsQuery, type MemberFilter } from "../../api/organization/people.ts";
import { useFilterKey } from "../../parts/filter-key.ts";
import { itemsOf } from "../../parts/lists/found.ts";
import type { Organization } from "../../parts/page/organization-page.tsx";
import { Problem } from "../../parts/states/problem.tsx";
import { SkeletonRows } from "../../parts/states/skeleton-rows.tsx";
import { InviteDialog } from "./invite/dialog.tsx";
import { BulkBar } from "./list/bulk-bar.tsx";
import { MemberRows } from "./list/member-rows.tsx";
import { readOrder, sortMembers, type MemberOrder } from "./list/sorting.ts";
import { PeoplePage } from "./people-page.tsx";

const textOf = (value: unknown) => (typeof value === "string" && value !== "" ? value : undefined);

export const Route = createFileRoute("/$org/-/people/")({
  validateSearch: (raw: Record<string, unknown>): MemberFilter & { by?: MemberOrder } => ({
    by: readOrder(raw["by"]),
    query: textOf(raw["query"]),
    role: textOf(raw["role"]),
    team: textOf(raw["team"]),
  }),
  component: MembersPage,
});

function MembersPage() {
  const { org } = Route.useParams();
  const [isInviting, setInviting] = useState(false);
  return (
    <PeoplePage
      org={org}
      title="Members"
      renderActions={({ permissions }) =>
        may(permissions, "member", "invite") && (
          <Button size="xs" leftSection={<UserPlus size={14} />} onClick={() => setInviting(true)}>
            Invite
          </Button>
        )
      }
    >
      {(organization) => (
        <>
          <Members organization={organization} />
          {isInviting && (
            <InviteDialog org={org} organization={organization} onClose={() => setInviting(false)} />
          )}
        </>
      )}
    </PeoplePage>
  );
}

function Members({ organization }: { organization: Organization }) {
  const { org } = Route.useParams();
  const { by, ...filter } = Route.useSearch();
  const navigate = useNavigate({ from: Route.fullPath });
  const found = useInfiniteQuery(membersQuery(org, filter));
  const roles = useQuery(rolesQuery(org));
  const teams = useQuery(teamsQuery(org));
  const { data } = found;
  const members = useMemo(() => sortMembers(itemsOf({ data }), by), [data, by]);
  const total = data?.pages[0]?.total ?? members.length;
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const isFiltered = Object.values(filter).some((value) => value !== undefined);
  return (
    <section className="stack gap-3" aria-label="Members">
      <Filters roles={roles.data ?? []} teams={teams.data ?? []} filter={filter} />
      <Problem
        error={found.error}
        retry={() => void (found.isFetchNextPageError ? found.fetchNextPage() : found.refetch())}
      />
      {found.isPending && <SkeletonRows height={48} />}
      {members.length > 0 && (
        <MemberRows
          org={org}
          organization={organization}
          members={members}
          teams={teams.data ?? []}
          found={found}
          chosen={chosen}
          onChoose={setChosen}
          order={by}
          onOrder={(order) =>
            void navigate({ search: (old) => ({ ...old, by: order }), replace: true, resetScroll: false })
          }
        />
      )}
      {found.isSuccess && members.length === 0 && (
        <p className="sub">{isFiltered ? "No member matches. Remove a filter." : "There are no members."}</p>
      )}
      <p className="meta" aria-live="polite">
        {found.isSuccess && found.hasNextPage && total === members.length
          ? `${numberText(total)} or more members`
          : countText(total, "member")}
      </p>
      {chosen.size > 0 && (
        <BulkBar
          org={org}
          organization={organization}
          members={members.filter(({ userId }) => chosen.has(userId))}
          onDone={() => setChosen(new Set())}
        />
      )}
    </section>
  );
}

interface FilterProps {
  roles: { id: string; name: string }[];
  teams: { id: string; name: string }[];
  filter: MemberFilter;
}

function Filters({ roles, teams, filter }: FilterProps) {
  const navigate = useNavigate({ from: Route.fullPath });
  const field = useRef<HTMLInputElement>(null);
  const change = (part: MemberFilter) =>
    void navigate({ search: (old) => ({ ...old, ...part }), replace: true });
  const changeQuery = useDebouncedCallback((query: string) => change({ query: query || undefined }), 150);
  useFilterKey(field);
  const options = (items: { id: string; name: string }[]) =>
    items.map(({ id, name }) => ({ value: id, label: name }));
  return (
    <div className="row wrap">
      <TextInput
        ref={field}
        className="grow"
        miw={200}
        aria-label="Find members"
        placeholder="Name or user name"
        leftSection={<Search size={16} />}
        rightSection={<span className="kbd hidden-on-phones">/</span>}
        defaultValue={filter.query ?? ""}
        maxLength={100}
        onChange={(event) => changeQuery(event.currentTarget.value)}
      />
      <Select
        aria-label="Role"
        placeholder="All roles"
        w={150}
        clearable
        clearButtonProps={{ "aria-label": "All roles" }}
        data={options(roles)}
        value={filter.role ?? null}
        onChange={(role) => change({ role: role ?? undefined })}
      />
      <Select
        aria-label="Team"
        placeholder="All teams"
        w={150}
        clearable
        searchable
        clearButtonProps={{ "aria-label": "All teams" }}
        data={options(teams)}
        value={filter.team ?? null}
        onChange={(team) => change({ team: team ?? undefined })}
      />
    </div>
  );
}
