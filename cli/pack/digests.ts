/** Digests of a skill's content, as the service computes them, so that it can be compared without being sent. */
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { canonicalContent } from "../../contract/checks/package-rules.ts";
import { packageMode, programStart } from "../../contract/package/modes.ts";
import type { PackageFile } from "./folder.ts";
import type { SkillSource } from "./source.ts";

export interface ContentDigests {
  format: SkillSource["format"];
  hash: string;
  frontmatterHash?: string;
}

export async function digestsOf(source: SkillSource): Promise<ContentDigests> {
  if (source.format === "package") return { format: "package", hash: await packageHash(source.files) };
  const { splitFrontmatter } = await import("../../contract/document/frontmatter.ts");
  const { head, body } = splitFrontmatter(source.content);
  return { format: "markdown", hash: sha256(body), frontmatterHash: sha256(head) };
}

async function packageHash(files: readonly PackageFile[]): Promise<string> {
  const listed: { path: string; mode: string; sha256: string }[] = [];
  for (const { path, source, mode: given } of files) {
    const hash = createHash("sha256");
    await pipeline(createReadStream(source), hash);
    const mode = given ?? (await packageMode(path, given, { start: () => startOf(source) }));
    listed.push({ path, mode, sha256: hash.digest("hex") });
  }
  return sha256(canonicalContent(listed));
}

async function startOf(file: string): Promise<Uint8Array> {
  for await (const chunk of createReadStream(file, { end: programStart - 1 })) return chunk as Buffer;
  return new Uint8Array();
}

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
