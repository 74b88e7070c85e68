/** Skills and their files as resources of the MCP server. Every read is decided like one over REST. */
import { limits } from "../../../contract/limits.ts";
import { sizeText } from "../../../contract/text/size-text.ts";
import type { SkillDoc } from "../../../storage/skills/skills.ts";
import type { Actor } from "../../access/actor.ts";
import { recordDownload } from "../../analytics/downloads.ts";
import type { App } from "../../app.ts";
import { ServiceError } from "../../errors.ts";
import type { FileContent, ResourceEntry, SkillEntry, SkillResources } from "../../mcp/tools/surface.ts";
import { loadSkill } from "../load.ts";
import { mediaTypeOf } from "../read/content.ts";
import { filesOf } from "../read/manifest.ts";
import { refOf } from "../resolve.ts";
import { exploreSkills, listSkills } from "../search/search.ts";
import { selectVersion } from "../versions/select-version.ts";
import { readSelector } from "../versions/semver.ts";
import { findVersionOf } from "../versions/versions.ts";
import { entryOf } from "./entries.ts";
import { readVersionBytes, textOfBytes } from "./file-content.ts";
import { fileUri, readFileUri, type FileAddress } from "./file-uri.ts";
import { rootOf, type Selected } from "./read-tools.ts";

const pageSize = 20;
const directoryType = "inode/directory";

export function skillResources(app: App): SkillResources {
  return {
    list: (actor, cursor) => listEntries(app, actor, cursor),
    async get(actor, uri) {
      const address = readFileUri(uri);
      if (address?.path !== "SKILL.md" || address.version !== undefined) return undefined;
      const { skill, version } = await select(app, actor, address);
      return entryOf(app, actor, skill, version);
    },
    async read(actor, uri) {
      const address = readFileUri(uri);
      if (!address || address.path === "") return undefined;
      return readResource(app, actor, await select(app, actor, address), address.path);
    },
    async readDirectory(actor, uri) {
      const address = readFileUri(uri);
      if (!address || address.version !== undefined) return undefined;
      const { skill, version } = await select(app, actor, address);
      const resources = childrenOf(skill, await filesOf(app, version), address.path);
      return resources && { resources };
    },
  };
}

/** Skills of the caller's organizations; public ones for an anonymous caller. */
async function listEntries(
  app: App,
  actor: Actor,
  cursor: string | undefined,
): Promise<{ skills: SkillEntry[]; nextCursor?: string }> {
  const query = { type: "skill", limit: pageSize, cursor } as const;
  const page =
    actor.kind === "anonymous"
      ? await exploreSkills(app, actor, { ...query, sort: "updated" })
      : await listSkills(app, actor, query);
  // Lists of skills lack the marks, which the warnings of an entry are made of.
  const whole = await app.storage.skills.listByIds(page.items.map(({ _id }) => _id));
  const marks = new Map(whole.map((skill) => [skill._id, skill.marks]));
  const entries = await Promise.all(
    page.items.map(async (listed: SkillDoc) => {
      const skill = { ...listed, marks: marks.get(listed._id) };
      const version = skill.withheld ? null : await findVersionOf(app, skill._id, skill.current.version);
      return version ? entryOf(app, actor, skill, version) : undefined;
    }),
  );
  const skills = entries.filter((entry) => entry !== undefined);
  return page.nextCursor === null ? { skills } : { skills, nextCursor: page.nextCursor };
}

async function select(app: App, actor: Actor, { org, slug, version }: FileAddress): Promise<Selected> {
  const selector = readSelector(version);
  const skill = await loadSkill(app, actor, `${org}~${slug}`, "skill:read", {
    typed: `${org}/${slug}`,
    follow: true,
  });
  return { skill, version: await selectVersion(app, skill, selector) };
}

async function readResource(app: App, actor: Actor, selected: Selected, path: string): Promise<FileContent> {
  const { skill, version } = selected;
  const { bytes, mimeType, size } = await readVersionBytes(app, version, path, limits.mcpFileBytes);
  if (!bytes)
    throw new ServiceError(
      "payload_too_large",
      `"${path}" has ${sizeText(size)}, over ${sizeText(limits.mcpFileBytes)}: install the skill with ` +
        `svc install ${refOf(skill)}.`,
      { kind: "path", ref: path, limitBytes: limits.mcpFileBytes },
    );
  if (path === rootOf(selected)) recordDownload(app, actor, version);
  const text = textOfBytes(bytes);
  return text === undefined ? { bytes, mimeType } : { text, mimeType: textType(mimeType) };
}

/** Texts of unknown types are plain ones. */
const textType = (type: string) => (type === "application/octet-stream" ? "text/plain" : type);

/** Direct children of a directory; undefined if it has none, and therefore does not exist. */
function childrenOf(
  skill: SkillDoc,
  files: readonly { path: string; size: number }[],
  directory: string,
): ResourceEntry[] | undefined {
  const prefix = directory === "" ? "" : `${directory}/`;
  const children = new Map<string, ResourceEntry>();
  for (const { path, size } of files) {
    if (!path.startsWith(prefix)) continue;
    const [name = "", ...rest] = path.slice(prefix.length).split("/");
    const uri = fileUri(skill, prefix + name);
    if (rest.length > 0) children.set(name, { uri, name, mimeType: directoryType });
    else children.set(name, { uri, name, mimeType: mediaTypeOf(name).split(";")[0]!, size });
  }
  return children.size === 0 ? undefined : [...children.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}
