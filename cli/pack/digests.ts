/** Digests of a skill's content, as the service computes them, so that it can be compared without being sent. */
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { canonicalContent } from "../../contract/package-rules.ts";
import type { PackageFile } from "./folder.ts";
import type { SkillSource } from "./source.ts";

export interface ContentDigests {
  format: SkillSource["format"];
  hash: string;
  frontmatterHash?: string;
}

export async function digestsOf(source: SkillSource): Promise<ContentDigests> {
  if (source.format === "package") return { format: "package", hash: await packageHash(source.files) };
  const { splitFrontmatter } = await import("../../contract/frontmatter.ts");
  const { head, body } = splitFrontmatter(source.content);
  return { format: "markdown", hash: sha256(body), frontmatterHash: sha256(head) };
}

async function packageHash(files: readonly PackageFile[]): Promise<string> {
  const listed: { path: string; mode: string; sha256: string }[] = [];
  for (const { path, source, executable } of files) {
    const hash = createHash("sha256");
    await pipeline(createReadStream(source), hash);
    listed.push({ path, mode: executable ? "100755" : "100644", sha256: hash.digest("hex") });
  }
  return sha256(canonicalContent(listed));
}

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
