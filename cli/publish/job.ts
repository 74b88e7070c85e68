/** Options of a run of `svc publish`, applied to each of its skills. */
import { readdir, stat } from "node:fs/promises";
import { basename, resolve } from "node:path";
import type { PublishPlan } from "../../contract/payloads/skills/plans.ts";
import type { PublishResult } from "../../contract/payloads/skills/skills.ts";
import type { SkillType } from "../../contract/vocabulary.ts";
import type { Client } from "../api/client.ts";
import type { PublishInput } from "../api/inputs.ts";
import type { Context } from "../context.ts";
import { digestsOf } from "../pack/digests.ts";
import { findSkills, isRuleFile, noSkillIn } from "../pack/skill-folders.ts";
import { type SkillSource, readSource, unreadable } from "../pack/source.ts";
import { stageContent } from "../pack/stage-content.ts";
import { findContentLocation } from "./content-location.ts";

export interface PublishJob {
  /** Fields of every skill. */
  input: Omit<PublishInput, "name">;
  /** Flags of one skill. */
  name: string | undefined;
  type: string | undefined;
  allowSecrets: boolean;
}

/** A skill to publish. */
export interface Chosen {
  path: string;
  /** Set for a rule that was found in a tool's folder. */
  type?: SkillType;
  /** It was found in a folder that the user named. */
  isFound?: boolean;
}

/** Content to publish, and where it comes from. */
export type ChosenSource = SkillSource & { contentLocation: string | undefined };

/**
 * The skills of a repository, or of another folder with skills below it; undefined for a path of one skill. Throws
 * `E_PACK_FAILED` for a folder without any.
 */
export async function findBelow({ cwd }: Context, path: string): Promise<Chosen[] | undefined> {
  const full = resolve(cwd, path);
  const info = await stat(full).catch(() => undefined);
  if (info?.isDirectory() !== true) return undefined;
  const found = await findSkills(full, path).catch((error: unknown) => {
    throw unreadable(path, error);
  });
  if (found?.length !== 0) return found?.map((each) => ({ path: each, isFound: true }));
  // An empty folder is refused as a package.
  if ((await readdir(full)).length === 0) return undefined;
  throw noSkillIn(path);
}

export async function readChosen(
  context: Context,
  job: Pick<PublishJob, "name" | "type" | "allowSecrets">,
  { path, type, isFound = false }: Chosen,
): Promise<ChosenSource> {
  const source = await readSource(context, path, {
    allowSecrets: job.allowSecrets,
    isNamed: job.name !== undefined,
    isFound,
    type: job.type ?? type,
  });
  const contentLocation = await findContentLocation(context, path);
  if (!isFound || source.format === "package" || isRuleFile(path)) return { ...source, contentLocation };
  return { ...source, contentLocation, warnings: [...source.warnings, rootAlone] };
}

const rootAlone =
  "Only the text of this SKILL.md is published, since there are other skills below its folder: " +
  "move it to a folder of its own with the files that belong to it.";

/** Name and type, as asked for or as in the content; the type of the content applies to a new skill only. */
function describe(job: PublishJob, chosen: Chosen, { name, defaultType, contentLocation }: ChosenSource) {
  const type = job.type ?? chosen.type;
  return {
    name: job.name ?? name,
    contentLocation,
    type,
    defaultType: type === undefined ? defaultType : undefined,
  };
}

/** Plan of a publish, which is not made. Sends digests only. */
export async function planOne(
  client: Client,
  job: PublishJob,
  chosen: Chosen,
  source: ChosenSource,
): Promise<PublishPlan> {
  const { message: _message, ifChanged: _ifChanged, ...input } = job.input;
  return client.planPublish({ ...input, ...describe(job, chosen, source), ...(await digestsOf(source)) });
}

export async function publishOne(
  context: Context,
  client: Client,
  job: PublishJob,
  chosen: Chosen,
  source: ChosenSource,
): Promise<PublishResult> {
  const content = await stageContent(context, client, source, basename(chosen.path));
  return client.publish({ ...job.input, ...describe(job, chosen, source), ...content });
}
