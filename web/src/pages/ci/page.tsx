import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { createFileRoute } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { useState } from "react";
import { limits } from "../../../../contract/limits.ts";
import { issuersQuery, policiesQuery, type Policy } from "../../api/organization/ci.ts";
import { OrganizationPage } from "../../parts/page/organization-page.tsx";
import { Empty } from "../../parts/states/empty.tsx";
import type { Draft } from "./draft.ts";
import { PolicyDialog } from "./policy-dialog.tsx";
import { PolicyList } from "./policy-list.tsx";
import { TokenTest } from "./token-test.tsx";
import { Workflow } from "./workflow.tsx";
import "./ci.css";

export const Route = createFileRoute("/$org/-/ci")({ component: CiPage });

interface Edited {
  /** Undefined for a new one. */
  policy?: Policy;
  proposed?: Partial<Draft>;
}

function CiPage() {
  const { org } = Route.useParams();
  const policies = useQuery(policiesQuery(org));
  const { data: issuers = [] } = useQuery(issuersQuery(org));
  const [edited, setEdited] = useState<Edited>();
  const list = policies.data ?? [];
  const isFull = list.length >= limits.oidcPolicies;
  return (
    <OrganizationPage
      org={org}
      title="CI"
      heading="Publish from CI"
      permission={["oidc", "manage"]}
      subject={policies}
      renderActions={() => (
        <Button
          size="xs"
          leftSection={<Plus size={14} />}
          disabled={isFull || issuers.length === 0}
          onClick={() => setEdited({})}
        >
          New trust policy
        </Button>
      )}
    >
      {(organization) => (
        <div className="page stack">
          <div className="stack">
            <h1>Publish from CI</h1>
            <p className="sub">
              Pipelines that a trust policy names publish to {organization.name} without a stored secret: they
              exchange the identity of their job for an API token of one hour.
            </p>
          </div>
          {list.length === 0 ? (
            <NoPolicies onCreate={() => setEdited({})} />
          ) : (
            <PolicyList org={org} policies={list} onEdit={(policy) => setEdited({ policy })} />
          )}
          {list.length > 0 && <Workflow org={org} policies={list} issuers={issuers} />}
          <TokenTest
            org={org}
            policies={list}
            onPropose={(policy, proposed) => setEdited({ policy, proposed })}
          />
          {edited && (
            <PolicyDialog
              org={org}
              organization={organization}
              issuers={issuers}
              policy={edited.policy}
              proposed={edited.proposed ?? {}}
              onClose={() => setEdited(undefined)}
            />
          )}
        </div>
      )}
    </OrganizationPage>
  );
}

const NoPolicies = ({ onCreate }: { onCreate: () => void }) => (
  <Empty title="No trust policies yet">
    <p>Trust the pipelines of one repository and branch, then copy a workflow file for it.</p>
    <Button variant="default" w="fit-content" onClick={onCreate}>
      New trust policy
    </Button>
  </Empty>
);
