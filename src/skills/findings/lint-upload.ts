/** Checks content before it is published. Nothing is stored, and an upload stays available for a publish. */
import type { LintPayload } from "../../../contract/payloads/findings.ts";
import type { Finding } from "../../../contract/findings.ts";
import { PackageError } from "../../../contract/package-rules.ts";
import type { SkillType } from "../../../contract/vocabulary.ts";
import { openZipPackage } from "../../../repos/archive/index.ts";
import type { Actor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { rootFileOf } from "../publish/text-source.ts";
import { claimUpload, returnUpload } from "../publish/uploads.ts";
import { lintFiles } from "./lint.ts";

export async function lintContent(
  app: App,
  actor: Actor,
  input: { content?: string | undefined; uploadId?: string | undefined; type?: SkillType | undefined },
): Promise<LintPayload> {
  const type = input.type ?? "skill";
  const { content, uploadId } = input;
  if (uploadId !== undefined) return report("package", await lintUpload(app, actor, uploadId, type));
  const data = Buffer.from(content ?? "");
  const file = { path: rootFileOf(type), size: data.length, read: () => data };
  return report("markdown", await lintFiles([file], { format: "markdown", type }));
}

async function lintUpload(app: App, actor: Actor, id: string, type: SkillType): Promise<Finding[]> {
  const path = await claimUpload(app, actor, id);
  try {
    const zip = await openZipPackage(path, { rootFile: "SKILL.md" });
    try {
      return await lintFiles(zip.files, { format: "package", type });
    } finally {
      zip.close();
    }
  } catch (error) {
    if (!(error instanceof PackageError)) throw error;
    return [{ rule: error.rule, severity: "error", path: error.path ?? "", message: error.message }];
  } finally {
    await returnUpload(app, id);
  }
}

function report(format: LintPayload["format"], found: readonly (Finding & { id?: string })[]): LintPayload {
  const findings = found.map(({ id: _id, ...finding }) => finding);
  const errors = findings.filter(({ severity }) => severity === "error").length;
  return { ok: errors === 0, format, errors, warnings: findings.length - errors, findings };
}
