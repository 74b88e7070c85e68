import { createFileRoute } from "@tanstack/react-router";
import { may } from "../../api/account/session.ts";
import { OrganizationPage } from "../../parts/page/organization-page.tsx";
import { Avatar } from "./avatar.tsx";
import { DangerZone } from "./danger-zone.tsx";
import { HostedConnectors } from "./hosted-connectors.tsx";
import { Identity } from "./identity.tsx";
import { Marketplaces } from "./marketplaces.tsx";
import { PublicRegistry } from "./public-registry.tsx";
import { RelatedWords } from "./related-words.tsx";
import { ReservedSlugs } from "./reserved-slugs.tsx";
import { Restore } from "./restore.tsx";
import { ScanPolicyForm } from "./scan-policy.tsx";
import { SkillIndex } from "./skill-index.tsx";
import { Storage } from "./storage.tsx";
import { TokenAge } from "./token-age.tsx";

export const Route = createFileRoute("/$org/-/settings")({ component: SettingsPage });

function SettingsPage() {
  const { org } = Route.useParams();
  return (
    <OrganizationPage org={org} title="Settings">
      {(organization) => {
        // While an organization waits to be erased, its owners can do one thing.
        if (organization.deletionAt !== undefined) return <Restore organization={organization} />;
        const { permissions } = organization;
        const canUpdate = may(permissions, "organization", "update");
        return (
          <div className="page stack gap-6">
            <h1>Settings</h1>
            {canUpdate ? (
              <>
                <Identity key={organization.slug} organization={organization} />
                <Avatar organization={organization} />
                <SkillIndex slug={organization.slug} />
                <RelatedWords slug={organization.slug} />
                <HostedConnectors organization={organization} />
                {may(permissions, "mcpServer", "update") && <PublicRegistry organization={organization} />}
              </>
            ) : (
              <p className="note">
                You need the permission to <b>update the organization</b> to change the name, slug and avatar
                of {organization.name}. An owner or admin can give it to you.
              </p>
            )}
            <Marketplaces slug={organization.slug} />
            <Storage slug={organization.slug} />
            {may(permissions, "security", "manage") && (
              <>
                <TokenAge organization={organization} />
                <ScanPolicyForm organization={organization} />
              </>
            )}
            {may(permissions, "organization", "delete") && (
              <>
                <ReservedSlugs slug={organization.slug} />
                <DangerZone organization={organization} />
              </>
            )}
          </div>
        );
      }}
    </OrganizationPage>
  );
}
