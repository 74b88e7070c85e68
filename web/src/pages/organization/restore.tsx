import { Button } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Trash2 } from "lucide-react";
import { restoreOrganization } from "../../api/organization/organizations.ts";
import type { Organization } from "../../parts/page/organization-page.tsx";
import { Problem } from "../../parts/states/problem.tsx";
import { Time } from "../../parts/text/time.tsx";

/** An organization that waits to be erased. */
export function Restore({ organization }: { organization: Organization }) {
  const client = useQueryClient();
  const restoring = useMutation({
    mutationFn: () => restoreOrganization(organization.slug),
    onSuccess: () => client.invalidateQueries(),
  });
  return (
    <div className="page stack gap-4">
      <h1>Settings</h1>
      <div className="note warn">
        <Trash2 className="icon" />
        <p>
          {organization.name} was deleted and is erased{" "}
          {organization.deletionAt !== undefined && <Time value={organization.deletionAt} />}. Only its owners
          see this page.
        </p>
      </div>
      <Problem error={restoring.error} />
      <Button w="fit-content" loading={restoring.isPending} onClick={() => restoring.mutate()}>
        Restore {organization.name}
      </Button>
    </div>
  );
}
