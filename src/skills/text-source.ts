/** A single-file skill as it comes in: checked, split and ready to be written as a tree of one file. */
import { createHash } from "node:crypto";
import type { TreeSource } from "../../repos/store/index.ts";
import type { VersionSummary } from "../../storage/skills.ts";
import { limits } from "../../contract/limits.ts";
import { readSkillText, type FrontmatterDefaults } from "../../contract/skill-rules.ts";
import type { ContentFormat, SkillType } from "../../contract/vocabulary.ts";
import { ServiceError } from "../errors.ts";
import { firstParagraph, joinFrontmatter, refusalOf } from "./frontmatter.ts";

/** What a version is made of, whichever way it came in. */
export interface VersionSource {
  format: ContentFormat;
  /** From the frontmatter; what the caller sends beside the content goes before them. */
  defaults: FrontmatterDefaults;
  /** What clients compare; a package's is known once it is written. */
  hash?: string;
  frontmatterHash?: string;
  /** First words of the text, for search. */
  excerpt: string;
  warnings: string[];
  /** Whether a version holds these very bytes already. */
  equals(current: VersionSummary): Promise<boolean>;
  /** The tree to store, once the skill's slug and type, and the description, are decided. */
  tree(skill: { slug: string; type: SkillType }, description: string): TreeSource;
}

const excerptLength = 2000;

/** The root file of a single-file skill, by type. */
export function rootFileOf(type: SkillType): "SKILL.md" | "RULE.md" {
  return type === "rule" ? "RULE.md" : "SKILL.md";
}

/** Reads a text. Throws `payload_too_large` or `content_invalid`. */
export function readTextSource(content: string, type: SkillType): VersionSource {
  const file = rootFileOf(type);
  const { fields, body, defaults, faults } = readSkillText(content, "markdown");
  const [fault] = faults;
  if (fault?.rule === "text_too_large") {
    throw new ServiceError(
      "payload_too_large",
      `The text is over ${limits.textContentBytes} bytes: publish a folder instead.`,
      {
        limitBytes: limits.textContentBytes,
      },
    );
  }
  if (fault) throw refusalOf(fault, file);

  const kept = new Map(fields);
  const hash = createHash("sha256").update(body).digest("hex");
  const frontmatterHash = createHash("sha256").update(canonicalJson(kept)).digest("hex");
  return {
    format: "markdown",
    defaults,
    hash,
    frontmatterHash,
    excerpt: excerptOf(body),
    warnings: [],
    equals: async (current) =>
      current.format === "markdown" && current.hash === hash && current.frontmatterHash === frontmatterHash,
    tree({ slug, type: storedAs }, description) {
      const text = joinFrontmatter(slug, description || firstParagraph(body) || slug, kept, body);
      const path = rootFileOf(storedAs);
      return { kind: "files", files: [{ path, mode: "100644", data: Buffer.from(text) }] };
    },
  };
}

export function excerptOf(body: string): string {
  return body.slice(0, excerptLength).replace(/\p{Surrogate}/gu, "");
}

/** JSON with sorted keys, Maps as objects: equal frontmatter gives equal text, whatever the order of its keys. */
function canonicalJson(value: unknown): string {
  if (value instanceof Map) {
    const entries = [...(value as Map<string, unknown>)].sort(([a], [b]) => (a < b ? -1 : 1));
    return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonicalJson(item)}`).join(",")}}`;
  }
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  return JSON.stringify(value) ?? "null";
}
