/** Search entries of skills: from their documents alone at once, and from their whole texts soon after. */
import { cutFences } from "../../../contract/document/frontmatter.ts";
import type { NewSearchEntry } from "../../../storage/search/entries.ts";
import type { SkillToIndex } from "../../../storage/skills/skills.ts";
import type { App } from "../../app.ts";
import { rootFileOf } from "../publish/content/text-source.ts";
import { packTerms } from "./terms/packed.ts";
import { letterOf, weighTerms } from "./terms/skill-terms.ts";
import { keysOf } from "./terms/spellings.ts";
import { wordsOf } from "./terms/words.ts";

/** Terms of a skill that are scored, and of them those by which it is found. */
const maxTerms = 1000;
const maxIndexed = 400;
const maxFiles = 200;
/** Bytes that are enough for the characters of a body that are read. */
const readBytes = 256 * 1024;

interface Content {
  body: string;
  files: readonly string[];
}

/** The name as it is compared with a whole query. */
export const searchNameOf = (name: string): string =>
  wordsOf(name, 40)
    .map(({ text }) => text)
    .join(" ");

/** `content`: of the current version; without it, the entry has the beginning of the text only. */
export function entryOf(skill: SkillToIndex, content: Content | undefined): NewSearchEntry {
  const { name, slug, tags, description } = skill;
  const { body, files } = content ?? { body: skill.excerpt, files: [] };
  const { terms, spellings } = weighTerms({ name, slug, tags, description, body, files }, maxTerms);
  const indexed = terms.slice(0, maxIndexed);
  return {
    _id: skill._id,
    tenantId: skill.tenantId,
    revision: skill.revision,
    listed: skill.listed,
    isWhole: content !== undefined,
    terms: indexed.map(({ term, weight }) => term + letterOf(weight)),
    packed: packTerms(terms),
    names: [...new Set([searchNameOf(name), searchNameOf(slug)])],
    spellings: new Map(
      indexed.flatMap(({ term }) => {
        const written = spellings.get(term);
        return written
          ? [[term, Array.from(written, (text) => ({ text, keys: keysOf(text) }))] as const]
          : [];
      }),
    ),
    type: skill.type,
    visibility: skill.visibility,
    tags,
    folderId: skill.folderId,
    effectiveRestrictionId: skill.effectiveRestrictionId,
    createdAt: skill.createdAt,
    updatedAt: skill.updatedAt,
    downloads: skill.downloads,
  };
}

/** The text and the file names of the current version; undefined if they can't be read. */
export async function readContentOf(app: App, skill: SkillToIndex): Promise<Content | undefined> {
  if (skill.withheld === "withdrawn") return { body: "", files: [] };
  const repo = { tenantId: skill.tenantId, skillId: skill._id };
  const { oid, format } = skill.current;
  const root = format === "markdown" ? rootFileOf(skill.type) : "SKILL.md";
  try {
    const [file, files] = await Promise.all([
      app.repos.readFile(repo, oid, root),
      format === "markdown" ? [] : app.repos.listFiles(repo, oid),
    ]);
    if (!file) return undefined;
    const text = file.data.subarray(0, readBytes).toString("utf8");
    const fenced = cutFences(text);
    return {
      body: fenced ? fenced.body : text,
      files: files.flatMap(({ path }) => (path === root ? [] : [path])).slice(0, maxFiles),
    };
  } catch (error) {
    app.log.warn({ error, skillId: skill._id }, "a skill's text could not be read for the search");
    return undefined;
  }
}
