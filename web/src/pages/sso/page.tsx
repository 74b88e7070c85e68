import { createFileRoute } from "@tanstack/react-router";
import { OrganizationPage } from "../../parts/organization-page.tsx";
import { AutoJoinPanel } from "./auto-join.tsx";
import { Domains } from "./domains.tsx";
import "./sso.css";

export const Route = createFileRoute("/$org/-/sso")({ component: SsoPage });

function SsoPage() {
  const { org } = Route.useParams();
  return (
    <OrganizationPage org={org} title="Single sign-on" permission={["sso", "manage"]}>
      {(organization) => (
        <div className="page stack g6">
          <div className="stack g2">
            <h1>Single sign-on</h1>
            <p className="sub">
              Which e-mail addresses belong to <bdi>{organization.name}</bdi>, and who becomes a member by
              theirs.
            </p>
          </div>
          <Domains org={org} />
          <AutoJoinPanel org={org} organization={organization} />
        </div>
      )}
    </OrganizationPage>
  );
}
