import { Button, Select, TextInput } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { foldersQuery, may } from "../../api/account/session.ts";
import {
  disableWorkspaces,
  enableWorkspaces,
  moveWorkspaces,
  repairWorkspaces,
  retryWorkspaces,
  type WorkspaceSettings,
  workspaceSettingsQuery,
} from "../../api/organization/workspaces.ts";
import { query } from "../../api/query.ts";
import { ConfirmDialog } from "../../parts/forms/confirm-dialog.tsx";
import type { Organization } from "../../parts/page/organization-page.tsx";
import { Problem } from "../../parts/states/problem.tsx";

interface Props {
  org: string;
  organization: Organization;
  settings: WorkspaceSettings;
}

/** Refreshes everything that shows workspaces. */
export function useWorkspacesChanged(org: string) {
  const client = useQueryClient();
  return () =>
    Promise.all([
      client.invalidateQueries({ queryKey: workspaceSettingsQuery(org).queryKey }),
      client.invalidateQueries({
        queryKey: query("/api/tenants/{tenant}/personal-workspaces/members", { tenant: org }).queryKey,
      }),
      client.invalidateQueries({ queryKey: foldersQuery(org).queryKey }),
    ]);
}

/** Whether workspaces are created, where they are, and their number by state. */
export function Settings({ org, organization, settings }: Props) {
  const changed = useWorkspacesChanged(org);
  const [asked, setAsked] = useState<"disable" | "move">();
  const run = useMutation({ mutationFn: (act: () => Promise<unknown>) => act(), onSettled: changed });
  const { enabled, counts, folder } = settings;
  const mayMove =
    may(organization.permissions, "folder", "update") && may(organization.permissions, "folder", "manageAcl");
  return (
    <section className="stack gap-3" aria-label="State">
      <p className={enabled ? "note ok" : "note"}>
        {enabled
          ? "Every member has a workspace; members who join get one."
          : "No workspaces are created. Existing ones stay private and usable."}
      </p>
      {folder && (
        <p className="meta">
          In the folder <span className="mono">{folder.path}</span>
          {counts &&
            `: ${Object.entries(counts)
              .map(([state, count]) => `${count} ${state}`)
              .join(", ")}`}
        </p>
      )}
      <Problem error={run.error} />
      <div className="row wrap">
        {enabled ? (
          <Button variant="default" onClick={() => setAsked("disable")}>
            Stop creating workspaces
          </Button>
        ) : (
          <Button loading={run.isPending} onClick={() => run.mutate(() => enableWorkspaces(org))}>
            Create a workspace for every member
          </Button>
        )}
        {(counts?.failed ?? 0) > 0 && (
          <Button variant="default" onClick={() => run.mutate(() => retryWorkspaces(org))}>
            Retry all that failed
          </Button>
        )}
        {folder && (
          <Button variant="default" onClick={() => run.mutate(() => repairWorkspaces(org))}>
            Check and repair
          </Button>
        )}
        {folder && mayMove && (
          <Button variant="default" onClick={() => setAsked("move")}>
            Rename or move
          </Button>
        )}
      </div>
      {asked === "disable" && (
        <DisableDialog org={org} onDone={changed} onClose={() => setAsked(undefined)} />
      )}
      {asked === "move" && folder && (
        <MoveDialog org={org} folder={folder} onMoved={changed} onClose={() => setAsked(undefined)} />
      )}
    </section>
  );
}

interface MoveProps {
  org: string;
  folder: NonNullable<WorkspaceSettings["folder"]>;
  onMoved: () => Promise<unknown>;
  onClose: () => void;
}
const root = "root";

function MoveDialog({ org, folder, onMoved, onClose }: MoveProps) {
  const { data: folders = [] } = useQuery(foldersQuery(org));
  const parentPath = folder.path.split("/").slice(0, -1).join("/");
  const [name, setName] = useState(folder.name);
  const [parent, setParent] = useState(folders.find(({ path }) => path === parentPath)?.id ?? root);
  const options = folders
    .filter(({ managed, path }) => !managed && !path.startsWith(`${folder.path}/`))
    .map(({ id, path }) => ({ value: id, label: path }));
  const run = () =>
    moveWorkspaces(org, { name: name.trim(), parentId: parent === root ? null : parent }).then(onMoved);
  return (
    <ConfirmDialog title="Rename or move all workspaces" action="Save" run={run} onClose={onClose}>
      <TextInput
        label="Name of the containing folder"
        maxLength={100}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <Select
        label="In"
        searchable
        limit={100}
        allowDeselect={false}
        data={[{ value: root, label: "/ (outside of all folders)" }, ...options]}
        value={parent}
        onChange={(value) => setParent(value ?? root)}
      />
      <p className="sub">Paths of all workspaces change with it. Their skills keep their addresses.</p>
    </ConfirmDialog>
  );
}

interface DisableProps {
  org: string;
  onDone: () => Promise<unknown>;
  onClose: () => void;
}

function DisableDialog({ org, onDone, onClose }: DisableProps) {
  return (
    <ConfirmDialog
      title="Stop creating workspaces"
      action="Stop creating"
      run={() => disableWorkspaces(org).then(onDone)}
      onClose={onClose}
    >
      <p>
        Members who join get no workspace, and nothing new can be published to workspaces by{" "}
        <span className="mono">--personal</span>. Existing workspaces stay.
      </p>
    </ConfirmDialog>
  );
}
