import "./public-page.css";
import { useInfiniteQuery, useSuspenseQuery } from "@tanstack/react-query";
import { createFileRoute, redirect } from "@tanstack/react-router";
import { publicOrganizationQuery, catalogQuery } from "../../api/catalog.ts";
import { identityQuery } from "../../api/session.ts";
import { Initials } from "../../parts/avatar.tsx";
import { List } from "../../parts/lists/list-section.tsx";
import { Page } from "../../parts/page.tsx";
import { visibleText } from "../../parts/visible-text.ts";
import { SkillList } from "./skill-list.tsx";

interface PublicPageSearch {
  /** A member sees the page as visitors do, in place of the library. */
  preview?: true;
}

export const Route = createFileRoute("/$org/")({
  validateSearch: (raw: Record<string, unknown>): PublicPageSearch => ({
    preview: raw["preview"] === true || undefined,
  }),
  loaderDeps: ({ search: { preview } }) => ({ preview }),
  loader: async ({ context: { client }, params: { org }, deps: { preview } }) => {
    const identity = await client.ensureQueryData(identityQuery);
    if (!preview && identity?.memberships.some(({ slug }) => slug === org))
      throw redirect({ href: `/${org}/-/library`, replace: true });
    const organization = await client.ensureQueryData(publicOrganizationQuery(org));
    if (organization.slug !== org) throw redirect({ href: `/${organization.slug}`, replace: true });
  },
  component: PublicOrganization,
});

function PublicOrganization() {
  const { org } = Route.useParams();
  const { data: organization } = useSuspenseQuery(publicOrganizationQuery(org));
  const found = useInfiniteQuery(catalogQuery({ tenant: org, sort: "downloads" }));
  const { publicSkills: count, publicSkillsIsExact: isExact } = organization;
  const name = visibleText(organization.name);
  return (
    <Page title={name} crumbs={[{ label: org }]}>
      <div className="page public-page">
        <header className="row">
          <Initials name={organization.name} src={organization.avatarUrl} isOrganization />
          <h1 className="clip">{name}</h1>
        </header>
        <p className="sub">{visibleText(organization.description)}</p>
        <h2>
          {count === 1
            ? "1 public skill"
            : `${isExact ? "" : "over "}${count.toLocaleString("en")} public skills`}
        </h2>
        <List found={found} rows={4} rowHeight={58} more="Show more skills" empty={<SkillList items={[]} />}>
          {(items) => <SkillList items={items} />}
        </List>
      </div>
    </Page>
  );
}
