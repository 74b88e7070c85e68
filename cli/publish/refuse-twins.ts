/** Skills of one run with the same name. */
import type { PublishPlan } from "../../contract/payloads/skills/plans.ts";
import { type CliError, invalidArgument } from "../errors.ts";
import { digestsOf } from "../pack/digests.ts";
import type { SkillSource } from "../pack/source.ts";
import { plainLine } from "../terminal/table.ts";
import type { Chosen, ChosenSource } from "./job.ts";

export interface Planned {
  chosen: Chosen;
  source?: ChosenSource;
  plan?: PublishPlan;
  error?: CliError;
  /** Path of a skill with the same name and content, which is published. */
  sameAs?: string;
}

/** Skills of one name would become versions of each other. Copies of one skill are published once. */
export async function refuseTwins(planned: readonly Planned[]): Promise<Planned[]> {
  const first = new Map<string, Planned>();
  const checked: Planned[] = [];
  for (const one of planned) {
    const key = one.plan?.skill.name.normalize("NFKC").toLowerCase().replace(/\s+/g, " ").trim();
    const twin = key === undefined ? undefined : first.get(key);
    if (key === undefined || twin === undefined) {
      if (key !== undefined) first.set(key, one);
      checked.push(one);
    } else if (await isSameContent(one.source!, twin.source!))
      checked.push({ ...one, sameAs: twin.chosen.path });
    else checked.push({ chosen: one.chosen, error: twinError(one, twin) });
  }
  return checked;
}

async function isSameContent(a: SkillSource, b: SkillSource): Promise<boolean> {
  const [left, right] = await Promise.all([digestsOf(a), digestsOf(b)]);
  return left.hash === right.hash && left.frontmatterHash === right.frontmatterHash;
}

function twinError({ chosen: { path }, plan }: Planned, twin: Planned): CliError {
  const message =
    `${plainLine(path)} has the name of ${plainLine(twin.chosen.path)}, "${plainLine(plan!.skill.name)}": ` +
    "rename one of them.";
  return invalidArgument("<path>", message, { kind: "path", ref: path });
}
