/** Descriptions of the catalog and of an organization with public skills. */
import type { SkillDoc } from "../../storage/skills.ts";
import type { Actor } from "../access/actor.ts";
import type { App } from "../app.ts";
import type { PageDescription } from "../http/dashboard/describe.ts";
import { html } from "../http/pages/html.ts";
import { showHidden } from "../http/pages/show-hidden.ts";
import { readPublicOrganization } from "../skills/catalog/public-organization.ts";
import { exploreSkills, listPublicSkillsOf } from "../skills/search/search.ts";
import { organizationCard, tagOfCard } from "./pictures/card.ts";

/** Skills that a page lists; the list for agents has all of them. */
const shown = 50;

export async function describeCatalog(app: App, visitor: Actor): Promise<PageDescription> {
  const { items } = await exploreSkills(app, visitor, { limit: shown, sort: "updated" });
  return describeList(app, items, {
    title: "Explore skills",
    path: "/explore",
    sentence: "Public agent skills of this registry, the latest first.",
    list: "/llms.txt",
  });
}

/** Undefined for an organization without public skills, which may not exist. */
export async function describeOrganization(
  app: App,
  visitor: Actor,
  org: string,
): Promise<PageDescription | undefined> {
  const { items } = await listPublicSkillsOf(app, visitor, org, { limit: shown });
  const slug = items[0]?.tenantSlug;
  if (slug === undefined) return undefined;
  const card = organizationCard(app, await readPublicOrganization(app, slug));
  return describeList(app, items, {
    picture: `${app.config.baseUrl}/${slug}/card.png?v=${tagOfCard(card)}`,
    title: slug,
    path: `/${slug}`,
    sentence: `Public agent skills of ${slug}, the latest first.`,
    list: `/${slug}/llms.txt`,
  });
}

interface ListPage {
  title: string;
  path: string;
  sentence: string;
  /** Address of the list for agents. */
  list: string;
  picture?: string;
}

function describeList(
  app: App,
  skills: SkillDoc[],
  { title, path, sentence, list, picture }: ListPage,
): PageDescription {
  const { baseUrl } = app.config;
  return {
    title,
    description: sentence,
    url: `${baseUrl}${path}`,
    picture,
    alternate: { href: `${baseUrl}${list}`, type: "text/plain" },
    data: {
      "@type": "CollectionPage",
      name: title,
      description: sentence,
      url: `${baseUrl}${path}`,
      mainEntity: {
        "@type": "ItemList",
        itemListElement: skills.map(({ tenantSlug, slug, description }, index) => ({
          "@type": "ListItem",
          position: index + 1,
          name: `${tenantSlug}/${slug}`,
          description: showHidden(description),
          url: `${baseUrl}/${tenantSlug}/${slug}`,
        })),
      },
    },
    body: html`
      <h1>${title}</h1>
      <p>${sentence} <a href="${list}">All of them as a list for agents</a>.</p>
      <ul>
        ${skills.map(
          ({ tenantSlug, slug, description }) =>
            html`<li>
              <a href="/${tenantSlug}/${slug}">${tenantSlug}/${slug}</a>: ${showHidden(description)}
            </li> `,
        )}
      </ul>
    `,
  };
}
