/** The questions of the plan of an import, answered from the service and from the fetched branch. */
import type { RemoteSkill } from "../../../../repos/mirror/types.ts";
import { listContents } from "../../../skills/versions/versions.ts";
import type { SyncContext } from "../context.ts";
import type { Exports, LocatedSkill } from "../export/exported.ts";
import type { ImportQuestions } from "../plan-types.ts";
import { openResemblance } from "../resemblance.ts";
import { isOfType, withSource } from "./import-source.ts";
import { isVersion } from "./recover-import.ts";

interface ReadSides {
  skills: ReadonlyMap<string, LocatedSkill>;
  directories: readonly RemoteSkill[];
}

/** `directories`: those that the plan is made for. */
export function importQuestions(
  context: Pick<SyncContext, "app" | "mirror">,
  exports: Exports,
  { skills, directories }: ReadSides,
): ImportQuestions {
  const resembles = openResemblance(context, { skills, directories });
  return {
    ...exports,
    now: () => context.app.now(),
    resemblesOther: (skillId, { path }) => resembles(skillId, path),
    async holdsVersion(skillId, { path }) {
      const skill = skills.get(skillId);
      const directory = directories.find((one) => one.path === path);
      return skill !== undefined && directory !== undefined && holdsVersion(context, skill, directory);
    },
  };
}

/** Only a text differs from its export: a package is exported as it was pushed. */
async function holdsVersion(
  context: Pick<SyncContext, "app" | "mirror">,
  skill: LocatedSkill,
  directory: RemoteSkill,
): Promise<boolean> {
  if (!isOfType(directory, skill)) return false;
  const { files } = await context.mirror.list(directory);
  if (files.length !== 1) return false;
  return withSource(context, directory, "markdown", async (source) => {
    for (const { version, format } of await listContents(context.app, skill.id, 0))
      if (format === "markdown" && (await isVersion(context.app, skill, version, source))) return true;
    return false;
  });
}
