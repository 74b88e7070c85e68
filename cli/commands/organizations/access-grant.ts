import type { FolderPayload } from "../../../contract/payloads/organizations/folders.ts";
import { folderLevels } from "../../../contract/vocabulary.ts";
import { type AccessCalls, openAccessCalls } from "../../api/calls/access.ts";
import { openOrganizationCalls } from "../../api/calls/organization.ts";
import { orgFlag } from "../../api/choose-organization.ts";
import { defineCommand } from "../../command.ts";
import { invalidArgument } from "../../errors.ts";
import { openSession } from "../../state/session.ts";
import { plainLine } from "../../terminal/table.ts";
import { applyAccess } from "./access-change.ts";
import { changeFlags, findGrantees, type Grantee, grantFlags, grantsAfter } from "./access-plan.ts";
import { type AccessTarget, findTarget, restrictionOf } from "./access-target.ts";

const noLevel = "none";

export const accessGrant = defineCommand({
  positionals: {
    target: { required: true, description: "The path of a folder, or a skill in a restricted folder" },
  },
  flags: {
    ...grantFlags,
    level: {
      value: "required",
      hint: [...folderLevels, noLevel].join("|"),
      choices: [...folderLevels, noLevel],
      description: `What they may do; ${noLevel} revokes their grant`,
    },
    org: orgFlag,
    ...changeFlags,
  },
  examples: [
    "svc access grant ops/ --team platform --level editor",
    "svc access grant ops/ --user ada --user bob --level viewer -o json",
    "svc access grant ops/ --user ada --level none --yes",
  ],
  async run(context, args) {
    const level = folderLevels.find((one) => one === args.level) ?? null;
    if (args.level === undefined)
      throw invalidArgument("--level", `--level is required: ${[...folderLevels, noLevel].join(", ")}.`);
    if (args.user.length + args.team.length === 0)
      throw invalidArgument("--user", "Name who gets the grant, with --user or --team.");
    const { client } = await openSession(context);
    const target = await findTarget(context, client, args.target, args.org);
    const calls = openAccessCalls(client.options);
    const folder = await folderOf(calls, target);
    const grantees = await findGrantees(
      openOrganizationCalls(client.options),
      target.organization,
      args,
      level,
    );
    if (target.named.kind === "skill")
      context.output.note(
        `The grant counts for all skills under the restriction of ${plainLine(folder.path)}/.`,
      );
    const before = await calls.folderAccess(folder.id);
    const warnings = before.restricted
      ? []
      : [
          `${folder.path}/ is not restricted itself, so that grants on it have no effect. Use svc access restrict.`,
        ];
    for (const warning of warnings) context.output.warn(plainLine(warning));
    const input = { restricted: before.restricted, grants: grantsAfter(before, grantees) };
    const { data, lines } = await applyAccess(context, calls, folder, {
      input,
      revision: before.revision,
      isDryRun: args["dry-run"],
      isConfirmed: args.yes,
      subject: `Change the grants on ${plainLine(folder.path)}/`,
    });
    return {
      data: {
        organization: target.organization,
        ...data,
        grants: grantees,
        warnings: [...warnings, ...data.warnings],
      },
      text: [grantText(folder, grantees, args["dry-run"]), ...lines].join("\n"),
    };
  },
});

/** The folder whose grants decide about a skill, or the folder itself. */
async function folderOf(calls: AccessCalls, target: AccessTarget): Promise<FolderPayload> {
  if (target.named.kind === "folder") return target.named.folder;
  const restriction = await restrictionOf(calls, target);
  const folder = target.folders.find(({ id }) => id === restriction?.folderId);
  if (folder) return folder;
  throw invalidArgument(
    "<target>",
    `"${target.named.skill.slug}" is in no restricted folder: the roles of the organization decide about ` +
      "it. Restrict its folder first, with svc access restrict.",
  );
}

function grantText(folder: FolderPayload, grantees: readonly Grantee[], isDryRun: boolean): string {
  const names = grantees.map(({ type, name }) => `${type} ${plainLine(name)}`).join(", ");
  const level = grantees[0]?.level ?? null;
  const path = `${plainLine(folder.path)}/`;
  if (level === null) return `${isDryRun ? "Would revoke" : "Revoked"} the grant on ${path} of ${names}.`;
  return `${isDryRun ? "Would make" : "Made"} ${names} ${level} of ${path}.`;
}
