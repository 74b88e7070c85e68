/** Questions of `install` at a terminal, for what the flags leave open. */
import { limits } from "../../contract/limits.ts";
import type { InstallMethod, Target } from "../../contract/vocabulary.ts";
import type { Client } from "../api/client.ts";
import { collectPages } from "../api/pages.ts";
import { type PinnedRef, unpinned } from "../arguments/pins.ts";
import type { Context } from "../context.ts";
import { interactionRequired } from "../errors.ts";
import { isInstalled, isUsedIn, machineOf } from "../targets/detect.ts";
import { targetDefinitions } from "../targets/index.ts";
import { askFromList, askOne, askSeveral } from "../terminal/prompts.ts";

export async function chooseSkill(client: Client): Promise<PinnedRef> {
  const { items } = await collectPages((cursor) => client.skills({ limit: limits.pageSizeMax, cursor }));
  if (items.length === 0)
    throw interactionRequired(
      "<ref>",
      "Your organizations have no skills yet: name a public one, svc install <ref>.",
    );
  const ref = await askFromList(
    "Which skill?",
    items.map((skill) => ({
      value: skill.publicId,
      label: `${skill.tenantSlug}/${skill.slug}`,
      hint: skill.description,
    })),
  );
  return { ref, range: unpinned };
}

/** Preselects the tools of this machine, and those that the project is set up for. */
export async function chooseTargets(
  context: Context,
  projectDir: string,
  onlyGlobal: boolean,
): Promise<Target[]> {
  const machine = machineOf(context);
  const found = await Promise.all(
    targetDefinitions.map(async (definition) => {
      const installed = await isInstalled(definition, machine);
      const used = !onlyGlobal && (await isUsedIn(definition, projectDir));
      return { definition, hint: installed ? "installed" : used ? "used in this project" : undefined };
    }),
  );
  return askSeveral(
    "Into which tools?",
    found.map(({ definition, hint }) => ({
      value: definition.name,
      label: definition.label,
      hint,
    })),
    found.filter(({ hint }) => hint !== undefined).map(({ definition }) => definition.name),
  );
}

export async function chooseProject(): Promise<boolean> {
  return askOne("Where?", [
    { value: false, label: "For me, in every project" },
    { value: true, label: "In this project" },
  ]);
}

export async function chooseMethod(): Promise<InstallMethod | undefined> {
  const method = await askOne<InstallMethod | "default">("How?", [
    { value: "default", label: "As each tool takes it best" },
    { value: "symlink", label: "Linked to the local cache, where the tool follows links" },
    { value: "copy", label: "Copied" },
  ]);
  return method === "default" ? undefined : method;
}
