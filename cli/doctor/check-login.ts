/** Check of the login: whether there is one for the service, and whether the service accepts it. */
import { parseBody } from "../api/call.ts";
import type { Client } from "../api/client.ts";
import type { Context } from "../context.ts";
import { CliError } from "../errors.ts";
import type { Config } from "../state/config.ts";
import { clientFor, clientOfLogin } from "../state/session.ts";
import { requestTimeoutMs } from "./check-service.ts";
import { type Check, failed, ok, warning } from "./check.ts";

const name = "login";

export async function checkLogin(
  context: Context,
  { config, profile, apiUrl, isUp }: { config: Config; profile: string; apiUrl: string; isUp: boolean },
): Promise<Check> {
  const override = context.env["SVC_TOKEN"] ?? "";
  if (override !== "") return verifyToken(clientFor(context, apiUrl, override), "SVC_TOKEN", isUp);
  const { token, apiUrl: issuer } = config.profiles[profile] ?? {};
  if (token === undefined)
    return warning(name, `Profile ${profile} is not logged in.`, "Run svc login, or set SVC_TOKEN.");
  const client = clientOfLogin(context, config, {
    token,
    apiUrl: issuer,
  });
  if (client.options.baseUrl !== apiUrl)
    return warning(
      name,
      `The login of profile ${profile} is for ${client.options.baseUrl}, so it is not used for ${apiUrl}.`,
      "Run svc login for this service, or unset SVC_API_URL.",
    );
  return verifyToken(client, `The login of profile ${profile}`, isUp);
}

async function verifyToken(client: Client, source: string, isUp: boolean): Promise<Check> {
  if (!isUp)
    return warning(
      name,
      `${source} could not be checked, since the service can't be reached.`,
      "Run svc doctor again when it can be.",
    );
  try {
    const text = await client.plain({ method: "GET", url: "/api/user/profile", timeoutMs: requestTimeoutMs });
    const body = parseBody(text) as { data?: { username?: unknown } } | undefined;
    const user = body?.data?.username;
    return ok(name, `${source} is valid${typeof user === "string" ? ` (${user})` : ""}.`);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    if (error.code === "E_NOT_AUTHENTICATED")
      return failed(
        name,
        `${source} is not accepted by the service.`,
        "Run svc login, or correct SVC_TOKEN.",
      );
    // An organization's token, and one that is narrowed by scopes, may not read the profile.
    if (error.code === "E_FORBIDDEN") return ok(name, `${source} is valid; it is not a person's full login.`);
    return failed(name, `${source} could not be checked: ${error.message}`, "Run svc doctor again.");
  }
}
