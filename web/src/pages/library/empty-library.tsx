import { Button } from "@mantine/core";
import { may } from "../../api/session.ts";
import { Command } from "../../parts/copy/command.tsx";
import { Empty } from "../../parts/empty.tsx";
import type { Organization } from "../../parts/organization-page.tsx";
import { commandLine } from "../../parts/copy/shell.ts";

export function EmptyLibrary({
  organization,
  onNewFolder,
}: {
  organization: Organization;
  onNewFolder: () => void;
}) {
  return (
    <Empty title="No skills yet">
      <p className="sub">Skills that you publish to {organization.name} appear here.</p>
      {may(organization.permissions, "folder", "create") && (
        <Button variant="default" w="fit-content" onClick={onNewFolder}>
          New folder
        </Button>
      )}
      <Command text={commandLine("svc", "publish", "./my-skill", "--team", organization.slug)} />
    </Empty>
  );
}
