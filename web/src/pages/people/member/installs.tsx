import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { memberInstallsQuery, type Member, type MemberInstall } from "../../../api/organization/people.ts";
import { toolColumn, updatedColumn, versionColumn } from "../../../parts/install-columns.tsx";
import { DataTable, type Column } from "../../../parts/lists/data-table.tsx";
import { ListSection } from "../../../parts/lists/list-section.tsx";

/** Skills that the member has installed, as far as the user reads their analytics. */
export function MemberInstalls({ org, member }: { org: string; member: Member }) {
  const found = useInfiniteQuery(memberInstallsQuery(org, member.userId));
  return (
    <ListSection
      title="Installs"
      found={found}
      rows={3}
      rowHeight={44}
      more="Show more installs"
      empty="No install is known. Installs with svc are reported while the member is signed in."
    >
      {(installs) => (
        <DataTable
          caption={`Installs of ${member.username}`}
          columns={columnsOf(org)}
          rows={installs}
          keyOf={({ id }) => id}
        />
      )}
    </ListSection>
  );
}

const columnsOf = (org: string): Column<MemberInstall>[] => [
  {
    header: "Skill",
    isRowHeader: true,
    className: "anywhere",
    cell: ({ skill: { slug } }) => (
      <Link to="/$org/$slug" params={{ org, slug }}>
        {slug}
      </Link>
    ),
  },
  versionColumn(),
  toolColumn,
  { ...updatedColumn, isHiddenOnPhones: true },
];
