/** Fields of a skill in which words are found, with what a word in each of them is worth. */
import { whenToUse } from "../../../../contract/document/when-to-use.ts";
import { type SearchField } from "../../../../contract/vocabulary.ts";

interface FieldRule {
  /** Worth of a word in it. */
  boost: number;
  /** How much a longer field than usual lowers that: 0 not at all, 1 in proportion. */
  lengthEffect: number;
  /** Words that the field usually has. */
  usualWords: number;
  /** Words that are read. */
  maxWords: number;
}

export const fieldRules: Readonly<Record<SearchField, FieldRule>> = {
  name: { boost: 5, lengthEffect: 0.3, usualWords: 3, maxWords: 30 },
  tags: { boost: 3.5, lengthEffect: 0.3, usualWords: 5, maxWords: 200 },
  description: { boost: 3, lengthEffect: 0.4, usualWords: 30, maxWords: 300 },
  when: { boost: 2.5, lengthEffect: 0.5, usualWords: 25, maxWords: 300 },
  headings: { boost: 1.5, lengthEffect: 0.6, usualWords: 30, maxWords: 600 },
  body: { boost: 0.4, lengthEffect: 0.75, usualWords: 500, maxWords: 12_000 },
  files: { boost: 0.7, lengthEffect: 0.6, usualWords: 12, maxWords: 600 },
};

export interface SkillText {
  name: string;
  slug: string;
  tags: readonly string[];
  description: string;
  /** Text without frontmatter. */
  body: string;
  /** Paths of a package's other files. */
  files: readonly string[];
}

/** Characters of a body that are read. */
const bodyLength = 64 * 1024;
const heading = /^ {0,3}#{1,6}[ \t]+(.*)$/;
const fence = /^ {0,3}(```|~~~)/;

/** The text of each field. Headings of a skill are not in its body again. */
export function fieldsOf({
  name,
  slug,
  tags,
  description,
  body,
  files,
}: SkillText): Record<SearchField, string> {
  const headings: string[] = [];
  const lines: string[] = [];
  let isCode = false;
  for (const line of body.slice(0, bodyLength).split("\n")) {
    if (fence.test(line)) isCode = !isCode;
    const title = isCode ? undefined : heading.exec(line)?.[1];
    if (title !== undefined) headings.push(title);
    else lines.push(line);
  }
  return {
    name: slug === "" || slug.replaceAll("-", " ") === name.toLowerCase() ? name : `${name}\n\n${slug}`,
    tags: tags.join("\n\n"),
    description,
    when: whenToUse(description, body).join("\n\n"),
    headings: headings.join("\n\n"),
    body: lines.join("\n"),
    files: files.slice(0, 200).join("\n\n"),
  };
}
