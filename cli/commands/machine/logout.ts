import { type CommandResult, defineCommand } from "../../command.ts";
import type { Context } from "../../context.ts";
import { CliError, messageOf } from "../../errors.ts";
import type { Config } from "../../state/config.ts";
import { profileName } from "../../state/profiles.ts";
import { clientOfLogin } from "../../state/session.ts";
import { changeConfig } from "../../state/state.ts";

interface Login {
  config: Config;
  token: string;
  apiUrl?: string;
  isBrowserLogin: boolean;
}

export const logout = defineCommand({
  positionals: {},
  flags: {
    "keep-token": {
      value: "none",
      description: "Remove the token from this machine only, where something else uses it",
    },
  },
  examples: ["svc logout", "svc logout --keep-token"],
  async run(context, args): Promise<CommandResult> {
    // Before the revocation, since the service may be unreachable.
    const login = await forgetLogin(context);
    if ((context.env["SVC_TOKEN"] ?? "") !== "")
      context.output.warn("SVC_TOKEN is set: commands keep using that token.");
    if (login === undefined) return { data: { loggedOut: true }, text: "You were not logged in." };
    const isKept = args["keep-token"] || !login.isBrowserLogin;
    const fault = isKept ? undefined : await revoke(context, login);
    if (isKept)
      return {
        data: { loggedOut: true },
        text: "Logged out on this machine. The token stays valid on the service: revoke it there if nothing else uses it.",
      };
    if (fault === undefined)
      return { data: { loggedOut: true }, text: "Logged out, and revoked the token of this login." };
    context.output.warn(fault);
    return {
      data: { loggedOut: true, revoked: false, warnings: [fault] },
      text: "Logged out on this machine.",
    };
  },
});

/** Removes the token from this machine. */
async function forgetLogin(context: Context): Promise<Login | undefined> {
  return changeConfig(context, async ({ config, save }) => {
    const profile = config.profiles[profileName(config, context.profileFlag, context.env)];
    if (profile?.token === undefined) return undefined;
    const { token, apiUrl, isBrowserLogin = false } = profile;
    delete profile.token;
    delete profile.isBrowserLogin;
    await save();
    return { config, token, isBrowserLogin, apiUrl };
  });
}

/** Revokes a token on its service. Returns a message if it may still be valid there. */
async function revoke(context: Context, login: Login): Promise<string | undefined> {
  try {
    await clientOfLogin(context, login.config, login).revokeToken();
    return undefined;
  } catch (error) {
    // A token that is no longer accepted needs no revocation.
    if (error instanceof CliError && error.code === "E_NOT_AUTHENTICATED") return undefined;
    return (
      `The token may still be valid on the service. ${messageOf(error)} Revoke it there when you are ` +
      "logged in again, or wait until it expires."
    );
  }
}
