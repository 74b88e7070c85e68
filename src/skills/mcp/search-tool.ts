/** Search for agents: the caller's own skills and public ones in one list, the best first, with reasons. */
import { z } from "zod";
import { cutAtWord } from "../../../contract/cut-text.ts";
import { confidences, SearchHit, searchPageFields } from "../../../contract/payloads/search.ts";
import { searchFields, skillTypes } from "../../../contract/vocabulary.ts";
import type { SkillDoc } from "../../../storage/skills.ts";
import type { Actor } from "../../access/actor.ts";
import { membershipIn } from "../../access/decide.ts";
import type { App } from "../../app.ts";
import { unauthenticated } from "../../errors.ts";
import { decodeCursor, encodeCursor } from "../../http/request/cursor.ts";
import { tool, type Tool } from "../../mcp/tools/tool.ts";
import { refOf } from "../resolve.ts";
import { presentHit } from "../search/routes.ts";
import { ListQuery } from "../search/schema.ts";
import { searchSkills } from "../search/search-skills.ts";
import { exploreSkills, listSkills } from "../search/search.ts";
import { nextCursor } from "./input.ts";

const shownLimit = 20;
const shownDescription = 300;

const SearchSkills = z.strictObject({
  query: ListQuery.shape.query.meta({
    description:
      'the task in your words, as "fill in a PDF form"; no word is required, and order does not matter',
  }),
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
  score: SearchHit.shape.score.optional(),
  matched: z
    .array(z.enum(searchFields))
    .optional()
    .meta({ description: "where words of the query were found" }),
  sentence: z.string().optional().meta({ description: "the sentence that answers the query best" }),
});
type FoundSkill = z.infer<typeof FoundSkill>;

const Result = z.object({
  skills: z.array(FoundSkill),
  confidence: z.enum(confidences).optional().meta({
    description: "`low`: these are the best of bad answers; say so, or search for other words",
  }),
  searchedFor: searchPageFields.searchedFor.optional(),
  nextCursor,
});
type Result = z.infer<typeof Result>;

export function searchTool(app: App): Tool {
  return tool({
    name: "search_skills",
    title: "Search skills",
    description:
      "Finds skills and rules for a task: phrase the task, rather than guess a name. Searches those of the caller's " +
      "organizations and public ones, the best first, each with the sentence that matched. `score` compares a hit " +
      "with the first one, and `confidence` says whether the first is a good answer. Read one with read_skill.",
    input: SearchSkills,
    output: Result,
    effect: "read",
    budget: "search",
    async handle({ actor, input }) {
      if (input.mine && actor.kind === "anonymous")
        throw unauthenticated(
          "Your own skills need a sign-in: send Authorization: Bearer, or leave mine out.",
        );
      const data = input.query
        ? await search(app, actor, { ...input, query: input.query })
        : await list(app, actor, input);
      return { data, text: textOf(data) };
    },
  });
}

async function search(app: App, actor: Actor, input: SearchSkills & { query: string }): Promise<Result> {
  const { query, type, tag, organization, limit, cursor } = input;
  const result = await searchSkills(app, actor, {
    query,
    scope: input.mine ? "mine" : "all",
    tenant: organization,
    type,
    tags: tag === undefined ? [] : [tag],
    limit,
    cursor,
  });
  const { confidence, corrections } = result;
  return {
    skills: result.hits.map((hit) => {
      const { score, fields, sentence } = presentHit(hit, result);
      return { ...present(actor, hit.skill), score, matched: fields, sentence: sentence?.text };
    }),
    confidence,
    searchedFor: corrections.length > 0 ? corrections : undefined,
    nextCursor: result.nextCursor,
  };
}

/** Which list is read, and its cursor. */
const ListCursor = z.tuple([z.enum(["own", "public"]), z.string().max(1000)]);

/** Without words: the caller's own skills, and then the catalog. */
async function list(app: App, actor: Actor, input: SearchSkills): Promise<Result> {
  const { type, tag, organization, mine, limit } = input;
  const isMember = actor.kind !== "anonymous" && actor.memberships.length > 0;
  const isInside = isMember && actor.memberships.some(({ tenantSlug }) => tenantSlug === organization);
  const hasOwn = mine || isInside || (isMember && organization === undefined);
  const hasPublic = !mine && !isInside;
  const [kind, at] = decodeCursor(input.cursor, ListCursor) ?? [hasOwn ? "own" : "public", ""];
  const cursor = at === "" ? undefined : at;
  const page =
    kind === "own"
      ? await listSkills(app, actor, { type, tag, tenant_id: organization, limit, cursor })
      : await exploreSkills(app, actor, {
          type,
          tag,
          tenant: organization,
          sort: "downloads",
          limit,
          cursor,
        });
  const isListed = ({ tenantId }: SkillDoc) => kind === "public" && hasOwn && membershipIn(actor, tenantId);
  const next = page.nextCursor === null ? undefined : encodeCursor([kind, page.nextCursor]);
  return {
    skills: page.items.filter((skill) => !isListed(skill)).map((skill) => present(actor, skill)),
    nextCursor: next ?? (kind === "own" && hasPublic ? encodeCursor(["public", ""]) : null),
  };
}

function present(actor: Actor, skill: SkillDoc): FoundSkill {
  return {
    skill: refOf(skill),
    publicId: skill.publicId,
    name: skill.name,
    description: cutAtWord(skill.description, shownDescription),
    type: skill.type,
    tags: skill.tags,
    version: skill.current.semver,
    own: membershipIn(actor, skill.tenantId) !== undefined,
  };
}

function textOf({ skills, confidence, searchedFor = [], nextCursor: next }: Result): string {
  if (skills.length === 0) return "No skills were found: describe the task in other words.";
  const notes = [
    ...searchedFor.map(({ typed, used }) => `No skill has "${typed}": searched for "${used}" instead.`),
    ...(confidence === "low" ? ["No skill matches well. The nearest ones:"] : []),
  ];
  const lines = skills.map(({ skill, name, description, type, sentence }) => {
    const reason = sentence === undefined || description.includes(sentence) ? "" : ` (${sentence})`;
    return `- ${skill} (${type}): ${description || name}${reason}`;
  });
  return [...notes, ...lines, ...(next === null ? [] : ["There are more: continue with nextCursor."])].join(
    "\n",
  );
}
