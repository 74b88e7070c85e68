/** Description of an organization with public skills: its collections, and its latest skills. */
import type { PublicOrganizationPayload } from "../../contract/payloads/discovery/catalog.ts";
import type { PublicCollectionPayload } from "../../contract/payloads/skills/collections.ts";
import { countText } from "../../contract/text/count-text.ts";
import type { Actor } from "../access/actor.ts";
import type { App } from "../app.ts";
import type { PageDescription } from "../http/dashboard/describe.ts";
import { html, type Html } from "../http/pages/html.ts";
import { showHidden } from "../http/pages/show-hidden.ts";
import { readPublicOrganization } from "../skills/catalog/public-organization.ts";
import { listPublicCollections } from "../skills/collections/public.ts";
import { listPublicSkillsOf } from "../skills/search/search.ts";
import { describeList, shownSkills } from "./describe-list.ts";
import { organizationCard, tagOfCard } from "./pictures/card.ts";

/** Undefined for an organization without public skills, which may not exist. */
export async function describeOrganization(
  app: App,
  visitor: Actor,
  org: string,
): Promise<PageDescription | undefined> {
  const { items } = await listPublicSkillsOf(app, visitor, org, { limit: shownSkills });
  const slug = items[0]?.tenantSlug;
  if (slug === undefined) return undefined;
  const [organization, collections] = await Promise.all([
    readPublicOrganization(app, slug),
    listPublicCollections(app, visitor, slug),
  ]);
  const { name, description, avatarUrl } = organization;
  const title = showHidden(name);
  const sentence = description === "" ? `Public agent skills of ${title}.` : showHidden(description);
  return describeList(app, items, {
    title,
    path: `/${slug}`,
    sentence,
    list: `/${slug}/llms.txt`,
    picture: `${app.config.baseUrl}/${slug}/card.png?v=${tagOfCard(organizationCard(app, organization))}`,
    about: {
      "@type": "Organization",
      name: title,
      description: sentence,
      url: `${app.config.baseUrl}/${slug}`,
      logo: avatarUrl ?? undefined,
    },
    introduction: html`${factsOf(organization)} ${collections.map((one) => collectionOf(slug, one))}
      <h2>Latest skills</h2>`,
  });
}

const factsOf = ({ publicSkills, publicSkillsIsExact, downloads }: PublicOrganizationPayload): Html =>
  html`<p>
    ${publicSkillsIsExact ? "" : "More than "}${countText(publicSkills, "public skill")},
    ${countText(downloads, "download")}.
  </p>`;

const collectionOf = (
  org: string,
  { slug, name, description, skillCount, skills }: PublicCollectionPayload,
) =>
  html`<h2><a href="/${org}?collection=${slug}">${showHidden(name)}</a></h2>
    ${description !== "" && html`<p>${showHidden(description)}</p>`}
    <ul>
      ${skills.map(
        (skill) =>
          html`<li><a href="/${org}/${skill.slug}">${skill.slug}</a>: ${showHidden(skill.description)}</li> `,
      )}
      ${skillCount > skills.length && html`<li>and ${skillCount - skills.length} more</li>`}
    </ul>`;
