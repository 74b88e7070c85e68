import { resolve } from "node:path";
import { countText } from "../../../contract/text/count-text.ts";
import { defineCommand } from "../../command.ts";
import type { Context } from "../../context.ts";
import type { Drift } from "../../project/drift/drift.ts";
import { findDrift } from "../../project/drift/find-drift.ts";
import { projectFolder, readProject, type Project } from "../../project/files.ts";
import { verifyOrigins, type Origin } from "../../provenance/verify-installed.ts";
import { profileName } from "../../state/profiles.ts";
import { readConfig } from "../../state/read-config.ts";
import { openSession } from "../../state/session.ts";
import { plainLine } from "../../terminal/table.ts";

export const verify = defineCommand({
  positionals: {},
  flags: {
    project: {
      short: "p",
      value: "required",
      hint: "dir",
      completes: "folder",
      description: "Folder of a project (default: this folder, if it has a svc.json or svc.lock)",
    },
    provenance: {
      value: "none",
      description: "Also verify the signed origin of each version, and that svc.json allows its builder",
    },
    global: {
      short: "g",
      value: "none",
      description: "Verify all installs, also those outside of the project",
    },
  },
  examples: ["svc verify", "svc verify -p ../app", "svc verify --provenance", "svc verify -g -o json"],
  async run(context, args) {
    const given = args.project ?? ".";
    const folder = await projectFolder(resolve(context.cwd, given), given);
    const project = await readProject(folder);
    const isProject = project.manifestText !== undefined || project.lockText !== undefined;
    const isWhole = args.global || (args.project === undefined && !isProject);

    const config = await readConfig(context);
    const profile = profileName(config, context.profileFlag, context.env);
    const scope = { folder: isWhole ? undefined : folder, project };
    const { drift: found, checked, installed } = await findDrift(context, config, profile, scope);
    const signed = args.provenance
      ? await verifyOrigins(
          (await openSession(context)).client.options,
          installed,
          builders(project, isWhole),
        )
      : undefined;
    const drift = [...found, ...(signed?.drift ?? [])];
    const ok = drift.length === 0;
    return {
      data: {
        ok,
        project: isWhole && !isProject ? undefined : folder,
        locked: project.lockText !== undefined,
        checked,
        drift,
        origins: signed?.origins,
      },
      text: [
        ...(signed?.origins ?? []).map((one) => originLine(context, one)),
        ...drift.map((one) => line(context, one)),
        total(checked, drift.length),
      ].join("\n"),
      partial: !ok,
    };
  },
});

/** The demand of a project concerns its own installs only. */
const builders = ({ manifest }: Project, isWhole: boolean) => (isWhole ? undefined : manifest?.builders);

function originLine({ output: { paint } }: Context, { skill, semver, origin }: Origin): string {
  return `${paint("green", "signed")}  ${paint("bold", plainLine(skill))} ${semver}  ${plainLine(origin)}`;
}

function line({ output: { paint } }: Context, { kind, skill, message }: Drift): string {
  return `${paint("red", kind)}  ${paint("bold", plainLine(skill))}  ${plainLine(message)}`;
}

function total({ skills, places }: { skills: number; places: number }, found: number): string {
  const looked = `${countText(skills, "skill")}, ${countText(places, "install")}`;
  return found === 0 ? `${looked}: no deviations.` : `${looked}: ${countText(found, "deviation")}.`;
}
