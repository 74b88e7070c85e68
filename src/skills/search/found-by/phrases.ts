/** Phrases of a skill's own text that a search for it could have. */
import { whenToUse } from "../../../../contract/document/when-to-use.ts";
import { stopWords } from "../terms/stop-words.ts";
import { wordsOf } from "../terms/words.ts";

interface PhraseSource {
  name: string;
  description: string;
  tags: readonly string[];
  /** Text without frontmatter. */
  body: string;
}

const maxWords = 8;
/** Words that say something, without which a phrase finds anything. */
const minCounting = 2;
const maxSentence = 400;
const maxHeadings = 10;
const readBody = 64 * 1024;

/** The part before the task in a sentence that says when to use a skill. */
const beginning =
  /^.{0,60}?\b(?:use (?:this|it)?(?: skill)? ?(?:when(?:ever)?|for|to|if)|when(?:ever)?|triggers? (?:on|when|for)|applies to)\s+(?:(?:the user|users?|you|someone|asked|working) ?(?:asks?|wants?|needs?|has|have|is|are)? ?(?:to|for|on|with)? )?/i;

/** The most telling first: tasks, then headings, the description, tags and the name. */
export function phrasesOf({ name, description, tags, body }: PhraseSource, limit: number): string[] {
  const tasks = whenToUse(description, body).flatMap((sentence) =>
    clausesOf(sentence.slice(0, maxSentence).replace(beginning, "")),
  );
  const headings = body
    .slice(0, readBody)
    .split("\n")
    .flatMap((line) => /^ {0,3}#{1,4}[ \t]+(\S.{0,199})$/.exec(line)?.[1] ?? [])
    .slice(0, maxHeadings);
  const all = [
    ...tasks.slice(0, limit),
    ...headings,
    ...clausesOf(description.slice(0, maxSentence)),
    tags.slice(0, 3).join(" "),
    name,
  ];
  const phrases = new Map<string, string>();
  for (const text of all) {
    const phrase = phraseOf(text);
    if (phrase !== undefined && !phrases.has(phrase.toLowerCase())) phrases.set(phrase.toLowerCase(), phrase);
  }
  return [...phrases.values()].slice(0, limit);
}

const clausesOf = (sentence: string): string[] => sentence.split(/[.,;:!?()\n]+|\s(?:or|and)\s/i);

/** The beginning of a text as plain words; undefined if they say too little. */
function phraseOf(text: string): string | undefined {
  const plain = text.replace(/[^\p{L}\p{M}\p{N}+#.'’-]+/gu, " ").trim();
  const phrase = plain
    .split(" ")
    .slice(0, maxWords)
    .join(" ")
    .slice(0, 100)
    .replace(/[.'’-]+$/, "");
  const counting = wordsOf(phrase, 3 * maxWords).filter(({ text: word }) => !stopWords.has(word));
  return counting.length < minCounting ? undefined : phrase;
}
