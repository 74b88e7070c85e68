import { resolve } from "node:path";
import { countText } from "../../../contract/count-text.ts";
import { defineCommand } from "../../command.ts";
import type { Context } from "../../context.ts";
import type { Drift } from "../../project/drift/drift.ts";
import { findDrift } from "../../project/drift/find-drift.ts";
import { projectFolder, readProject } from "../../project/files.ts";
import { profileName } from "../../state/profiles.ts";
import { readConfig } from "../../state/read-config.ts";
import { plainLine } from "../../terminal/table.ts";

export const verify = defineCommand({
  positionals: {},
  flags: {
    project: {
      short: "p",
      value: "required",
      hint: "dir",
      completes: "folder",
      description: "A project (default: this folder, if it has a svc.json or svc.lock)",
    },
    global: { short: "g", value: "none", description: "All installs, also outside the project" },
  },
  examples: ["svc verify", "svc verify -p ../app", "svc verify -g -o json"],
  async run(context, args) {
    const given = args.project ?? ".";
    const folder = await projectFolder(resolve(context.cwd, given), given);
    const project = await readProject(folder);
    const isProject = project.manifestText !== undefined || project.lockText !== undefined;
    const isWhole = args.global || (args.project === undefined && !isProject);

    const config = await readConfig(context);
    const profile = profileName(config, context.profileFlag, context.env);
    const scope = { folder: isWhole ? undefined : folder, project };
    const { drift, checked } = await findDrift(context, config, profile, scope);
    const ok = drift.length === 0;
    return {
      data: {
        ok,
        project: isWhole && !isProject ? undefined : folder,
        locked: project.lockText !== undefined,
        checked,
        drift,
      },
      text: [...drift.map((one) => line(context, one)), total(checked, drift.length)].join("\n"),
      partial: !ok,
    };
  },
});

function line({ output: { paint } }: Context, { kind, skill, message }: Drift): string {
  return `${paint("red", kind)}  ${paint("bold", plainLine(skill))}  ${plainLine(message)}`;
}

function total({ skills, places }: { skills: number; places: number }, found: number): string {
  const looked = `${countText(skills, "skill")}, ${countText(places, "install")}`;
  return found === 0 ? `${looked}: all as it should be.` : `${looked}: ${countText(found, "deviation")}.`;
}
