/** Description of the catalog, and what it shares with that of an organization. */
import type { SkillDoc } from "../../storage/skills/skills.ts";
import type { Actor } from "../access/actor.ts";
import type { App } from "../app.ts";
import type { PageDescription } from "../http/dashboard/describe.ts";
import { html, type Html } from "../http/pages/html.ts";
import { showHidden } from "../http/pages/show-hidden.ts";
import { exploreSkills } from "../skills/search/search.ts";
import { descriptionOf } from "./description-of.ts";

/** Skills that a page lists; the list for agents has all of them. */
export const shownSkills = 50;

export async function describeCatalog(app: App, visitor: Actor): Promise<PageDescription> {
  const { items } = await exploreSkills(app, visitor, { limit: shownSkills, sort: "updated" });
  return describeList(app, items, {
    title: "Explore skills",
    path: "/explore",
    sentence: "Public agent skills of this registry, the latest first.",
    list: "/llms.txt",
  });
}

interface ListPage {
  title: string;
  path: string;
  sentence: string;
  /** Address of the list for agents. */
  list: string;
  picture?: string;
  /** schema.org data of the subject of the page. */
  about?: Record<string, unknown>;
  /** Text above the list. */
  introduction?: Html;
}

export function describeList(
  app: App,
  skills: SkillDoc[],
  { title, path, sentence, list, picture, about, introduction }: ListPage,
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
      about,
      mainEntity: {
        "@type": "ItemList",
        itemListElement: skills.map((skill, index) => ({
          "@type": "ListItem",
          position: index + 1,
          name: `${skill.tenantSlug}/${skill.slug}`,
          description: showHidden(descriptionOf(skill)),
          url: `${baseUrl}/${skill.tenantSlug}/${skill.slug}`,
        })),
      },
    },
    body: html`
      <h1>${title}</h1>
      <p>${sentence} <a href="${list}">All of them as a list for agents</a>.</p>
      ${introduction}
      <ul>
        ${skills.map(
          (skill) =>
            html`<li>
              <a href="/${skill.tenantSlug}/${skill.slug}">${skill.tenantSlug}/${skill.slug}</a>:
              ${showHidden(descriptionOf(skill))}
            </li> `,
        )}
      </ul>
    `,
  };
}
