import { Select } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { workspaceStates } from "../../../../contract/vocabulary.ts";
import { workspacesQuery, type Workspace, type WorkspaceState } from "../../api/organization/workspaces.ts";
import { actionsColumn, DataTable, type Column } from "../../parts/lists/data-table.tsx";
import { itemsOf } from "../../parts/lists/found.ts";
import { ListSection } from "../../parts/lists/list-section.tsx";
import type { Organization } from "../../parts/page/organization-page.tsx";
import { Time } from "../../parts/text/time.tsx";
import { WorkspaceActions } from "./row-actions.tsx";

interface Props {
  org: string;
  organization: Organization;
}

const tones: Partial<Record<WorkspaceState, string>> = { failed: "danger", left: "warn", provisioned: "ok" };
/** Failed ones first: they need attention. */
const order = (a: Workspace, b: Workspace) => Number(b.state === "failed") - Number(a.state === "failed");

export function WorkspaceList({ org, organization }: Props) {
  const [state, setState] = useState<WorkspaceState | null>(null);
  const found = useInfiniteQuery(workspacesQuery(org, state ?? undefined));
  return (
    <ListSection
      label="Workspaces"
      filter={
        <Select
          aria-label="State"
          placeholder="All states"
          w={160}
          clearable
          clearButtonProps={{ "aria-label": "All states" }}
          data={[...workspaceStates]}
          value={state}
          onChange={(value) => setState(value)}
        />
      }
      found={found}
      items={itemsOf(found).toSorted(order)}
      empty="No workspace is in this state."
    >
      {(workspaces) => (
        <DataTable
          caption="Workspaces"
          columns={columnsOf(org, organization)}
          rows={workspaces}
          keyOf={({ userId, folderId }) => `${userId} ${folderId}`}
        />
      )}
    </ListSection>
  );
}

const columnsOf = (org: string, organization: Organization): Column<Workspace>[] => [
  {
    header: "Member",
    cell: ({ username, path, error }) => (
      <>
        <b>{username ?? "deleted account"}</b> <span className="meta mono">{path}</span>
        {error !== undefined && <p className="danger">{error}</p>}
      </>
    ),
  },
  {
    header: "State",
    cell: ({ state }) => <span className={`badge ${tones[state] ?? ""}`}>{state}</span>,
  },
  {
    header: "Changed",
    isHiddenOnPhones: true,
    className: "meta",
    cell: ({ updatedAt }) => <Time value={updatedAt} />,
  },
  actionsColumn((workspace) => (
    <WorkspaceActions org={org} organization={organization} workspace={workspace} />
  )),
];
