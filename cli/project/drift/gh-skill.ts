/**
 * Marks of `gh skill`, which writes the skill's origin into the frontmatter of a folder that it installs or updates
 * (`metadata.github-repo`, `github-ref` and others), and sorts the keys. A tool reads the same skill as before.
 */
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { digestOfFiles, digestOfText, filesOfFolder } from "../../install/locations/digest.ts";
import { readTextFile } from "../../install/locations/files.ts";
import { headFor } from "../../install/locations/text-head.ts";
import { cachedPackage, readMeta } from "../../state/cache.ts";
import type { InstallationRecord } from "../../state/config.ts";
import { renderSkillFile } from "../../targets/render.ts";

const markPrefix = "github-";
const skillFile = "SKILL.md";

/** Whether a copied folder differs from what svc wrote by such marks alone. `content`: the cached content. */
export async function isMarkedByGh(
  { method, path, digest }: InstallationRecord,
  installName: string,
  content: string,
): Promise<boolean> {
  // A file that is no text is an edited one.
  const marked =
    method === "copy" ? await readTextFile(join(path, skillFile)).catch(() => undefined) : undefined;
  const original = marked?.includes(markPrefix) ? await originalOf(content, installName) : undefined;
  if (marked === undefined || original === undefined) return false;
  // With the original, the folder has to be as svc wrote it.
  const sha256 = digestOfText(original);
  const unmarked = (await filesOfFolder(path)).map((file) =>
    file.path === skillFile ? { ...file, sha256 } : file,
  );
  return digestOfFiles(unmarked) === digest && isSameSkill(original, marked);
}

/** The SKILL.md that svc wrote, by the cache. */
async function originalOf(content: string, installName: string): Promise<string | undefined> {
  const meta = await readMeta(content);
  if (meta?.format !== "markdown") return readTextFile(join(cachedPackage(content), skillFile));
  const body = await readTextFile(join(content, "raw.md"));
  if (body === undefined) return undefined;
  return renderSkillFile({ ...meta, installName, body, head: await headFor(meta, installName) });
}

async function isSameSkill(original: string, marked: string): Promise<boolean> {
  const { FrontmatterError, splitFrontmatter } = await import("../../../contract/document/frontmatter.ts");
  try {
    const [before, after] = [splitFrontmatter(original), splitFrontmatter(marked)];
    return (
      before.body.trim() === after.body.trim() &&
      isDeepStrictEqual(unmarkedFields(before.fields), unmarkedFields(after.fields))
    );
  } catch (error) {
    if (error instanceof FrontmatterError) return false;
    throw error;
  }
}

function unmarkedFields(fields: ReadonlyMap<string, unknown> = new Map()): Map<string, unknown> {
  const found = new Map(fields);
  const metadata = found.get("metadata") ?? new Map<string, unknown>();
  if (!(metadata instanceof Map)) return found;
  const kept = [...metadata].filter(([key]) => !String(key).startsWith(markPrefix));
  return found.set("metadata", new Map(kept));
}
