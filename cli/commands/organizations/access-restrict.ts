import { folderLevels } from "../../../contract/vocabulary.ts";
import { openAccessCalls } from "../../api/calls/access.ts";
import { openOrganizationCalls } from "../../api/calls/organization.ts";
import { orgFlag } from "../../api/choose-organization.ts";
import { defineCommand } from "../../command.ts";
import { invalidArgument } from "../../errors.ts";
import { openSession } from "../../state/session.ts";
import { plainLine } from "../../terminal/table.ts";
import { applyAccess } from "./access-change.ts";
import { changeFlags, findGrantees, grantFlags, grantsAfter } from "./access-plan.ts";
import { findFolder } from "./access-target.ts";

export const accessRestrict = defineCommand({
  positionals: { folder: { required: true, description: "Path by names or slugs, as ops/reviews" } },
  flags: {
    ...grantFlags,
    level: {
      value: "required",
      hint: folderLevels.join("|"),
      choices: folderLevels,
      description: "What the given members and teams may do (default: viewer)",
    },
    lift: { value: "none", description: "Lift the restriction; the grants are kept, without effect" },
    org: orgFlag,
    ...changeFlags,
  },
  exclusive: [
    ["lift", "user"],
    ["lift", "team"],
    ["lift", "level"],
  ],
  examples: [
    "svc access restrict ops/incidents --team platform --level editor",
    "svc access restrict ops/incidents --dry-run",
    "svc access restrict ops/incidents --lift --yes -o json",
  ],
  async run(context, args) {
    const level = folderLevels.find((one) => one === args.level) ?? "viewer";
    if (args.level !== undefined && args.user.length + args.team.length === 0)
      throw invalidArgument("--level", "--level goes with --user or --team.");
    const { client } = await openSession(context);
    const target = await findFolder(context, client, args.folder, args.org);
    const { folder } = target.named;
    const calls = openAccessCalls(client.options);
    const grantees = await findGrantees(
      openOrganizationCalls(client.options),
      target.organization,
      args,
      level,
    );
    const before = await calls.folderAccess(folder.id);
    const restricted = !args.lift;
    const { data, lines } = await applyAccess(context, calls, folder, {
      input: { restricted, grants: grantsAfter(before, grantees) },
      revision: before.revision,
      isDryRun: args["dry-run"],
      isConfirmed: args.yes,
      subject: `${restricted ? "Restrict" : "Lift the restriction of"} ${plainLine(folder.path)}/`,
    });
    const name = context.output.paint("bold", `${plainLine(folder.path)}/`);
    const state = restricted ? "restricted to those with a grant" : "open to the roles of the organization";
    return {
      data: { organization: target.organization, ...data, grants: grantees },
      text: [`${name} ${args["dry-run"] ? "would be" : "is"} ${state}.`, ...lines].join("\n"),
    };
  },
});
