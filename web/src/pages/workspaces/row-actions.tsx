import { Button, Select } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { may } from "../../api/account/session.ts";
import { memberSearchQuery } from "../../api/organization/people.ts";
import {
  deleteWorkspace,
  reassignWorkspace,
  retryWorkspaces,
  type Workspace,
} from "../../api/organization/workspaces.ts";
import { ConfirmDialog } from "../../parts/forms/confirm-dialog.tsx";
import type { Organization } from "../../parts/page/organization-page.tsx";
import { Problem } from "../../parts/states/problem.tsx";
import { useWorkspacesChanged } from "./settings.tsx";

interface Props {
  org: string;
  organization: Organization;
  workspace: Workspace;
}

/** Retrying a failed workspace; giving or deleting that of a former member. */
export function WorkspaceActions({ org, organization: { permissions }, workspace }: Props) {
  const changed = useWorkspacesChanged(org);
  const [asked, setAsked] = useState<"reassign" | "delete">();
  const { userId, username = "the former member", state, path } = workspace;
  const retry = useMutation({ mutationFn: () => retryWorkspaces(org, userId), onSettled: changed });
  const close = () => setAsked(undefined);
  if (state === "failed")
    return (
      <>
        <Problem error={retry.error} />
        <Button size="compact-sm" variant="default" loading={retry.isPending} onClick={() => retry.mutate()}>
          Retry
        </Button>
      </>
    );
  if (state !== "left") return null;
  return (
    <>
      {may(permissions, "folder", "manageAcl") && (
        <Button size="compact-sm" variant="subtle" color="gray" onClick={() => setAsked("reassign")}>
          Reassign
        </Button>
      )}
      {may(permissions, "skill", "delete") && (
        <Button size="compact-sm" variant="subtle" color="gray" onClick={() => setAsked("delete")}>
          Delete
        </Button>
      )}
      {asked === "reassign" && (
        <ReassignDialog org={org} workspace={workspace} onDone={changed} onClose={close} />
      )}
      {asked === "delete" && (
        <ConfirmDialog
          title="Delete workspace"
          action="Delete workspace"
          phrase={path?.split("/").at(-1) ?? userId}
          isDangerous
          run={() => deleteWorkspace(org, userId).then(changed)}
          onClose={close}
        >
          <p>
            The workspace of <b>{username}</b> is removed with all skills and versions in it. This can&apos;t
            be undone.
          </p>
        </ConfirmDialog>
      )}
    </>
  );
}

interface ReassignProps {
  org: string;
  workspace: Workspace;
  onDone: () => Promise<unknown>;
  onClose: () => void;
}

function ReassignDialog({ org, workspace, onDone, onClose }: ReassignProps) {
  const [text, setText] = useState("");
  const [to, setTo] = useState<string | null>(null);
  const [query] = useDebouncedValue(text.trim(), 200);
  const { data: members = [] } = useQuery(memberSearchQuery(org, to ? "" : query));
  const run = async () => {
    if (to === null) throw new Error("Choose a member.");
    await reassignWorkspace(org, workspace.userId, to);
    await onDone();
  };
  return (
    <ConfirmDialog title="Reassign workspace" action="Reassign" run={run} onClose={onClose}>
      <p>
        It becomes a folder in the workspace of the member that you choose, who can then read everything in
        it. Slugs and versions stay.
      </p>
      <Select
        label="Member"
        searchable
        data={members.map(({ userId, username }) => ({ value: userId, label: username }))}
        value={to}
        searchValue={text}
        onSearchChange={setText}
        onChange={setTo}
      />
    </ConfirmDialog>
  );
}
