/** Reading of one skill for agents: its description and files, and the text of a file. */
import { z } from "zod";
import { limits } from "../../../contract/limits.ts";
import { RequiredMcpServer } from "../../../contract/payloads/mcp-servers.ts";
import { SkillPayload, VersionPayload } from "../../../contract/payloads/skills/skills.ts";
import { estimateTokens } from "../../../contract/text/estimate-tokens.ts";
import type { SkillDoc } from "../../../storage/skills/skills.ts";
import type { VersionDoc } from "../../../storage/versions/versions.ts";
import type { Actor } from "../../access/actor.ts";
import { recordDownload } from "../../analytics/downloads.ts";
import type { App } from "../../app.ts";
import { requiredServersOf } from "../../mcp-servers/required.ts";
import { itemsThatFit, partOf } from "../../mcp/tools/bounds.ts";
import { tool, type Tool } from "../../mcp/tools/tool.ts";
import { readsAsMember } from "../load.ts";
import { warningsAbout } from "../marks/marks.ts";
import { presentSkill, presentVersion } from "../present.ts";
import { rootFileOf } from "../publish/content/text-source.ts";
import { readText } from "../read/content.ts";
import { filesOf } from "../read/manifest.ts";
import { refOf, resolveRef } from "../resolve.ts";
import { selectVersion } from "../versions/select-version.ts";
import { readSelector } from "../versions/semver.ts";
import { readVersionBytes, textOfBytes } from "./file-content.ts";
import { fileUri } from "./file-uri.ts";
import { maxBytes, nextOffset, offset, skillRef, versionSpec, warnings } from "./input.ts";

export interface Selected {
  skill: SkillDoc;
  version: VersionDoc;
}

export async function selectFor(
  app: App,
  actor: Actor,
  input: { skill: string; version?: string },
): Promise<Selected> {
  // Parsed first, as in a request of the API: a wrong version is reported before a skill is looked up.
  const selector = readSelector(input.version);
  const skill = await resolveRef(app, actor, input.skill);
  return { skill, version: await selectVersion(app, skill, selector) };
}

export const rootOf = ({ skill, version }: Selected) =>
  version.format === "package" ? "SKILL.md" : rootFileOf(skill.type);

export function getTool(app: App): Tool {
  return tool({
    name: "get_skill",
    title: "Get a skill",
    description:
      "Describes a skill and one of its versions: metadata, files with sizes, and how many tokens its text takes.",
    input: z.strictObject({ skill: skillRef, version: versionSpec, offset }),
    output: z.object({
      skill: SkillPayload.extend({
        requiredMcpServers: z
          .array(RequiredMcpServer)
          .meta({ description: "MCP servers that the skill requires and you may read" }),
      }),
      version: VersionPayload,
      root: z.string().meta({ description: "the file to read first" }),
      tokens: z.number().int().meta({ description: "estimate for the text of that file" }),
      files: z.array(z.object({ path: z.string(), size: z.number().int() })),
      nextOffset,
      warnings,
    }),
    effect: "read",
    async handle({ actor, input }) {
      const selected = await selectFor(app, actor, input);
      const { skill, version } = selected;
      const [all, { content }, requiredMcpServers] = await Promise.all([
        filesOf(app, version),
        readText(app, skill, version),
        requiredServersOf(app, actor, skill),
      ]);
      const described = all.map(({ path, size }) => ({ path, size }));
      const files = itemsThatFit(described, input.offset);
      const reader = { isMember: await readsAsMember(app, actor, skill) };
      const tokens = estimateTokens(content);
      const reasons = warningsAbout(skill, version);
      const data = {
        skill: { ...presentSkill(skill, reader), requiredMcpServers },
        version: presentVersion(version, skill, reader),
        root: rootOf(selected),
        tokens,
        files: files.items,
        nextOffset: files.nextOffset,
        warnings: reasons,
      };
      const text = [
        `${refOf(skill)} ${version.semver}: ${skill.description || skill.name}`,
        `${all.length} file${all.length === 1 ? "" : "s"}, about ${tokens} tokens in ${data.root}. Read it with read_skill.`,
        ...requirement(requiredMcpServers),
        ...reasons,
      ].join("\n");
      return { data, text };
    },
  });
}

function requirement(servers: readonly RequiredMcpServer[]): string[] {
  if (servers.length === 0) return [];
  const names = servers.map(({ tenantSlug, slug }) => `${tenantSlug}/${slug}`);
  return [`Requires the MCP servers ${names.join(", ")}.`];
}

const ReadSkill = z.strictObject({
  skill: skillRef,
  version: versionSpec,
  path: z
    .string()
    .min(1)
    .max(4096)
    .optional()
    .meta({ description: "default: SKILL.md, or RULE.md of a rule" }),
  offset,
  maxBytes,
});

export function readTool(app: App): Tool {
  return tool({
    name: "read_skill",
    title: "Read a skill",
    description:
      "Returns the text of a skill (its SKILL.md or RULE.md), or of another of its files. A long text continues with " +
      "offset. A file that is not a text is returned as a link.",
    input: ReadSkill,
    output: z.object({
      skill: z.string(),
      version: z.string(),
      path: z.string(),
      size: z.number().int().meta({ description: "bytes of the whole file" }),
      mimeType: z.string(),
      text: z.string().nullable().meta({ description: "null for a file that is not a text" }),
      nextOffset,
      warnings,
    }),
    effect: "read",
    handle: ({ actor, input }) => readFileOf(app, actor, input),
  });
}

async function readFileOf(app: App, actor: Actor, input: z.output<typeof ReadSkill>) {
  const selected = await selectFor(app, actor, input);
  const { skill, version } = selected;
  const root = rootOf(selected);
  const path = input.path ?? root;
  const file = await readVersionBytes(app, version, path, limits.inlineFileBytes);
  if (path === root && input.offset === 0) recordDownload(app, actor, version);
  const { size, mimeType } = file;
  const reasons = warningsAbout(skill, version);
  const facts = { skill: refOf(skill), version: version.semver, path, size, mimeType, warnings: reasons };
  const isText = file.bytes !== undefined && textOfBytes(file.bytes) !== undefined;
  if (!isText) {
    const uri = fileUri(skill, path, version.version === skill.current.version ? undefined : version.version);
    return {
      data: { ...facts, text: null, nextOffset: null },
      text: [
        ...reasons,
        `${path} is not a text, or longer than a result may be: read it as the resource ${uri}.`,
      ].join("\n"),
      links: [{ type: "resource_link" as const, uri, name: path, mimeType, size }],
    };
  }
  const part = partOf(file.bytes!, input.offset, input.maxBytes);
  const more =
    part.nextOffset === null ? "" : `\n\n[Continue with offset ${part.nextOffset} of ${size} bytes.]`;
  const before = reasons.map((reason) => `[${reason}]\n`).join("");
  return { data: { ...facts, ...part }, text: `${before}${part.text}${more}` };
}
