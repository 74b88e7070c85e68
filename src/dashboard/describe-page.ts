/**
 * Describes pages of the dashboard for clients that run no script. An anonymous actor decides: what is private,
 * restricted, taken down or unlisted has no description, like what does not exist.
 */
import { slugPattern } from "../../contract/names/slug.ts";
import type { Actor } from "../access/actor.ts";
import type { App } from "../app.ts";
import { ServiceError, SkillRenamed } from "../errors.ts";
import {
  acceptsHtml,
  type DescribePage,
  type PageAddress,
  type PageDescription,
} from "../http/dashboard/describe.ts";
import type { RequestInfo } from "../http/route.ts";
import { loadSkill } from "../skills/load.ts";
import { markdownReply, prefersMarkdown } from "../skills/pages/skill-text.ts";
import { describeCatalog } from "./describe-list.ts";
import { describeOrganization } from "./describe-organization.ts";
import { describeSkill } from "./describe-skill.ts";

export function pageDescriber(app: App): DescribePage {
  return async ({ org, slug }, visitor, request) => {
    // Other addresses are pages of the dashboard, or nothing.
    if (org !== undefined && slug !== undefined && slugPattern.test(slug) && prefersMarkdown(request)) {
      const actor = await request.authenticate!();
      const skill = await loadSkill(app, actor, `${org}~${slug}`, "skill:read", { typed: `${org}/${slug}` });
      return markdownReply(app, { actor, skill, request }, { isWhole: true });
    }
    return describeForAnyone(app, { org, slug }, visitor, request);
  };
}

/**
 * A browser gets the page in any case: without a description if the caller has no budget left or the database fails. A
 * program, for which the description is the page, gets the error.
 */
async function describeForAnyone(
  app: App,
  { org, slug }: PageAddress,
  visitor: Actor,
  request: RequestInfo,
): Promise<PageDescription | undefined> {
  try {
    if (slug !== undefined && !slugPattern.test(slug)) return undefined;
    await app.rateLimits.consume("general", visitor.origin);
    if (org === undefined) return await describeCatalog(app, visitor);
    if (slug === undefined) return await describeOrganization(app, visitor, org);
    return await describeSkill(app, visitor, `${org}~${slug}`);
  } catch (error) {
    if (error instanceof SkillRenamed) throw error;
    // Whatever the reason, a resource that is not public is treated like one that does not exist.
    if (error instanceof ServiceError && error.code !== "rate_limited") return undefined;
    if (org !== undefined && !acceptsHtml(request)) throw error;
    if (!(error instanceof ServiceError))
      app.log.warn({ error, requestId: request.requestId }, "a page could not be described");
    return undefined;
  }
}
