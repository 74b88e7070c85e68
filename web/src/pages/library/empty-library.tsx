import { Button } from "@mantine/core";
import { may } from "../../api/account/session.ts";
import { ButtonLink } from "../../parts/button-link.tsx";
import { Command } from "../../parts/copy/command.tsx";
import { commandLine } from "../../parts/copy/shell.ts";
import type { Organization } from "../../parts/page/organization-page.tsx";
import { Empty } from "../../parts/states/empty.tsx";

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
      <div className="row wrap">
        {may(organization.permissions, "skill", "create") && (
          <ButtonLink variant="default" to="/new" search={{ org: organization.slug }}>
            Write or drop skills
          </ButtonLink>
        )}
        {may(organization.permissions, "folder", "create") && (
          <Button variant="default" onClick={onNewFolder}>
            New folder
          </Button>
        )}
      </div>
      <Command text={commandLine("svc", "publish", "./my-skill", "--team", organization.slug)} />
    </Empty>
  );
}
