/** Skills as entries of the Skills extension: frontmatter, and files with the digests that were stored with them. */
import { LRUCache } from "lru-cache";
import { limits } from "../../../contract/limits.ts";
import { sizeText } from "../../../contract/text/size-text.ts";
import type { SkillDoc } from "../../../storage/skills/skills.ts";
import type { VersionDoc } from "../../../storage/versions/versions.ts";
import { actorKey, type Actor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { readText as readFields } from "../../compute/read-text.ts";
import type { SkillEntry } from "../../mcp/tools/surface.ts";
import { warningsAbout } from "../marks/marks.ts";
import { readText } from "../read/content.ts";
import { filesOf } from "../read/manifest.ts";
import { refOf } from "../resolve.ts";
import { fileUri } from "./file-uri.ts";

/** Files of a skill that clients must accept. */
const maxFiles = 512;
const manifest = "SKILL.md";

/** Frontmatter by version, null for one that is not a skill to others. Versions never change. */
const known = new LRUCache<string, { fields: SkillEntry["frontmatter"] | null }>({ max: 2000 });

/**
 * Undefined for a skill that the extension can't describe: a rule, or a package whose frontmatter has another name than
 * its address, which clients would refuse.
 */
export async function entryOf(
  app: App,
  actor: Actor,
  skill: SkillDoc,
  version: VersionDoc,
): Promise<SkillEntry | undefined> {
  if (skill.type !== "skill") return undefined;
  const frontmatter = await frontmatterOf(app, actor, skill, version);
  if (frontmatter?.name !== skill.slug) return undefined;
  const files = await filesOf(app, version);
  const bytes = files.reduce((sum, file) => sum + file.size, 0);
  const isLarge = files.length > maxFiles || bytes > limits.mcpResourceBytes;
  const resources = files
    .filter(({ path }) => !isLarge || path === manifest)
    .map(({ path, sha256, size }) => ({ uri: fileUri(skill, path), digest: `sha256:${sha256}`, size }))
    .sort((a, b) => (a.uri < b.uri ? -1 : 1));
  const note =
    `This skill has ${files.length} files with ${sizeText(bytes)}, too much to read one by one: ` +
    `install it with svc install ${refOf(skill)}.`;
  const warnings = warningsAbout(skill, version);
  const meta = {
    ...(isLarge && { "svc/note": note }),
    ...(warnings.length > 0 && { "svc/warnings": warnings }),
  };
  return {
    uri: fileUri(skill, manifest),
    frontmatter,
    resources,
    _meta: Object.keys(meta).length > 0 ? meta : undefined,
  };
}

async function frontmatterOf(
  app: App,
  actor: Actor,
  skill: SkillDoc,
  version: VersionDoc,
): Promise<SkillEntry["frontmatter"] | null> {
  const cached = known.get(version._id);
  if (cached) return cached.fields;
  const { content, frontmatter = "" } = await readText(app, skill, version);
  const text = await readFields(app.compute.by(actorKey(actor)), frontmatter + content, "markdown");
  const fields = fieldsOf(text.fields);
  known.set(version._id, { fields });
  return fields;
}

/** Null for frontmatter that can't be read, or without name and description. */
function fieldsOf(read: ReadonlyMap<string, unknown> = new Map()): SkillEntry["frontmatter"] | null {
  const fields = toJson(read) as Record<string, unknown>;
  const { name, description } = fields;
  return typeof name === "string" && typeof description === "string"
    ? { ...fields, name, description }
    : null;
}

/** Values of YAML as those of JSON. */
function toJson(value: unknown): unknown {
  if (value instanceof Map)
    return Object.fromEntries(
      [...(value as Map<unknown, unknown>)].map(([key, one]) => [String(key), toJson(one)]),
    );
  if (Array.isArray(value)) return value.map(toJson);
  if (value instanceof Date) return value.toISOString();
  if (typeof value === "bigint") return String(value);
  return value;
}
