/** Publishing for agents: skills and versions, or what publishing them would do. */
import { z } from "zod";
import type { VersionPlan } from "../../../contract/payloads/skills/plans.ts";
import { reachSentence } from "../../../contract/text/reach-text.ts";
import type { SkillDoc } from "../../../storage/skills/skills.ts";
import type { VersionDoc } from "../../../storage/versions/versions.ts";
import { actorKey, type Actor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { tool, type Tool, type ToolResult } from "../../mcp/tools/tool.ts";
import { lintFiles, type FileToLint } from "../findings/lint.ts";
import { bytesOf, readEditedSource } from "../publish/content/edit-source.ts";
import { planPublish, planVersion } from "../publish/plan-publish.ts";
import { chooseName, publishSkill } from "../publish/publish-skill.ts";
import { loadBase, publishVersion } from "../publish/publish-version.ts";
import { refOf, resolveRef } from "../resolve.ts";
import { hasOneNumber, hasOnePlace, PublishSkill, PublishVersion } from "../schema.ts";
import { findVersion } from "../versions/versions.ts";
import { contentFields, describeContent, digestsOf, isOneContent, openContent } from "./content.ts";
import { skillRef } from "./input.ts";
import { outcomeOf, plannedChanges, presentOutcome, PublishOutcome } from "./outcome.ts";

const dryRun = z
  .boolean()
  .default(false)
  .meta({ description: "stores nothing, and returns what the call would do" });

const { tenantId: organization, content: _text, uploadId: _upload, ...skillFields } = PublishSkill.shape;

const PublishSkillInput = z
  .strictObject({ organization, ...skillFields, ...contentFields, dryRun })
  .refine(isOneContent, "needs exactly one of content and files")
  .refine(hasOnePlace, "personal excludes folder and createFolders");
type PublishSkillInput = z.output<typeof PublishSkillInput>;

export function publishSkillTool(app: App): Tool {
  return tool({
    name: "publish_skill",
    title: "Publish a skill",
    description:
      "Publishes a skill from a text or files. By default it appends a version if the organization has a skill of that " +
      "name, and otherwise creates one. Try it with dryRun first: the result has findings of the rules for skills.",
    input: PublishSkillInput,
    output: PublishOutcome,
    effect: "add",
    needs: ["skill:create", "skill:update"],
    budget: "publish",
    async handle({ actor, input: { dryRun: isDry, content, files, organization: tenantId, ...fields } }) {
      const given = { content, files };
      const input = { ...fields, tenantId };
      if (isDry) return planSkill(app, actor, { ...input, content, files });
      const open = openContent(app.compute.by(actorKey(actor)), given);
      return outcomeOf(app, actor, await publishSkill(app, actor, input, undefined, open));
    },
  });
}

async function planSkill(
  app: App,
  actor: Actor,
  {
    content,
    files: packageFiles,
    ...input
  }: Omit<PublishSkillInput, "dryRun" | "organization"> & { tenantId: string },
): Promise<ToolResult<PublishOutcome>> {
  const type = input.type ?? input.defaultType ?? "skill";
  const compute = app.compute.by(actorKey(actor));
  const { source, digests, files } = await describeContent(compute, { content, files: packageFiles }, type);
  const name = chooseName(input, source);
  const plan = await planPublish(app, actor, { ...input, name, ...digests });
  const ref = `${plan.skill.tenantSlug}/${plan.skill.slug}`;
  const existing = plan.action === "updated" ? await resolveRef(app, actor, ref) : undefined;
  const current = existing ? await findVersion(app, existing, existing.current.version) : null;
  const { action, unchanged, semver, ignoredFlags } = plan;
  return presentOutcome(
    {
      dryRun: true,
      action,
      unchanged,
      skill: ref,
      publicId: plan.skill.publicId ?? null,
      semver,
      url: null,
      ignoredFlags,
      warnings: plannedWarnings(source, plan),
    },
    await plannedChanges(app, current, files, { unchanged, isText: content !== undefined }),
    await lintFiles(compute, files, { format: source.format, type: existing?.type ?? type }),
  );
}

const { content: _content, uploadId: _uploadId, ...versionFields } = PublishVersion.shape;

const PublishVersionInput = z
  .strictObject({ skill: skillRef, ...versionFields, ...contentFields, dryRun })
  .refine(
    ({ content, files, changes }) =>
      [content, files, changes].filter((one) => one !== undefined).length === 1,
    "needs exactly one of content, files and changes",
  )
  .refine((input) => input.changes === undefined || input.base !== undefined, "changes need a base")
  .refine(hasOneNumber, "semver excludes bump and prerelease");
type PublishVersionInput = z.output<typeof PublishVersionInput>;

export function publishVersionTool(app: App): Tool {
  return tool({
    name: "publish_version",
    title: "Publish a version",
    description:
      "Publishes a new version of an existing skill: a whole text, all files, or changes of single files of the version " +
      "base. With base, it fails if another version became current.",
    input: PublishVersionInput,
    output: PublishOutcome,
    effect: "add",
    needs: ["skill:update"],
    budget: "publish",
    async handle({ actor, input }) {
      const { skill: ref, dryRun: isDry, content, files, ...fields } = input;
      const skill = await resolveRef(app, actor, ref);
      if (isDry) return planNext(app, actor, skill, input);
      const isWhole = content !== undefined || files !== undefined;
      const compute = app.compute.by(actorKey(actor));
      const open = isWhole ? openContent(compute, { content, files }) : undefined;
      const appended = await publishVersion(app, actor, skill._id, fields, { open });
      return outcomeOf(app, actor, { action: "updated", ...appended });
    },
  });
}

async function planNext(
  app: App,
  actor: Actor,
  skill: SkillDoc,
  input: PublishVersionInput,
): Promise<ToolResult<PublishOutcome>> {
  const { base, changes } = input;
  const baseVersion = await loadBase(app, skill, base);
  const compute = app.compute.by(actorKey(actor));
  const { source, digests, files } = changes
    ? await describeChanges(app, actor, skill, baseVersion!, changes)
    : await describeContent(compute, input, skill.type);
  const plan = await planVersion(app, actor, skill._id, { ...input, ...digests });
  const current = await findVersion(app, skill, skill.current.version);
  const isText = source.format === "markdown";
  const planned = changes
    ? changes.map(
        ({ path, delete: isRemoved }) => ({ path, status: isRemoved ? "removed" : "modified" }) as const,
      )
    : await plannedChanges(app, current, files, { unchanged: plan.unchanged, isText });
  return presentOutcome(
    {
      dryRun: true,
      action: "updated",
      unchanged: plan.unchanged,
      skill: refOf(skill),
      publicId: skill.publicId,
      semver: plan.semver,
      url: null,
      ignoredFlags: [],
      warnings: plannedWarnings(source, plan),
    },
    plan.unchanged ? [] : planned,
    await lintFiles(compute, files, { format: source.format, type: skill.type }),
  );
}

/** Remarks about the content, whether the version would wait for a review, and who gets it. */
function plannedWarnings(
  { warnings }: { warnings: string[] },
  { holdNotice, reach }: Pick<VersionPlan, "holdNotice" | "reach">,
): string[] {
  const isInstalled = reach && reach.all.machines > 0;
  return [...warnings, ...(holdNotice ? [holdNotice] : []), ...(isInstalled ? [reachSentence(reach)] : [])];
}

/** A dry run of changes checks the files that they send. */
async function describeChanges(
  app: App,
  actor: Actor,
  skill: SkillDoc,
  base: VersionDoc,
  changes: NonNullable<PublishVersionInput["changes"]>,
) {
  const source = await readEditedSource(app, actor, skill, base, changes);
  const files = changes.flatMap((change): FileToLint[] => {
    const data = bytesOf(change);
    return data ? [{ path: change.path, size: data.length, read: () => data }] : [];
  });
  return { source, digests: await digestsOf(source), files };
}
