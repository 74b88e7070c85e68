/** Content of a single-file skill: validated, split and ready to be written as a tree of one file. */
import { createHash } from "node:crypto";
import { canonicalContent } from "../../../../contract/checks/package-rules.ts";
import { publishWarnings } from "../../../../contract/checks/skill-advice.ts";
import type { FrontmatterDefaults, SkillText } from "../../../../contract/checks/skill-rules.ts";
import { firstParagraph } from "../../../../contract/document/first-paragraph.ts";
import { limits } from "../../../../contract/limits.ts";
import type { ContentFormat, SkillType } from "../../../../contract/vocabulary.ts";
import type { TreeSource } from "../../../../repos/store/index.ts";
import type { VersionSummary } from "../../../../storage/skills/skills.ts";
import type { FrontmatterDigests } from "../../../../storage/versions/versions.ts";
import type { CallerCompute } from "../../../compute/compute.ts";
import { completeText, readText } from "../../../compute/read-text.ts";
import { ServiceError } from "../../../errors.ts";
import { refusalOf } from "../../frontmatter.ts";

/** Content of a new version, from a text or a package. */
export interface VersionSource {
  format: ContentFormat;
  /** Values from the frontmatter; values in the request take precedence. */
  defaults: FrontmatterDefaults;
  /** The description of a new skill without another one; only of a package, whose files stay as they are. */
  firstParagraph?: string;
  /** Hash that clients compare; for a package, it is known once the package is written. */
  hash?: string;
  /** Digest of the frontmatter; only of a text. */
  frontmatterHash?: string;
  /** The hash that a version of it gets, before it is written: a package is read for it. */
  contentHash(): Promise<string>;
  /** First words of the text, for search. */
  excerpt: string;
  warnings: string[];
  /** Whether a version of the skill was published from the same bytes, or is stored with the same ones. */
  equals(version: VersionSummary, skill: StoredAs & { description: string }): Promise<boolean>;
  /**
   * The tree to store, once the skill's slug and type, and the description, are decided. Throws `content_invalid` for a
   * text whose frontmatter is too large with what the service adds.
   */
  tree(skill: StoredAs, description: string): Promise<StoredTree>;
}

export interface StoredAs {
  slug: string;
  type: SkillType;
  /** Only of a skill that exists. */
  _id?: string;
  tenantId?: string;
  current?: VersionSummary;
}

export interface StoredTree {
  source: TreeSource;
  /** Only of a text. */
  frontmatter?: FrontmatterDigests;
  /** Only of a text: how it reads. */
  text?: SkillText;
}

const excerptLength = 2000;

/** The root file of a single-file skill, by type. */
export function rootFileOf(type: SkillType): "SKILL.md" | "RULE.md" {
  return type === "rule" ? "RULE.md" : "SKILL.md";
}

/** Reads a text. Throws `payload_too_large` or `content_invalid`, or as `CallerCompute`. */
export async function readTextSource(
  compute: CallerCompute,
  content: string,
  type: SkillType,
): Promise<VersionSource> {
  const file = rootFileOf(type);
  const text = await readText(compute, content, "markdown");
  const { head, body, defaults, faults } = text;
  const [fault] = faults;
  if (fault?.rule === "text_too_large") {
    throw new ServiceError(
      "payload_too_large",
      `The text can't be published: ${fault.reason}. Publish a folder instead.`,
      {
        limitBytes: limits.textContentBytes,
      },
    );
  }
  if (fault) throw refusalOf(fault, file);

  const hash = sha256(body);
  const published = sha256(head);
  const complete = (slug: string, description: string) =>
    completeText(compute, text, { name: slug, description: description || firstParagraph(body) || slug });
  return {
    format: "markdown",
    defaults,
    hash,
    frontmatterHash: published,
    contentHash: async () => hash,
    excerpt: excerptOf(body),
    warnings: publishWarnings(file, text, { format: "markdown", type }),
    async equals(version, skill) {
      if (version.format !== "markdown") return false;
      if (version.hash === hash && version.frontmatter?.published === published) return true;
      const stored = await complete(skill.slug, skill.description);
      return version.digest === digestOfFile(rootFileOf(skill.type), stored.head + body);
    },
    async tree({ slug, type: storedAs }, description) {
      const { head: stored, text: read } = await complete(slug, description);
      const [broken] = read.faults;
      if (broken) throw refusalOf(broken, file);
      const path = rootFileOf(storedAs);
      return {
        source: { kind: "files", files: [{ path, mode: "100644", data: Buffer.from(stored + body) }] },
        frontmatter: { published, stored: sha256(stored) },
        text: read,
      };
    },
  };
}

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

/** The content digest of a tree of one file. */
function digestOfFile(path: string, text: string): string {
  return sha256(canonicalContent([{ path, mode: "100644", sha256: sha256(text) }]));
}

export function excerptOf(body: string): string {
  return body.slice(0, excerptLength).replace(/\p{Surrogate}/gu, "");
}
