/** `/s/{publicId}`: the page of a skill, or its text for a client that requests Markdown. */
import { z } from "zod";
import type { FailureCode } from "../../../contract/errors.ts";
import type { SkillDoc } from "../../../storage/skills/skills.ts";
import type { App } from "../../app.ts";
import { ServiceError } from "../../errors.ts";
import { html } from "../../http/pages/html.ts";
import { pageReply, redirectReply } from "../../http/pages/pages.ts";
import { route, type Route } from "../../http/route.ts";
import { remedyOf } from "../../users/remedy.ts";
import { loadSkill } from "../load.ts";
import { sharePage } from "./share-page.ts";
import { markdownReply, prefersMarkdown } from "./skill-text.ts";

const titles: Partial<Record<FailureCode, string>> = {
  mfa_required: "A second factor is required",
  sso_required: "A sign-in is required",
  reauthentication_required: "Confirm who you are",
};

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
      crossOrigin: "anonymous",
      params: ShareParams,
      query: ShareQuery,
      produces: "text/html",
      async handle({ actor, params, query, request }) {
        const signedInAs = actor.kind === "user" ? actor.name : undefined;
        const asText = query.raw !== undefined || prefersMarkdown(request);
        let skill: SkillDoc;
        try {
          skill = await loadSkill(app, actor, params.publicId, "skill:read");
        } catch (error) {
          if (asText || !(error instanceof ServiceError)) throw error;
          if (error.code === "unauthenticated") {
            return redirectReply(`/sign-in?return_to=${encodeURIComponent(`/s/${params.publicId}`)}`);
          }
          const remedy = remedyOf(error, `/s/${encodeURIComponent(params.publicId)}`);
          if (remedy)
            return pageReply(
              {
                title: titles[error.code] ?? "",
                signedInAs,
                body: html`<p>${error.message}</p>
                  ${remedy}`,
              },
              { status: error.status },
            );
          return pageReply(
            {
              title: "Not found",
              signedInAs,
              body: html`<p>Skill not found, or you don't have access to it.</p>`,
            },
            { status: 404 },
          );
        }
        if (asText) return markdownReply(app, { actor, skill, request }, { isWhole: false });
        return sharePage(app, actor, skill);
      },
    }),
  ];
}
