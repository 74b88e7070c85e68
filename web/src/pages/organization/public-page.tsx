import "./public/public-page.css";
import { useSuspenseQuery } from "@tanstack/react-query";
import { createFileRoute, redirect, useNavigate } from "@tanstack/react-router";
import { identityQuery, type Identity } from "../../api/account/session.ts";
import {
  isNarrowed,
  organizationSearchQuery,
  publicCollectionsQuery,
  publicOrganizationQuery,
  readOrganizationSearch,
  type OrganizationSearch,
} from "../../api/public-organization.ts";
import { Page } from "../../parts/page/page.tsx";
import { visibleText } from "../../parts/text/visible-text.ts";
import { WholeCollection } from "./public/collection.tsx";
import { Collections } from "./public/collections.tsx";
import { Header } from "./public/header.tsx";
import { OrganizationSkills } from "./public/skills.tsx";
import { Start } from "./public/start.tsx";

export const Route = createFileRoute("/$org/")({
  validateSearch: readOrganizationSearch,
  loaderDeps: ({ search }) => search,
  loader: async ({ context: { client }, params: { org }, deps }) => {
    const leaveAsMember = (identity: Identity | null | undefined) => {
      if (!deps.preview && identity?.memberships.some(({ slug }) => slug === org))
        throw redirect({ href: `/${org}/-/library`, replace: true });
    };
    // Links are loaded before they are followed, and a member's organization may have no public page.
    leaveAsMember(client.getQueryData(identityQuery.queryKey));
    const organization = client.ensureQueryData(publicOrganizationQuery(org));
    // A failure of these is shown where their content would be.
    void client.prefetchInfiniteQuery(organizationSearchQuery(org, deps));
    void client.prefetchQuery(publicCollectionsQuery(org));
    organization.catch(() => undefined);
    leaveAsMember(await client.ensureQueryData(identityQuery));
    const { slug } = await organization;
    if (slug !== org) throw redirect({ to: "/$org", params: { org: slug }, search: deps, replace: true });
  },
  component: PublicOrganizationPage,
});

function PublicOrganizationPage() {
  const { org } = Route.useParams();
  const search = Route.useSearch();
  const navigate = useNavigate({ from: Route.fullPath });
  const { data: organization } = useSuspenseQuery(publicOrganizationQuery(org));
  const change = (part: Partial<OrganizationSearch>) =>
    void navigate({ search: (old) => ({ ...old, ...part }), replace: true, resetScroll: false });
  return (
    <Page title={visibleText(organization.name)} crumbs={[{ label: org }]}>
      <div className="public-page">
        <Header organization={organization} />
        <div className="stack gap-6 content">
          {search.collection === undefined ? (
            <>
              {!isNarrowed(search) && <Collections org={org} />}
              <OrganizationSkills org={org} search={search} onChange={change} />
            </>
          ) : (
            <WholeCollection org={org} slug={search.collection} />
          )}
        </div>
        <Start org={org} search={search} />
      </div>
    </Page>
  );
}
