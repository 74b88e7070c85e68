/** `/s/{publicId}`: the page of a skill, or its text for a client that requests Markdown. */
import { z } from "zod";
import type { SkillDoc } from "../../storage/skills.ts";
import type { VersionDoc } from "../../storage/versions.ts";
import { recordDownload } from "../analytics/downloads.ts";
import type { App } from "../app.ts";
import { ServiceError } from "../errors.ts";
import { cacheHeaders, notModified } from "../http/conditional.ts";
import { html } from "../http/html.ts";
import { pageReply, redirectReply } from "../http/pages.ts";
import { Reply, route, type Route } from "../http/route.ts";
import { readContent } from "./content.ts";
import { isOpen, isShared, loadSkill } from "./load.ts";
import { selectVersion } from "./select-version.ts";

const ShareParams = z.object({ publicId: z.string().max(64) });
const ShareQuery = z.object({ raw: z.string().max(10).optional() });

export function skillPageRoutes(app: App): Route[] {
  return [
    route({
      method: "get",
      path: "/s/:publicId",
      summary: "A skill's page; its text with Accept: text/markdown or ?raw",
      tag: "Pages",
      auth: "optional",
      params: ShareParams,
      query: ShareQuery,
      produces: "text/html",
      async handle({ actor, params, query, request }) {
        const signedInAs = actor.kind === "user" ? actor.name : undefined;
        const asText = query.raw !== undefined || request.header("accept").startsWith("text/markdown");
        let skill: SkillDoc;
        try {
          skill = await loadSkill(app, actor, params.publicId, "skill:read");
        } catch (error) {
          if (asText || !(error instanceof ServiceError)) throw error;
          if (error.code === "unauthenticated") {
            return redirectReply(`/sign-in?return_to=${encodeURIComponent(`/s/${params.publicId}`)}`);
          }
          return pageReply(
            {
              title: "Not found",
              signedInAs,
              body: html`<p>Skill not found, or you don't have access to it.</p>`,
            },
            { status: 404 },
          );
        }
        const version = await selectVersion(app, skill, { kind: "current" });
        const headers = cacheHeaders(version.hash, { fixed: false, shared: isShared(skill), byAccept: true });
        const unmodified = asText ? notModified(request, headers) : undefined;
        if (unmodified) return unmodified;
        const content = await readContent(app, skill, version);
        if (asText) {
          if (!request.isHead) recordDownload(app, actor, version);
          return new Reply(content, { type: "text/markdown; charset=utf-8", headers });
        }
        return pageReply({ title: skill.name, signedInAs, body: skillPage(app, skill, version, content) });
      },
    }),
  ];
}

function skillPage(app: App, skill: SkillDoc, version: VersionDoc, content: string) {
  const files = version.format === "package" ? `${version.fileCount} files` : "one file";
  return html`
    ${
      skill.takedown &&
      html`<p class="alert">
        An administrator of this service has taken this skill down. Only members of its organization see it.
        Reason: ${skill.takedown.reason}
      </p>`
    }
    ${skill.description !== "" && html`<p>${skill.description}</p>`}
    <dl>
      <dt>Install</dt>
      <dd><code>svc install ${app.config.baseUrl}/s/${skill.publicId}</code></dd>
      <dt>From</dt>
      <dd>${skill.tenantSlug}/${skill.slug} (${skill.type}, ${skill.visibility})</dd>
      <dt>Version</dt>
      <dd>
        ${version.semver} of
        <time datetime="${version.createdAt.toISOString()}"
          >${version.createdAt.toISOString().slice(0, 10)}</time
        >, ${files}
      </dd>
      ${
        skill.tags.length > 0 &&
        html`<dt>Tags</dt>
          <dd>${skill.tags.join(", ")}</dd>`
      }
    </dl>
    <pre tabindex="0" aria-label="Text of the skill">${content}</pre>
    ${isOpen(skill) && html`<p><a href="/s/${skill.publicId}/report">Report this skill</a></p>`}
  `;
}
