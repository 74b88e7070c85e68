/** Versions of a skill for agents: their list, and the differences between two of them. */
import { z } from "zod";
import { VersionPayload } from "../../../contract/payloads/skills/skills.ts";
import type { App } from "../../app.ts";
import { pageThatFits, partOf } from "../../mcp/tools/bounds.ts";
import { tool, type Tool } from "../../mcp/tools/tool.ts";
import { selectCompared } from "../diff/diff-versions.ts";
import { patchOf } from "../diff/patch-text.ts";
import { readsAsMember } from "../load.ts";
import { presentVersion } from "../present.ts";
import { refOf, resolveRef } from "../resolve.ts";
import { DiffQuery, VersionsQuery } from "../schema.ts";
import { listVersions } from "../versions/list-versions.ts";
import { maxBytes, nextCursor, nextOffset, offset, skillRef } from "./input.ts";

const shownLimit = 50;

export function listVersionsTool(app: App): Tool {
  return tool({
    name: "list_versions",
    title: "List versions",
    description: "Lists the versions of a skill, newest first, with their messages and authors.",
    input: z.strictObject({
      skill: skillRef,
      spec: VersionsQuery.shape.spec.meta({ description: "an exact version or a range" }),
      prerelease: z.boolean().default(false).meta({ description: "prereleases too" }),
      limit: z.number().int().min(1).max(shownLimit).default(20),
      cursor: VersionsQuery.shape.cursor,
    }),
    output: z.object({ versions: z.array(VersionPayload), nextCursor }),
    effect: "read",
    async handle({ actor, input: { skill: ref, ...input } }) {
      const skill = await resolveRef(app, actor, ref);
      const reader = { isMember: await readsAsMember(app, actor, skill) };
      const page = await pageThatFits(input.limit, async (limit) => {
        const { items, nextCursor: next } = await listVersions(app, skill, { ...input, limit });
        return { items: items.map((version) => presentVersion(version, skill, reader)), nextCursor: next };
      });
      const lines = page.items.map((one) => {
        const { version, semver, createdAt, message } = one;
        return `- ${semver}${statesOf(one)}, number ${version}, ${createdAt.slice(0, 10)}: ${message.split("\n")[0]}`;
      });
      return {
        data: { versions: page.items, nextCursor: page.nextCursor },
        text: lines.join("\n") || `${refOf(skill)} has no such version.`,
      };
    },
  });
}

/** The states of a version for its line: ` (current, deprecated)`, or nothing. */
function statesOf({ current, state, verdict }: VersionPayload): string {
  const states = [current && "current", state !== "published" && state, verdict].filter(Boolean);
  return states.length === 0 ? "" : ` (${states.join(", ")})`;
}

export function diffVersionsTool(app: App): Tool {
  return tool({
    name: "diff_versions",
    title: "Compare versions",
    description:
      "Shows what changed between two versions of a skill, as a patch. A long patch continues with offset.",
    input: z.strictObject({
      skill: skillRef,
      from: DiffQuery.shape.from.meta({ description: "number, exact version or range; 0: nothing" }),
      to: DiffQuery.shape.to,
      offset,
      maxBytes,
    }),
    output: z.object({
      skill: z.string(),
      from: z.string(),
      to: z.string(),
      patch: z.string().meta({ description: "for git apply; empty if the versions are equal" }),
      nextOffset,
    }),
    effect: "read",
    budget: "diff",
    async handle({ actor, input }) {
      const skill = await resolveRef(app, actor, input.skill);
      const request = { from: input.from, to: input.to, context: 3, renames: true };
      const { before, after } = await selectCompared(app, skill, request);
      const { text, nextOffset: next } = partOf(
        Buffer.from(await patchOf(app, actor, skill, request)),
        input.offset,
        input.maxBytes,
      );
      const more = next === null ? "" : `\n[Continue with offset ${next}.]`;
      return {
        data: {
          skill: refOf(skill),
          from: before?.semver ?? "0",
          to: after.semver,
          patch: text,
          nextOffset: next,
        },
        text: text === "" ? "The versions have the same files." : `${text}${more}`,
      };
    },
  });
}
