/** The service that a command talks to, and the token that it sends. */
import { isSameService, requireProtected } from "../api/address.ts";
import { type Client, openClient } from "../api/client.ts";
import type { HttpOptions } from "../api/http.ts";
import type { Context } from "../context.ts";
import { CliError, invalidArgument } from "../errors.ts";
import { version } from "../version.ts";
import type { Config } from "./config.ts";
import { profileName } from "./profiles.ts";
import { readConfig } from "./read-config.ts";

const defaultApiUrl = "http://127.0.0.1:3000";

export interface Session {
  config: Config;
  profile: string;
  apiUrl: string;
  client: Client;
}

/**
 * `token` replaces the stored one for this session; `{ use: undefined }` sends none, as for a login. `allowHttp`:
 * the user allows plain HTTP to the service.
 */
export async function openSession(
  context: Context,
  options: { token?: { use: string | undefined }; allowHttp?: boolean } = {},
): Promise<Session> {
  const config = await readConfig(context);
  const profile = profileName(config, context.profileFlag, context.env);
  const stored = config.profiles[profile];
  const apiUrl = serviceAddress(context, config, options);
  const token = options.token === undefined ? tokenFor(context, apiUrl, stored) : options.token.use;
  return { config, profile, apiUrl, client: clientFor(context, apiUrl, token) };
}

export function clientFor(
  context: Context,
  apiUrl: string,
  token: string | undefined,
  sign?: HttpOptions["sign"],
): Client {
  return openClient({
    baseUrl: apiUrl,
    token,
    userAgent: `svc/${version} (${context.platform})`,
    sleep: context.sleep,
    waiting: context.output.waiting,
    pausing: context.output.pausing,
    env: context.env,
    sign,
  });
}

function tokenFor(
  context: Context,
  apiUrl: string,
  stored: { token?: string; apiUrl?: string } | undefined,
): string | undefined {
  const override = context.env["SVC_TOKEN"]?.trim() ?? "";
  if (/[^\x21-\x7e]/.test(override))
    throw new CliError(
      "E_NOT_AUTHENTICATED",
      "SVC_TOKEN is not a token: it has spaces or other characters inside that no token has. Set it to the token alone.",
      { flag: "SVC_TOKEN" },
    );
  if (override !== "") return override;
  if (stored?.token === undefined) return undefined;
  // A token of one service is never sent to another one.
  if (isSameService(stored.apiUrl ?? defaultApiUrl, apiUrl)) return stored.token;
  context.output.warn(
    `Your login is for ${stored.apiUrl ?? defaultApiUrl}, so it is not used for ${apiUrl}.`,
  );
  return undefined;
}

/**
 * A client with a profile's token, for the service that issued it only. Throws as
 * `serviceAddress` does.
 */
export function clientOfLogin(
  context: Context,
  config: Config,
  login: { token: string; apiUrl?: string },
): Client {
  const current = serviceAddress(context, config);
  const isSame = isSameService(login.apiUrl ?? defaultApiUrl, current);
  const env = { ...context.env, SVC_API_URL: "" };
  return clientFor(context, isSame ? current : serviceAddress({ ...context, env }, config), login.token);
}

/**
 * The service's address: `SVC_API_URL`, then that of the profile's login, then the default. Throws for plain HTTP to
 * another machine, unless that was allowed.
 */
export function serviceAddress(
  context: Context,
  config: Config,
  options: { allowHttp?: boolean } = {},
): string {
  const fromEnv = context.env["SVC_API_URL"];
  const given = fromEnv === "" ? undefined : fromEnv;
  const stored = config.profiles[profileName(config, context.profileFlag, context.env)];
  const text = given ?? stored?.apiUrl ?? defaultApiUrl;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || (url.protocol !== "http:" && url.protocol !== "https:"))
    throw invalidArgument(
      "SVC_API_URL",
      // A password must not appear in the log of a pipeline.
      `SVC_API_URL is not an http address: "${text.replace(/[^/]*@/, "…@")}".`,
    );
  if (url.username !== "" || url.password !== "")
    throw invalidArgument("SVC_API_URL", "SVC_API_URL must not contain a password. Use SVC_TOKEN.");
  if (options.allowHttp !== true) requireProtected(url, config.allowedHttp ?? [], context.env);
  return url.origin + url.pathname.replace(/\/+$/, "");
}
