/** Search for agents: the caller's own skills and public ones in one list, the best matches first, with reasons. */
import { z } from "zod";
import { cutAtWord } from "../../../contract/cut-text.ts";
import { skillTypes } from "../../../contract/vocabulary.ts";
import type { SkillDoc } from "../../../storage/skills.ts";
import type { Actor } from "../../access/actor.ts";
import { membershipIn } from "../../access/decide.ts";
import type { App } from "../../app.ts";
import { unauthenticated } from "../../errors.ts";
import { decodeCursor, encodeCursor } from "../../http/request/cursor.ts";
import { tool, type Tool } from "../../mcp/tools/tool.ts";
import { refOf } from "../resolve.ts";
import { ListQuery } from "../schema.ts";
import { exploreSkills, listSkills } from "../search/search.ts";
import { nextCursor } from "./input.ts";
import { matchFields, matchOf, type MatchField } from "./rank.ts";

const shownLimit = 20;
/** Results of each list that are ranked together. */
const rankedTogether = 50;
const shownDescription = 300;

const SearchSkills = z.strictObject({
  query: ListQuery.shape.query.meta({ description: "words of the task; all of them must match" }),
  type: z.enum(skillTypes).optional(),
  tag: ListQuery.shape.tag,
  organization: z.string().min(1).max(64).optional().meta({ description: "slug of one organization" }),
  mine: z.boolean().default(false).meta({ description: "only skills of your own organizations" }),
  limit: z.number().int().min(1).max(shownLimit).default(10),
  cursor: z.string().max(1500).optional().meta({ description: "nextCursor of the result before" }),
});
type SearchSkills = z.output<typeof SearchSkills>;

const FoundSkill = z.object({
  skill: z.string().meta({ description: "organization/slug, for the other tools" }),
  publicId: z.string(),
  name: z.string(),
  description: z.string(),
  type: z.enum(skillTypes),
  tags: z.array(z.string()),
  version: z.string().meta({ description: "current version" }),
  own: z.boolean().meta({ description: "of one of your organizations" }),
  matched: z.array(z.enum(matchFields)).meta({ description: "where the words of the query were found" }),
});
type FoundSkill = z.infer<typeof FoundSkill>;

export function searchTool(app: App): Tool {
  return tool({
    name: "search_skills",
    title: "Search skills",
    description:
      "Finds skills and rules by words of a task, tag, type or organization: those of the caller's organizations and " +
      "public ones, the best matches first. Read one with read_skill.",
    input: SearchSkills,
    output: z.object({ skills: z.array(FoundSkill), nextCursor }),
    effect: "read",
    budget: "search",
    async handle({ actor, input }) {
      const page = await searchSkills(app, actor, input);
      return { data: { skills: page.items, nextCursor: page.nextCursor }, text: textOf(page) };
    },
  });
}

interface Found {
  items: FoundSkill[];
  nextCursor: string | null;
}

/** Cursors of the own and the public list, and the results of both that were shown already. */
const Cursor = z.tuple([z.string().max(500), z.string().max(500), z.number().int().min(0).max(200)]);
const start = "";
const end = "-";

async function searchSkills(app: App, actor: Actor, input: SearchSkills): Promise<Found> {
  if (input.mine && actor.kind === "anonymous")
    throw unauthenticated("Your own skills need a sign-in: send Authorization: Bearer, or leave mine out.");
  const [ownAt, publicAt, shown] = decodeCursor(input.cursor, Cursor) ?? [start, start, 0];
  const [own, open] = await Promise.all([
    listOwn(app, actor, input, ownAt),
    listOpen(app, actor, input, publicAt),
  ]);
  const ownIds = new Set(own.items.map(({ _id }) => _id));
  const ranked = [...own.items, ...open.items.filter(({ _id }) => !ownIds.has(_id))]
    .map((skill) => ({ skill, match: matchOf(skill, input.query) }))
    .sort((a, b) => b.match.score - a.match.score);
  const until = shown + input.limit;
  const items = ranked.slice(shown, until).map(({ skill, match }) => present(actor, skill, match.matched));
  if (ranked.length > until) return { items, nextCursor: encodeCursor([ownAt, publicAt, until]) };
  const isLast = own.nextCursor === null && open.nextCursor === null;
  return {
    items,
    nextCursor: isLast ? null : encodeCursor([own.nextCursor ?? end, open.nextCursor ?? end, 0]),
  };
}

interface Listed {
  items: SkillDoc[];
  nextCursor: string | null;
}
const nothing: Listed = { items: [], nextCursor: null };

async function listOwn(app: App, actor: Actor, input: SearchSkills, at: string): Promise<Listed> {
  const { query, type, tag, organization } = input;
  const isOwn =
    actor.kind !== "anonymous" &&
    (organization === undefined || input.mine || isMemberOf(actor, organization));
  if (at === end || !isOwn) return nothing;
  return listSkills(app, actor, {
    query,
    type,
    tag,
    tenant_id: organization,
    limit: rankedTogether,
    cursor: at === start ? undefined : at,
  });
}

async function listOpen(app: App, actor: Actor, input: SearchSkills, at: string): Promise<Listed> {
  const { query, type, tag, organization } = input;
  if (at === end || input.mine || (organization !== undefined && isMemberOf(actor, organization)))
    return nothing;
  return exploreSkills(app, actor, {
    query,
    type,
    tag,
    tenant: organization,
    sort: "downloads",
    limit: rankedTogether,
    cursor: at === start ? undefined : at,
  });
}

const isMemberOf = (actor: Actor, slug: string) =>
  actor.kind !== "anonymous" && actor.memberships.some(({ tenantSlug }) => tenantSlug === slug);

function present(actor: Actor, skill: SkillDoc, matched: MatchField[]): FoundSkill {
  return {
    skill: refOf(skill),
    publicId: skill.publicId,
    name: skill.name,
    description: cutAtWord(skill.description, shownDescription),
    type: skill.type,
    tags: skill.tags,
    version: skill.current.semver,
    own: membershipIn(actor, skill.tenantId) !== undefined,
    matched,
  };
}

function textOf({ items, nextCursor: next }: Found): string {
  if (items.length === 0) return "No skills were found: try fewer or other words.";
  const lines = items.map(({ skill, name, description, type, matched }) => {
    const reason = matched.length === 0 ? "" : ` [${matched.join(", ")}]`;
    return `- ${skill} (${type}): ${description || name}${reason}`;
  });
  return [...lines, ...(next === null ? [] : ["There are more: continue with nextCursor."])].join("\n");
}
