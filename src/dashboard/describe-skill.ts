import type { SkillDoc } from "../../storage/skills/skills.ts";
import type { VersionDoc } from "../../storage/versions/versions.ts";
import type { Actor } from "../access/actor.ts";
import type { App } from "../app.ts";
import type { PageDescription } from "../http/dashboard/describe.ts";
import { html } from "../http/pages/html.ts";
import { showHidden } from "../http/pages/show-hidden.ts";
import { isShared, loadOpenSkill } from "../skills/load.ts";
import { warningsAbout } from "../skills/marks/marks.ts";
import { readmeHtml } from "../skills/pages/skill-text.ts";
import { shownVersion } from "../skills/versions/select-version.ts";
import { descriptionOf } from "./description-of.ts";
import { skillCard, tagOfCard } from "./pictures/card.ts";

/** Undefined for a skill that is not in the catalog. */
export async function describeSkill(
  app: App,
  visitor: Actor,
  ref: string,
): Promise<PageDescription | undefined> {
  const skill = await loadOpenSkill(app, visitor, ref);
  if (!isShared(skill) || skill.withheld) return undefined;
  const version = await shownVersion(app, skill);
  if (!version) return undefined;
  const { baseUrl } = app.config;
  const name = `${skill.tenantSlug}/${skill.slug}`;
  const description = showHidden(descriptionOf(skill));
  return {
    title: name,
    description,
    url: `${baseUrl}/${name}`,
    alternate: { href: `${baseUrl}/${name}`, type: "text/markdown" },
    data: skillData(app, skill, version, description),
    picture: `${baseUrl}/${name}/card.png?v=${tagOfCard(skillCard(app, skill))}`,
    body: html`
      <h1>${name}</h1>
      ${warningsAbout(skill, version).map((warning) => html`<p>${showHidden(warning)}</p>`)}
      <p>${showHidden(skill.description)}</p>
      <p>
        Version ${version.semver} of ${version.createdAt.toISOString().slice(0, 10)}${authorOf(skill)}.
        Install it with <code>svc install ${name}</code>, or read it
        <a href="/s/${skill.publicId}">without script</a> or
        <a href="/s/${skill.publicId}?raw">as Markdown</a>. More skills of
        <a href="/${skill.tenantSlug}">${skill.tenantSlug}</a>.
      </p>
      ${skill.tags.length > 0 && html`<p>Tags: ${skill.tags.map(showHidden).join(", ")}</p>`}
      <article>${await readmeHtml(app, visitor, skill, version)}</article>
    `,
  };
}

const authorOf = ({ author }: SkillDoc) => (author ? html` by <bdi>${showHidden(author.name)}</bdi>` : "");

function skillData(app: App, skill: SkillDoc, version: VersionDoc, description: string) {
  const { baseUrl } = app.config;
  const name = `${skill.tenantSlug}/${skill.slug}`;
  return {
    "@type": "SoftwareSourceCode",
    name: showHidden(skill.name),
    description,
    url: `${baseUrl}/${name}`,
    identifier: skill.publicId,
    version: version.semver,
    codeRepository: `${baseUrl}/${name}.git`,
    dateCreated: skill.createdAt.toISOString(),
    dateModified: skill.updatedAt.toISOString(),
    keywords: skill.tags.map(showHidden),
    author: skill.author ? { "@type": "Person", name: showHidden(skill.author.name) } : undefined,
    interactionStatistic: {
      "@type": "InteractionCounter",
      interactionType: "https://schema.org/DownloadAction",
      userInteractionCount: skill.downloads,
    },
  };
}
