import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { createFileRoute } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { useState } from "react";
import { tokensQuery } from "../../api/account/tokens.ts";
import { OrganizationPage } from "../../parts/page/organization-page.tsx";
import { Empty } from "../../parts/states/empty.tsx";
import { NewToken } from "./new-token.tsx";
import { TokenList } from "./token-list.tsx";

export const Route = createFileRoute("/$org/-/tokens")({ component: TokensPage });

function TokensPage() {
  const { org } = Route.useParams();
  const tokens = useQuery(tokensQuery(org));
  const [isCreating, setCreating] = useState(false);
  return (
    <OrganizationPage
      org={org}
      title="API tokens"
      permission={["apiToken", "manage"]}
      subject={tokens}
      renderActions={() => (
        <Button size="xs" leftSection={<Plus size={14} />} onClick={() => setCreating(true)}>
          New token
        </Button>
      )}
    >
      {(organization) => (
        <div className="page stack gap-4">
          <h1>API tokens</h1>
          <p className="sub">
            Tokens of {organization.name} act as the organization, for continuous integration and other
            programs. They stay valid when their creator leaves.
          </p>
          {tokens.data?.length === 0 ? (
            <Empty title="No tokens yet">
              <Button variant="default" w="fit-content" onClick={() => setCreating(true)}>
                New token
              </Button>
            </Empty>
          ) : (
            <TokenList org={org} tokens={tokens.data ?? []} />
          )}
          {isCreating && (
            <NewToken org={org} organization={organization} onClose={() => setCreating(false)} />
          )}
        </div>
      )}
    </OrganizationPage>
  );
}
