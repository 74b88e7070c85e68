/** The selection of `svc publish` without a path: skills in the folders of tools that are not published yet. */
import { sep } from "node:path";
import { mapLimit } from "../../contract/concurrency/map-limit.ts";
import { countText } from "../../contract/text/count-text.ts";
import type { Client } from "../api/client.ts";
import type { Context } from "../context.ts";
import type { FoundSkill } from "../pack/scan.ts";
import { readConfig } from "../state/read-config.ts";
import { askSeveral, askText } from "../terminal/prompts.ts";
import { plainLine } from "../terminal/table.ts";
import { type Chosen, type PublishJob, planOne, readChosen } from "./job.ts";

/** Maximum number of skills that are compared with the service concurrently. */
const atOnce = 4;

export async function findOwn(context: Context): Promise<FoundSkill[]> {
  const { findOwnSkills } = await import("../pack/scan.ts");
  const config = await readConfig(context);
  return context.output.waiting("Looking into the folders of your tools", () =>
    findOwnSkills(context, config),
  );
}

export async function askForPath(): Promise<Chosen> {
  return { path: await askText("Which file or folder?", "./my-skill") };
}

/** Lets the user select several; those that are published with the same content are left out. */
export async function chooseOwn(
  context: Context,
  client: Client,
  job: PublishJob,
  found: readonly FoundSkill[],
): Promise<Chosen[]> {
  const fresh = await context.output.waiting("Comparing them with your published skills", () =>
    withoutPublished(context, client, job, found),
  );
  const published = found.length - fresh.length;
  if (published > 0)
    context.output.note(
      `${countText(published, "skill is", "skills are")} published with the same content already.`,
    );
  if (fresh.length === 0) return [];
  return askSeveral(
    "Which of your skills and rules?",
    fresh.map((skill) => ({
      value: chosenOf(skill),
      // A prompt shows the hint of the selected line only.
      label: plainLine(`${skill.name} (${shortPath(context, skill.path)})`),
      hint: plainLine(`${skill.tool} ${skill.type}`),
    })),
    [],
  );
}

/** A skill that can't be compared stays: publishing it reports why. */
async function withoutPublished(
  context: Context,
  client: Client,
  job: PublishJob,
  found: readonly FoundSkill[],
): Promise<FoundSkill[]> {
  const isPublished = await mapLimit(found, atOnce, async (skill) => {
    try {
      const chosen = chosenOf(skill);
      const source = await readChosen(context, { ...job, allowSecrets: true }, chosen);
      return (await planOne(client, job, chosen, source)).unchanged;
    } catch {
      return false;
    }
  });
  return found.filter((_, i) => !isPublished[i]);
}

function chosenOf({ path, type }: FoundSkill): Chosen {
  return { path, type: type === "rule" ? type : undefined };
}

/** The path in its short form, relative or with `~`. */
function shortPath({ cwd, home }: Context, path: string): string {
  const short = (folder: string, prefix: string) => `${prefix}${path.slice(folder.length + 1)}`;
  if (path.startsWith(cwd + sep)) return short(cwd, "");
  return path.startsWith(home + sep) ? short(home, `~${sep}`) : path;
}
