/** The texts and the queries, as they lie beside this file. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../test/support/root.ts";
import type { Query } from "./judge.ts";

const folder = join(root, "bench/search");

/** SKILL.md files by their slugs: those of the given subjects, or all. */
export function readCorpus(subjects?: readonly string[]): { slug: string; content: string }[] {
  const files = subjects?.map((subject) => `${subject}.md`) ?? readdirSync(join(folder, "corpus"));
  return files.flatMap((file) =>
    readFileSync(join(folder, "corpus", file), "utf8")
      .split(/^=== /m)
      .slice(1)
      .map((part) => {
        const end = part.indexOf("\n");
        return { slug: part.slice(0, end).trim(), content: part.slice(end + 1) };
      }),
  );
}

export function readQueries(): Query[] {
  const [, ...lines] = readFileSync(join(folder, "queries.tsv"), "utf8").trimEnd().split("\n");
  return lines.map((line) => {
    const [set, kind, text, answers = ""] = line.split("\t");
    const grades = answers.split(",").filter(Boolean);
    return {
      set: set!,
      kind: kind!,
      text: text!,
      grades: new Map(grades.map((grade) => [grade.split("=")[0]!.trim(), Number(grade.split("=")[1])])),
    };
  });
}
