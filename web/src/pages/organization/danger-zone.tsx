import { Button } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { identityQuery, organizationQuery } from "../../api/account/session.ts";
import { deleteOrganization } from "../../api/organization/organizations.ts";
import { ConfirmDialog } from "../../parts/forms/confirm-dialog.tsx";
import type { Organization } from "../../parts/page/organization-page.tsx";

export function DangerZone({ organization }: { organization: Organization }) {
  const client = useQueryClient();
  const [isAsked, setAsked] = useState(false);
  const { name, slug } = organization;
  return (
    <section className="stack gap-3" aria-label="Delete the organization">
      <h2>Delete the organization</h2>
      <p className="sub">
        Skills, versions, folders, members, teams and tokens are removed after 7 days. Until then, an owner
        can restore all of it.
      </p>
      <Button w="fit-content" color="danger" onClick={() => setAsked(true)}>
        Delete {name}
      </Button>
      {isAsked && (
        <ConfirmDialog
          title={`Delete ${name}`}
          action="Delete organization"
          phrase={slug}
          isDangerous
          run={async () => {
            await deleteOrganization(slug);
            await client.invalidateQueries({ queryKey: organizationQuery(slug).queryKey });
            await client.invalidateQueries({ queryKey: identityQuery.queryKey });
          }}
          onClose={() => setAsked(false)}
        >
          <p>
            From now on, {name} does not exist for anyone but its owners: skills can&apos;t be installed,
            tokens are refused, and the connected repository is not synced.
          </p>
          <p className="sub">
            Owners can restore it for 7 days. After that, everything is erased, and the slug stays reserved.
          </p>
        </ConfirmDialog>
      )}
    </section>
  );
}
