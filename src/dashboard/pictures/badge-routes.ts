/** `/{org}/{slug}/badge.svg`: the badge of a public skill. Any other skill has that of one that does not exist. */
import { createHash } from "node:crypto";
import { z } from "zod";
import { toOneLine } from "../../../contract/checks/unsafe-characters.ts";
import type { App } from "../../app.ts";
import { Reply, route, type Route } from "../../http/route.ts";
import { notModified } from "../../http/service/conditional.ts";
import { drawingPolicy } from "../../http/service/security.ts";
import { findPublicSkill, PublicSkillParams } from "../../skills/catalog/public-skill.ts";
import { drawBadge } from "./badge.ts";

const maxLabel = 60;
const BadgeQuery = z.object({
  label: z
    .string()
    .max(maxLabel)
    .transform(toOneLine)
    .optional()
    .meta({ description: "text on the left; default: organization and slug" }),
});

/** GitHub's image proxy keeps a picture for as long as its origin says. A release shows within these. */
const cachedSeconds = 300;

export function badgeRoutes(app: App): Route[] {
  return [
    route({
      method: "get",
      path: "/:org/:slug/badge.svg",
      summary: "Badge of a public skill, with its current version",
      tag: "Pages",
      auth: "optional",
      ignoresCookies: true,
      crossOrigin: "always",
      params: PublicSkillParams,
      query: BadgeQuery,
      produces: "image/svg+xml",
      async handle({ actor, params, query, request }) {
        const skill = await findPublicSkill(app, actor, params);
        const label = query.label ?? (skill ? `${skill.tenantSlug}/${skill.slug}` : "skill");
        const svg = await drawBadge({ label, semver: skill?.current.semver });
        const headers = {
          etag: `"${createHash("sha256").update(svg).digest("hex").slice(0, 32)}"`,
          "cache-control": skill ? `public, max-age=${cachedSeconds}` : "no-cache",
          "content-security-policy": drawingPolicy,
          // For readmes on other sites.
          "cross-origin-resource-policy": "cross-origin",
        };
        const type = "image/svg+xml; charset=utf-8";
        if (!skill) return new Reply(svg, { status: 404, type, headers });
        return notModified(request, headers) ?? new Reply(svg, { type, headers });
      },
    }),
  ];
}
