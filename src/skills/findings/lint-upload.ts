/** Checks content before it is published. Nothing is stored, and an upload stays available for a publish. */
import type { Finding } from "../../../contract/checks/findings.ts";
import { PackageError } from "../../../contract/checks/package-rules.ts";
import { limits } from "../../../contract/limits.ts";
import type { LeftOut } from "../../../contract/package/left-out.ts";
import type { LintPayload } from "../../../contract/payloads/skills/findings.ts";
import type { SkillType } from "../../../contract/vocabulary.ts";
import { actorKey, type Actor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { rootFile } from "../publish/content/package-source.ts";
import { rootFileOf } from "../publish/content/text-source.ts";
import { claimUpload } from "../publish/content/uploads.ts";
import { lintFiles, nameFindings } from "./lint.ts";

export async function lintContent(
  app: App,
  actor: Actor,
  input: { content?: string; uploadId?: string; type?: SkillType },
): Promise<LintPayload> {
  const type = input.type ?? "skill";
  const { content, uploadId } = input;
  if (uploadId !== undefined) {
    const { found, leftOut } = await lintUpload(app, actor, uploadId, type);
    return { ...report("package", found), leftOut };
  }
  const data = Buffer.from(content ?? "");
  const file = { path: rootFileOf(type), size: data.length, read: () => data };
  const compute = app.compute.by(actorKey(actor));
  return report("markdown", await lintFiles(compute, [file], { format: "markdown", type }));
}

async function lintUpload(
  app: App,
  actor: Actor,
  id: string,
  type: SkillType,
): Promise<{ found: Finding[]; leftOut: LeftOut[] }> {
  const claim = await claimUpload(app, actor, id);
  try {
    const kind = { format: "package", type } as const;
    const compute = app.compute.by(actorKey(actor));
    const { found, paths, leftOut } = await compute.run("lint-zip", { path: claim.zip, rootFile, kind });
    return { found: nameFindings(found, paths), leftOut: leftOut.slice(0, limits.listedLeftOut) };
  } catch (error) {
    if (!(error instanceof PackageError)) throw error;
    const found = {
      rule: error.rule,
      severity: "error",
      path: error.path ?? "",
      message: error.message,
    } as const;
    return { found: [found], leftOut: [] };
  } finally {
    await claim.release();
  }
}

function report(format: LintPayload["format"], found: readonly (Finding & { id?: string })[]): LintPayload {
  const findings = found.map(({ id: _id, ...finding }) => finding);
  const errors = findings.filter(({ severity }) => severity === "error").length;
  return { ok: errors === 0, format, errors, warnings: findings.length - errors, findings, leftOut: [] };
}
