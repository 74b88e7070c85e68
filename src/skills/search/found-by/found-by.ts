/**
 * For those who may edit a skill: phrases that find it first, and its place for a phrase of theirs. Both are results of
 * the search that the caller could make, so they contain only skills that the caller may read, and count only those.
 */
import { mapLimit } from "../../../../contract/concurrency/map-limit.ts";
import { SingleFlight } from "../../../../contract/concurrency/single-flight.ts";
import { cutFences } from "../../../../contract/document/frontmatter.ts";
import type { FoundByPhrases, FoundByPosition } from "../../../../contract/payloads/discovery/found-by.ts";
import { credentialKey, type Actor } from "../../../access/actor.ts";
import type { App } from "../../../app.ts";
import { perApp } from "../../../per-app.ts";
import { loadSkill } from "../../load.ts";
import { readText } from "../../read/content.ts";
import { selectVersion } from "../../versions/select-version.ts";
import { searchSkills } from "../search-skills.ts";
import { phrasesOf } from "./phrases.ts";

const maxPhrases = 5;
/** Searches of one request. */
const maxTried = 12;
const searchConcurrency = 2;
const maxPosition = 50;
const maxBefore = 10;

/** Requests for phrases that search at a time. */
const requestConcurrency = 2;
const searching = perApp(() => new SingleFlight<FoundByPhrases>(requestConcurrency));

export async function findPhrases(app: App, actor: Actor, ref: string): Promise<FoundByPhrases> {
  const skill = await loadSkill(app, actor, ref, "skill:update");
  return searching(app).run(`${credentialKey(actor)} ${skill._id}`, async () => {
    const version = await selectVersion(app, skill, { kind: "current" });
    const { content } = await readText(app, skill, version);
    const body = cutFences(content)?.body ?? content;
    const tried = phrasesOf({ ...skill, body }, maxTried);
    const phrases: string[] = [];
    await mapLimit(tried, searchConcurrency, async (query) => {
      if (phrases.length >= maxPhrases) return;
      const { hits } = await searchSkills(app, actor, { query, scope: "all", limit: 1 });
      if (hits[0]?.skill._id === skill._id) phrases.push(query);
    });
    return { phrases: phrases.slice(0, maxPhrases), tried: tried.length };
  });
}

export async function findPosition(
  app: App,
  actor: Actor,
  ref: string,
  query: string,
): Promise<FoundByPosition> {
  const skill = await loadSkill(app, actor, ref, "skill:update");
  const { hits } = await searchSkills(app, actor, { query, scope: "all", limit: maxPosition });
  const at = hits.findIndex((hit) => hit.skill._id === skill._id);
  const before = (at === -1 ? hits : hits.slice(0, at)).slice(0, maxBefore);
  return {
    query,
    position: at === -1 ? null : at + 1,
    before: before.map(({ skill: { publicId, slug, tenantSlug, name, description } }) => ({
      publicId,
      slug,
      tenantSlug,
      name,
      description,
    })),
  };
}
