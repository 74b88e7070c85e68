/** Order of search results for agents, and the reason for each of them. */
import { wordsOfQuery } from "../search/search-terms.ts";

export const matchFields = ["name", "slug", "tag", "description", "text"] as const;
export type MatchField = (typeof matchFields)[number];

interface Described {
  name: string;
  slug: string;
  tags: readonly string[];
  description: string;
}

export interface Match {
  /** Fields that contain words of the query; `text` for words that only the text contains. Empty without a query. */
  matched: MatchField[];
  score: number;
}

/** Points of a word by the best field that contains it. */
const points: Record<MatchField, number> = { name: 8, slug: 6, tag: 5, description: 3, text: 1 };
/** Characters of a description that are ranked. The index has about as many of them. */
const rankedDescription = 500;
/** Additional points if the name has all words of the query. */
const wholeName = 10;

export function matchOf(skill: Described, query: string | undefined): Match {
  const words = query === undefined ? [] : wordsOfQuery(query);
  const fields: [MatchField, (word: string) => boolean][] = [
    ["name", beginsIn(skill.name)],
    ["slug", beginsIn(skill.slug)],
    ["tag", beginsIn(skill.tags.join(" "))],
    ["description", isIn(skill.description.slice(0, rankedDescription))],
    ["text", () => true],
  ];
  const matched = new Set<MatchField>();
  let score = 0;
  let inName = 0;
  for (const word of words) {
    const [field] = fields.find(([, contains]) => contains(word))!;
    matched.add(field);
    score += points[field];
    if (field === "name") inName++;
  }
  if (words.length > 0 && inName === words.length) score += wholeName;
  return { matched: matchFields.filter((field) => matched.has(field)), score };
}

/** Names, slugs and tags are found by the beginning of a word, as in the index. */
function beginsIn(text: string): (word: string) => boolean {
  const words = wordsOfQuery(text, Infinity);
  return (wanted) => words.some((word) => word.startsWith(wanted));
}

function isIn(text: string): (word: string) => boolean {
  const words = new Set(wordsOfQuery(text, Infinity));
  return (wanted) => words.has(wanted);
}
