import { checkSkillUrl } from "../../api/address.ts";
import { parseUnpinnedRef } from "../../arguments/pins.ts";
import { defineCommand } from "../../command.ts";
import { resolveSkill } from "../../install/pins/resolve-skill.ts";
import { skillArgument } from "../../present.ts";
import { openSession } from "../../state/session.ts";
import { openBrowser } from "../../terminal/browser.ts";

export const open = defineCommand({
  positionals: { skill: { ...skillArgument, completes: "installed" } },
  flags: {},
  examples: ["svc open code-review", "svc open acme/code-review -o json"],
  async run(context, args) {
    const ref = parseUnpinnedRef(
      args.skill,
      "<skill>",
      "open takes no pin: the page shows the current version.",
    );
    const session = await openSession(context);
    const { publicId, slug, tenantSlug, name } = (await resolveSkill(session, ref)).skill;
    const url = checkSkillUrl(`${session.apiUrl}/s/${publicId}`);
    if (context.interactive) await openBrowser(url);
    return { data: { skill: { publicId, slug, tenantSlug, name }, url }, text: url };
  },
});
