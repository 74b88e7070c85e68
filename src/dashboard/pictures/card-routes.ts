/** `/{org}/{slug}/card.png` and `/{org}/card.png`: the pictures that previews of links show. */
import { z } from "zod";
import type { App } from "../../app.ts";
import type { Card } from "../../compute/pieces/card/draw-card.ts";
import { notFound } from "../../errors.ts";
import { Reply, routesOf, type RequestInfo, type Route } from "../../http/route.ts";
import { notModified } from "../../http/service/conditional.ts";
import { readPublicOrganization } from "../../skills/catalog/public-organization.ts";
import { findPublicSkill, PublicSkillParams } from "../../skills/catalog/public-skill.ts";
import { drawCard, organizationCard, skillCard, tagOfCard } from "./card.ts";

const cachedSeconds = 3600;
const CardQuery = z.object({
  v: z.string().max(64).optional().meta({ description: "as in the page; changes with the picture" }),
});
const route = routesOf({
  method: "get",
  tag: "Pages",
  auth: "optional",
  crossOrigin: "always",
  budget: "picture",
});

export function cardRoutes(app: App): Route[] {
  return [
    route({
      path: "/:org/:slug/card.png",
      summary: "Picture of a public skill for previews of links",
      ignoresCookies: true,
      params: PublicSkillParams,
      query: CardQuery,
      produces: "image/png",
      async handle({ actor, params, request }) {
        const skill = await findPublicSkill(app, actor, params);
        if (!skill) throw notFound("skill", `${params.org}/${params.slug}`);
        return cardReply(app, request, skillCard(app, skill));
      },
    }),
    route({
      path: "/:org/card.png",
      summary: "Picture of an organization with public skills for previews of links",
      ignoresCookies: true,
      params: PublicSkillParams.pick({ org: true }),
      query: CardQuery,
      produces: "image/png",
      async handle({ params, request }) {
        return cardReply(app, request, organizationCard(app, await readPublicOrganization(app, params.org)));
      },
    }),
  ];
}

async function cardReply(app: App, request: RequestInfo, card: Card): Promise<Reply> {
  const headers = {
    etag: `"${tagOfCard(card)}"`,
    "cache-control": `public, max-age=${cachedSeconds}`,
    "cross-origin-resource-policy": "cross-origin",
  };
  return (
    notModified(request, headers) ?? new Reply(await drawCard(app, card), { type: "image/png", headers })
  );
}
