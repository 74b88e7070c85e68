/** Which service a command talks to, and as whom. */
import { type Client, openClient } from "../api/client.ts";
import type { HttpOptions } from "../api/http.ts";
import type { Context } from "../context.ts";
import { invalidArgument } from "../errors.ts";
import { version } from "../version.ts";
import { type Config, profileName } from "./config.ts";
import { readConfig } from "./state.ts";

const defaultApiUrl = "http://127.0.0.1:3000";

export interface Session {
  config: Config;
  profile: string;
  apiUrl: string;
  client: Client;
}

/** `token` replaces the stored one for this session; `{ use: undefined }` sends none, as for logging in. */
export async function openSession(
  context: Context,
  options: { token?: { use: string | undefined } } = {},
): Promise<Session> {
  const config = await readConfig(context);
  const profile = profileName(config, context.profileFlag, context.env);
  const stored = config.profiles[profile];
  const apiUrl = serviceAddress(context, stored);
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
    env: context.env,
    ...(sign === undefined ? {} : { sign }),
  });
}

function tokenFor(
  context: Context,
  apiUrl: string,
  stored: { token?: string; apiUrl?: string } | undefined,
): string | undefined {
  const override = context.env["SVC_TOKEN"];
  if (override !== undefined && override !== "") return override;
  if (stored?.token === undefined) return undefined;
  // A token that was given for one service is not shown to another one.
  if (sameService(stored.apiUrl ?? defaultApiUrl, apiUrl)) return stored.token;
  context.output.warn(
    `Your login is for ${stored.apiUrl ?? defaultApiUrl}, so it is not used for ${apiUrl}.`,
  );
  return undefined;
}

/** Where a profile's service is: `SVC_API_URL`, then the address of its login, then the default. */
export function serviceAddress(context: Context, stored: { apiUrl?: string } | undefined): string {
  const fromEnv = context.env["SVC_API_URL"];
  const given = fromEnv === "" ? undefined : fromEnv;
  const text = given ?? stored?.apiUrl ?? defaultApiUrl;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || (url.protocol !== "http:" && url.protocol !== "https:"))
    throw invalidArgument(
      "SVC_API_URL",
      // Into the log of a pipeline goes no password.
      `SVC_API_URL is not an http address: "${text.replace(/[^/]*@/, "…@")}".`,
    );
  if (url.username !== "" || url.password !== "")
    throw invalidArgument("SVC_API_URL", "SVC_API_URL must not hold a password: use SVC_TOKEN.");
  return url.origin + url.pathname.replace(/\/+$/, "");
}

/** One origin, or this machine under any of its names and ports: a trial service moves between them. */
function sameService(a: string, b: string): boolean {
  const [left, right] = [new URL(a), new URL(b)];
  return left.origin === right.origin || (isLoopback(left.hostname) && isLoopback(right.hostname));
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(host);
}
