import { limits } from "../../../contract/limits.ts";
import { openSyncCalls } from "../../api/calls/sync.ts";
import { orgFlag } from "../../api/choose-organization.ts";
import { collectPages } from "../../api/pages.ts";
import { parseLimit } from "../../arguments/limit-flag.ts";
import { defineCommand } from "../../command.ts";
import { openOrganization } from "../../state/open-organization.ts";
import { conflictLines, presentConflict } from "./conflict.ts";

const defaultLimit = 20;

export const syncConflicts = defineCommand({
  positionals: {},
  flags: {
    org: orgFlag,
    limit: { value: "required", hint: "n", description: `At most this many (default ${defaultLimit})` },
  },
  examples: ["svc sync conflicts", "svc sync conflicts --org acme --limit 5 -o json"],
  async run(context, args) {
    const wanted = parseLimit(args.limit, defaultLimit);
    const { client, organization } = await openOrganization(
      context,
      args,
      "The conflicts of which organization?",
    );
    const calls = openSyncCalls(client.options, organization.id);
    const limit = Math.min(wanted, limits.pageSizeMax);
    const { items, more } = await collectPages((cursor) => calls.conflicts({ limit, cursor }), wanted);
    const conflicts = items.map((item) => presentConflict(item, organization));
    if (more) context.output.note(`Only the newest ${conflicts.length} are shown: use --limit for more.`);
    return {
      data: { organization, conflicts, more },
      text: conflicts.length === 0 ? "No conflicts." : conflictLines(context, conflicts).join("\n"),
    };
  },
});
