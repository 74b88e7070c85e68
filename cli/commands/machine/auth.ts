import { text as readAll } from "node:stream/consumers";
import { defineCommand, type CommandResult } from "../../command.ts";
import type { Context } from "../../context.ts";
import { CliError } from "../../errors.ts";
import { openSession } from "../../state/session.ts";

/** For programs that read headers from a command, such as Claude Code's `headersHelper`. */
export const authHeader = defineCommand({
  positionals: {},
  flags: {},
  examples: ["svc auth header"],
  async run(context): Promise<CommandResult> {
    const { token } = await loginOf(context);
    const headers = { Authorization: `Bearer ${token}` };
    return { data: headers, text: JSON.stringify(headers) };
  },
});

/** A credential helper of Git (gitcredentials(7)). It answers for the service of the login, and for no other host. */
export const authGit = defineCommand({
  positionals: {
    action: { required: true, description: "get; Git also says store and erase, which do nothing" },
  },
  flags: {},
  examples: ["git config --global credential.https://skills.example.com.helper '!svc auth git'"],
  async run(context, { action }): Promise<CommandResult> {
    const nothing = { data: {}, text: "" };
    if (action !== "get") return nothing;
    const asked = new Map(
      (await readAll(process.stdin)).split("\n").map((line): [string, string] => {
        const at = line.indexOf("=");
        return [line.slice(0, at), line.slice(at + 1)];
      }),
    );
    const address = `${asked.get("protocol")}://${asked.get("host")}`;
    const { token, apiUrl } = await loginOf(context);
    if (!URL.canParse(address) || new URL(address).origin !== new URL(apiUrl).origin) return nothing;
    const credentials = { username: "svc", password: token };
    return { data: credentials, text: `username=${credentials.username}\npassword=${token}` };
  },
});

async function loginOf(context: Context): Promise<{ token: string; apiUrl: string }> {
  const { client, apiUrl } = await openSession(context);
  const { token } = client.options;
  if (token === undefined)
    throw new CliError("E_NOT_AUTHENTICATED", "You are not logged in: run svc login, or set SVC_TOKEN.");
  return { token, apiUrl };
}
