import { defineCommand } from "../command.ts";
import { profileName } from "../state/config.ts";
import { changeConfig } from "../state/state.ts";

export const logout = defineCommand({
  name: "logout",
  summary: "Forget the stored token",
  positionals: {},
  flags: {},
  examples: ["svc logout"],
  async run(context) {
    await changeConfig(context, async ({ config, save }) => {
      const profile = config.profiles[profileName(config, context.profileFlag, context.env)];
      if (profile?.token === undefined) return;
      delete profile.token;
      await save();
    });
    if ((context.env["SVC_TOKEN"] ?? "") !== "")
      context.output.warn("SVC_TOKEN is set: commands keep using that token.");
    return { data: { loggedOut: true }, text: "Logged out." };
  },
});
