/** Search for agents: the caller's own skills and public ones in one list, the best first, with reasons. */
import { z } from "zod";
import { confidences, SearchHit, searchPageFields } from "../../../contract/payloads/discovery/search.ts";
import { cutAtWord } from "../../../contract/text/cut-text.ts";
import { searchFields, skillTypes } from "../../../contract/vocabulary.ts";
import type { SkillDoc } from "../../../storage/skills/skills.ts";
import type { Actor } from "../../access/actor.ts";
import { membershipIn } from "../../access/decide.ts";
import type { App } from "../../app.ts";
import { tool, type Tool } from "../../mcp/tools/tool.ts";
import { refOf } from "../resolve.ts";
import { presentHit } from "../search/routes.ts";
import { ListQuery } from "../search/schema.ts";
import {
  listAllSkills,
  searchSkills,
  type ListRequest,
  type SearchRequest,
} from "../search/search-skills.ts";
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

const FoundSkill = z.object({
  skill: z.string().meta({ description: "organization/slug, for the other tools" }),
  publicId: z.string(),
  name: z.string(),
  description: z.string(),
  type: z.enum(skillTypes),
  tags: z.array(z.string()),
  version: z.string().meta({ description: "current version" }),
  own: z.boolean().meta({ description: "of one of your organizations" }),
  deprecated: z.string().optional().meta({ description: "why its publishers advise against it" }),
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
  competing: z
    .boolean()
    .optional()
    .meta({ description: "the first two answer the query almost equally well: compare what they do" }),
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
    async handle({ actor, input: { query, organization, tag, mine, ...rest } }) {
      const tags = tag === undefined ? [] : [tag];
      const request = { ...rest, tenant: organization, tags, scope: mine ? "mine" : "all" } as const;
      const data = query
        ? await search(app, actor, { ...request, query })
        : await list(app, actor, { ...request, sort: "downloads" });
      return { data, text: textOf(data) };
    },
  });
}

async function search(app: App, actor: Actor, request: SearchRequest): Promise<Result> {
  const result = await searchSkills(app, actor, request);
  const { confidence, corrections, isCompeting } = result;
  return {
    skills: result.hits.map((hit) => {
      const { score, fields, sentence } = presentHit(hit, result);
      return { ...present(actor, hit.skill), score, matched: fields, sentence: sentence?.text };
    }),
    confidence,
    competing: isCompeting || undefined,
    searchedFor: corrections.length > 0 ? corrections : undefined,
    nextCursor: result.nextCursor,
  };
}

async function list(app: App, actor: Actor, request: ListRequest): Promise<Result> {
  const page = await listAllSkills(app, actor, request);
  return { skills: page.hits.map(({ skill }) => present(actor, skill)), nextCursor: page.nextCursor };
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
    deprecated: skill.deprecated,
  };
}

function textOf({ skills, confidence, competing, searchedFor = [], nextCursor: next }: Result): string {
  if (skills.length === 0) return "No skills were found: describe the task in other words.";
  const notes = [
    ...searchedFor.map(({ typed, used }) => `No skill has "${typed}": searched for "${used}" instead.`),
    ...(confidence === "low" ? ["No skill matches well. The nearest ones:"] : []),
    ...(competing ? ["The first two match almost equally well: compare what they do."] : []),
  ];
  const lines = skills.map(({ skill, name, description, type, sentence, deprecated }) => {
    const reason = sentence === undefined || description.includes(sentence) ? "" : ` (${sentence})`;
    const note = deprecated === undefined ? "" : ` [deprecated: ${deprecated}]`;
    return `- ${skill} (${type}): ${description || name}${reason}${note}`;
  });
  return [...notes, ...lines, ...(next === null ? [] : ["There are more: continue with nextCursor."])].join(
    "\n",
  );
}
