/** Result of a publish for agents: what it did or would do, which files changed, and what the rules advise. */
import { createHash } from "node:crypto";
import { z } from "zod";
import { severities } from "../../../contract/checks/findings.ts";
import type { SkillDoc } from "../../../storage/skills/skills.ts";
import type { VersionDoc } from "../../../storage/versions/versions.ts";
import { actorKey, type Actor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import type { CallerCompute } from "../../compute/compute.ts";
import { itemsThatFit } from "../../mcp/tools/bounds.ts";
import type { ToolResult } from "../../mcp/tools/tool.ts";
import { listChangedFiles } from "../diff/changed-files.ts";
import type { FileToLint, Found } from "../findings/lint.ts";
import { findingsOf } from "../findings/version-findings.ts";
import { skillUrl } from "../present.ts";
import { filesOf } from "../read/manifest.ts";
import { refOf } from "../resolve.ts";
import { findVersion } from "../versions/versions.ts";

/** Bytes of each of the two lists in a result. */
const listBytes = 10_000;

const ChangedFile = z.object({
  path: z.string(),
  status: z.enum(["added", "removed", "modified", "renamed"]),
});
type ChangedFile = z.infer<typeof ChangedFile>;

export const PublishOutcome = z.object({
  dryRun: z.boolean().meta({ description: "true: nothing was stored" }),
  action: z.enum(["created", "updated"]),
  unchanged: z.boolean().meta({ description: "the content equals that of the version before" }),
  skill: z.string().meta({ description: "organization/slug" }),
  publicId: z.string().nullable().meta({ description: "null while the skill does not exist" }),
  semver: z.string(),
  url: z.string().nullable(),
  ignoredFlags: z
    .array(z.string())
    .meta({ description: "arguments that an existing skill keeps its own values of" }),
  warnings: z.array(z.string()),
  changed: z.array(ChangedFile).meta({ description: "files that differ from the version before" }),
  changedTotal: z.number().int(),
  findings: z.array(
    z.object({
      rule: z.string(),
      severity: z.enum(severities),
      path: z.string(),
      line: z.number().int().optional(),
      message: z.string(),
    }),
  ),
  findingsTotal: z.number().int(),
});
export type PublishOutcome = z.infer<typeof PublishOutcome>;

type Facts = Omit<PublishOutcome, "changed" | "changedTotal" | "findings" | "findingsTotal">;

export function presentOutcome(
  facts: Facts,
  changed: readonly ChangedFile[],
  found: readonly Found[],
): ToolResult<PublishOutcome> {
  const findings = found.map(({ id: _id, ...finding }) => finding);
  const data = {
    ...facts,
    changed: itemsThatFit(changed, 0, listBytes).items,
    changedTotal: changed.length,
    findings: itemsThatFit(findings, 0, listBytes).items,
    findingsTotal: findings.length,
  };
  return { data, text: textOf(data) };
}

function textOf({ dryRun, action, unchanged, skill, semver, url, ...rest }: PublishOutcome): string {
  const verbs = {
    created: dryRun ? "would be created as" : "was created as",
    updated: dryRun ? "would get" : "has the new",
  };
  return [
    unchanged
      ? `${skill} has this content already, as version ${semver}.`
      : `${skill} ${verbs[action]} version ${semver}.`,
    ...(url === null ? [] : [url]),
    ...rest.changed.map(({ path, status }) => `${status}: ${path}`),
    ...rest.warnings.map((warning) => `warning: ${warning}`),
    ...rest.findings.map(({ severity, path, line, message }) => {
      const at = line === undefined ? path : `${path}:${line}`;
      return `${severity}: ${at}: ${message}`;
    }),
  ].join("\n");
}

/** The result of a publish that has taken place. */
export async function outcomeOf(
  app: App,
  actor: Actor,
  published: {
    action: PublishOutcome["action"];
    unchanged: boolean;
    skill: SkillDoc;
    version: VersionDoc;
    ignoredFlags?: readonly string[];
    warnings: string[];
  },
): Promise<ToolResult<PublishOutcome>> {
  const { action, unchanged, skill, version, ignoredFlags = [], warnings } = published;
  const before =
    unchanged || version.version === 1 ? null : await findVersion(app, skill, version.version - 1);
  const [changed, found] = await Promise.all([
    changedSince(app, app.compute.by(actorKey(actor)), before, version),
    findingsOf(app, actor, skill, version),
  ]);
  return presentOutcome(
    {
      dryRun: false,
      action,
      unchanged,
      skill: refOf(skill),
      publicId: skill.publicId,
      semver: version.semver,
      url: skillUrl(app, skill),
      ignoredFlags: [...ignoredFlags],
      warnings,
    },
    unchanged ? [] : changed,
    found,
  );
}

async function changedSince(
  app: App,
  compute: CallerCompute,
  before: VersionDoc | null,
  after: VersionDoc,
): Promise<ChangedFile[]> {
  if (before === null) return (await filesOf(app, after)).map(({ path }) => ({ path, status: "added" }));
  const changed = await listChangedFiles(app, compute, before, after, { renames: true });
  return changed.map(({ path, status }) => ({ path, status }));
}

/** Files that a dry run would change. A text is completed when it is stored, so its bytes are not compared. */
export async function plannedChanges(
  app: App,
  current: VersionDoc | null,
  given: readonly FileToLint[],
  { unchanged, isText }: { unchanged: boolean; isText: boolean },
): Promise<ChangedFile[]> {
  if (unchanged) return [];
  const before = new Map(
    current ? (await filesOf(app, current)).map((file) => [file.path, file.sha256]) : [],
  );
  const changed: ChangedFile[] = [];
  for (const file of given) {
    const old = before.get(file.path);
    before.delete(file.path);
    if (old === undefined) changed.push({ path: file.path, status: "added" });
    else if (
      isText ||
      old !==
        createHash("sha256")
          .update(await file.read())
          .digest("hex")
    )
      changed.push({ path: file.path, status: "modified" });
  }
  return [...changed, ...[...before.keys()].map((path) => ({ path, status: "removed" as const }))];
}
