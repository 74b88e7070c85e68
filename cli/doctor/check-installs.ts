/** Checks of what is installed, by the rules of `svc verify`, and of the project in the current folder. */
import { join } from "node:path";
import { countText } from "../../contract/text/count-text.ts";
import type { DriftKind } from "../../contract/vocabulary.ts";
import type { Context } from "../context.ts";
import { messageOf } from "../errors.ts";
import { findDrift } from "../project/drift/find-drift.ts";
import { type Project, readProject } from "../project/files.ts";
import type { Config } from "../state/config.ts";
import { type Check, failed, ok, warning } from "./check.ts";

/** Deviations with which a tool can't use the skill. Others may be intended, as an edit. */
const broken: readonly DriftKind[] = ["missing", "cache", "unreadable"];

export async function checkProject(
  context: Context,
): Promise<{ check: Check | undefined; project: Project | undefined }> {
  try {
    const project = await readProject(context.cwd);
    const files = [
      ...(project.manifestText === undefined ? [] : [project.manifestPath]),
      ...(project.lockText === undefined ? [] : [project.lockPath]),
    ];
    const check = files.length === 0 ? undefined : ok("project", `${files.join(" and ")} can be used.`);
    return { check, project };
  } catch (error) {
    const remedy = "Restore the file from the project's history, or correct what the message names.";
    return { check: failed("project", messageOf(error), remedy), project: undefined };
  }
}

export async function checkInstalls(
  context: Context,
  config: Config,
  profile: string,
  project: Project = withoutFiles(context.cwd),
): Promise<Check> {
  const name = "installs";
  const { drift, checked } = await findDrift(context, config, profile, { folder: undefined, project });
  const [first] = [...drift.filter(({ kind }) => broken.includes(kind)), ...drift];
  if (first === undefined) {
    const counts = `${countText(checked.skills, "skill")}, ${countText(checked.places, "install")}`;
    return ok(name, checked.skills === 0 ? "Nothing is installed." : `${counts}: unchanged.`);
  }
  const more = drift.length === 1 ? "" : ` There are ${drift.length} deviations.`;
  const message = `${first.message}.${more}`;
  const remedy =
    "Run svc verify -g to list deviations, and svc pull to repair missing and incomplete skills.";
  return broken.includes(first.kind) ? failed(name, message, remedy) : warning(name, message, remedy);
}

function withoutFiles(folder: string): Project {
  return {
    folder,
    manifestPath: join(folder, "svc.json"),
    lockPath: join(folder, "svc.lock"),
    manifestText: undefined,
    lockText: undefined,
    manifest: undefined,
    lock: undefined,
  };
}
