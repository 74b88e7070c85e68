import { Button } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { FolderPlus, Plus } from "lucide-react";
import { may } from "../../api/account/session.ts";
import type { Organization } from "../../parts/page/organization-page.tsx";

/** Creating a folder and publishing, for those who may. */
export function Actions({
  organization,
  onNewFolder,
}: {
  organization: Organization;
  onNewFolder: () => void;
}) {
  const navigate = useNavigate();
  return (
    <>
      {may(organization.permissions, "folder", "create") && (
        <Button size="xs" variant="default" aria-label="New folder" onClick={onNewFolder}>
          <span className="row">
            <FolderPlus size={14} />
            <span className="hidden-on-phones">New folder</span>
          </span>
        </Button>
      )}
      {may(organization.permissions, "skill", "create") && (
        <Button
          size="xs"
          leftSection={<Plus size={14} />}
          onClick={() => void navigate({ href: `/new?org=${organization.slug}` })}
        >
          Publish
        </Button>
      )}
    </>
  );
}
