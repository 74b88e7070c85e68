import { text as readAll } from "node:stream/consumers";
import { isExposed, isLoopback, isSameService } from "../../api/address.ts";
import { awaitDeviceToken, requestDeviceCode } from "../../api/calls/device.ts";
import { readIdentityToken } from "../../api/identity-token.ts";
import { type CommandResult, defineCommand } from "../../command.ts";
import type { Context } from "../../context.ts";
import { CliError, invalidArgument } from "../../errors.ts";
import { machineIdOf, profileOf } from "../../state/config.ts";
import { profileName } from "../../state/profiles.ts";
import { type Session, clientFor, openSession } from "../../state/session.ts";
import { changeConfig, checkWritableState } from "../../state/state.ts";
import { openBrowser } from "../../terminal/browser.ts";
import { askWhether } from "../../terminal/prompts.ts";
import { plainLine } from "../../terminal/table.ts";

const tokenShape = /^lskt?_[0-9a-f]{64}$/;

interface LoggedInUser {
  username: string;
  name: string;
  email: string;
}

export const login = defineCommand({
  positionals: {
    url: { description: "Address of the service, kept for later commands (default: the current one)" },
  },
  flags: {
    token: {
      value: "required",
      hint: "API_TOKEN",
      description: "Store this API token; - reads it from the standard input",
    },
    "token-stdin": { value: "none", description: "Read the API token from the standard input" },
    "oidc-token": {
      value: "required",
      hint: "OIDC_TOKEN",
      description:
        "Exchange a CI identity token for an API token of one hour; auto: the job's own; -: from stdin",
    },
    team: {
      value: "required",
      hint: "org_slug",
      form: "organization",
      description: "Organization for --oidc-token",
    },
    "allow-http": {
      value: "none",
      description: "Allow plain HTTP to this service from now on, where it is on another machine",
    },
  },
  exclusive: [["token", "token-stdin", "oidc-token"]],
  examples: [
    "svc login",
    "svc login https://skills.example.com",
    "svc login --token lsk_…",
    "svc login --token-stdin < token.txt",
    "svc login --oidc-token auto --team acme",
  ],
  async run(context, args) {
    const allowHttp = args["allow-http"];
    // A login that can't be stored must fail before it is approved.
    await checkWritableState(context);
    const session = await openSession(at(context, args.url), { token: { use: undefined }, allowHttp });
    // Before the first request: the login itself is what the user allows.
    if (allowHttp) await rememberHttp(context, session.apiUrl);
    if (args["oidc-token"] !== undefined) {
      if (args.team === undefined)
        throw invalidArgument("--team", "--oidc-token needs --team with the organization's slug.");
      const identity = await readIdentityToken(context, args["oidc-token"], session.apiUrl);
      return withOidcToken(context, session, identity, args.team);
    }
    if (args.team !== undefined) throw invalidArgument("--team", "--team goes with --oidc-token only.");
    const isFromInput = args["token-stdin"] || args.token === "-";
    const token = isFromInput ? await readToken(args.token) : args.token;
    const result = await (token === undefined
      ? withBrowser(context, session)
      : withToken(context, session, token));
    warnOfOverride(context, session);
    return result;
  },
});

/** The context with the given address in the place of `SVC_API_URL`. Throws `E_INVALID_ARGUMENT`. */
function at(context: Context, address: string | undefined): Context {
  if (address === undefined) return context;
  if (/^lskt?_/.test(address))
    throw invalidArgument("<url>", "This is an API token, not an address. Use --token, or --token-stdin.");
  const text = /^[a-z][a-z0-9+.-]*:\/\//i.test(address) ? address : `${schemeFor(address)}://${address}`;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isUsable = url !== undefined && /^https?:$/.test(url.protocol) && !/[\s"<>]/.test(address);
  if (!isUsable || url.username !== "" || url.password !== "")
    throw invalidArgument(
      "<url>",
      "This is not an address of a service. Use one such as https://skills.example.com, without a password.",
    );
  return { ...context, env: { ...context.env, SVC_API_URL: url.origin + url.pathname } };
}

function schemeFor(address: string): "http" | "https" {
  const url = `http://${address}`;
  return URL.canParse(url) && isLoopback(new URL(url).hostname) ? "http" : "https";
}

/** `flag`: the value of `--token`, which names the flag in the error. */
async function readToken(flag: string | undefined): Promise<string> {
  const token = (await readAll(process.stdin)).trim();
  if (token === "")
    throw invalidArgument(
      flag === undefined ? "--token-stdin" : "--token",
      "The standard input has no token. Pipe one in: svc login --token-stdin < token.txt.",
    );
  return token;
}

function warnOfOverride({ env, output }: Context, { apiUrl }: Session): void {
  const override = env["SVC_API_URL"] ?? "";
  if (override !== "" && override.replace(/\/+$/, "") !== apiUrl)
    output.warn(`SVC_API_URL is set: commands use ${override}, not ${apiUrl}.`);
}

async function withToken(context: Context, session: Session, token: string): Promise<CommandResult> {
  if (!tokenShape.test(token))
    throw invalidArgument(
      "--token",
      "This is not an API token. A token is lsk_ or lskt_ and 64 hexadecimal characters.",
    );
  const user = await userOf(context, session, token);
  await store(context, session, token);
  return {
    data: { method: "token", user },
    text: welcome(user),
  };
}

async function withOidcToken(
  context: Context,
  session: Session,
  oidcToken: string,
  team: string,
): Promise<CommandResult> {
  const { token, expiresAt } = await session.client.exchangeOidc(oidcToken, team).catch((error: unknown) => {
    throw explainRefusal(session, error);
  });
  if (!tokenShape.test(token)) throw new CliError("E_API", "The service returned no usable token.");
  await store(context, session, token);
  return { data: { method: "oidc", expiresAt }, text: `Logged in to ${team} until ${expiresAt}.` };
}

/** A service without the exchange is 404, which must not be reported as an unknown organization. */
function explainRefusal(session: Session, error: unknown): unknown {
  if (!(error instanceof CliError)) return error;
  const { kind, httpStatus, serverMessage } = error.details ?? {};
  // The general message recommends this command.
  if (httpStatus === 401 && serverMessage !== undefined)
    return new CliError(error.code, serverMessage, error.details, { cause: error });
  if (kind !== undefined) return error;
  if (httpStatus !== 404 && httpStatus !== 405) return error;
  return new CliError(
    "E_API",
    `${session.apiUrl} offers no exchange of CI identity tokens: log in with --token.`,
    error.details,
    { cause: error },
  );
}

async function withBrowser(context: Context, session: Session): Promise<CommandResult> {
  const { output } = context;
  const code = await requestDeviceCode(session.client, await loginMachine(session));
  const url = webAddress(code.verification_uri);
  const directUrl = webAddress(code.verification_uri_complete);
  output.event({
    status: "pending",
    verificationUrl: directUrl,
    userCode: code.user_code,
    expiresIn: code.expires_in,
  });
  output.note(`Open ${output.paint("cyan", plainLine(url), "stderr")} and enter this code:`);
  output.note(`\n  ${output.paint("bold", plainLine(code.user_code), "stderr")}\n`);
  if (context.interactive) await offerBrowser(session, directUrl);
  output.note("Waiting for your approval in the browser…");

  const token = await awaitDeviceToken(session.client, code, context);
  if (!tokenShape.test(token)) throw new CliError("E_API", "The service returned no usable token.");
  const user = await userOf(context, session, token);
  await store(context, session, token, true);
  output.event({ status: "authenticated", user });
  return { data: undefined, text: welcome(user) };
}

/** Hash of the machine's random id and the profile: each profile has its own login, and the id is never sent. */
async function loginMachine({ config, profile }: Session): Promise<string> {
  const text = new TextEncoder().encode(`svc login\n${machineIdOf(config)}\n${profile}`);
  return Buffer.from(await crypto.subtle.digest("SHA-256", text)).toString("hex");
}

/** The user of the token; undefined for an organization's token. Throws if the service does not accept it. */
async function userOf(context: Context, session: Session, token: string): Promise<LoggedInUser | undefined> {
  try {
    const { username, name, email } = await clientFor(context, session.apiUrl, token).profile();
    return { username, name, email };
  } catch (error) {
    const isOrgToken = token.startsWith("lskt_");
    if (isOrgToken && error instanceof CliError && ["E_FORBIDDEN", "E_NOT_FOUND"].includes(error.code))
      return undefined;
    if (error instanceof CliError && error.code === "E_NOT_AUTHENTICATED")
      throw new CliError(
        "E_NOT_AUTHENTICATED",
        `${session.apiUrl} does not accept this token.`,
        error.details,
      );
    throw error;
  }
}

async function store(
  context: Context,
  session: Session,
  token: string,
  isBrowserLogin = false,
): Promise<void> {
  await changeConfig(context, async ({ config, save }) => {
    const profile = profileOf(config, profileName(config, context.profileFlag, context.env));
    profile.token = token;
    if (isBrowserLogin) profile.isBrowserLogin = true;
    else delete profile.isBrowserLogin;
    profile.apiUrl = session.apiUrl;
    // The id that the login named, unless a concurrent command has stored one.
    const { machineId } = session.config;
    if (machineId !== undefined) config.machineId ??= machineId;
    await save();
  });
  if ((context.env["SVC_TOKEN"] ?? "") !== "")
    context.output.warn("SVC_TOKEN is set: commands use that token, not the one of this login.");
}

async function rememberHttp(context: Context, apiUrl: string): Promise<void> {
  const url = new URL(apiUrl);
  if (!isExposed(url)) return;
  await changeConfig(context, async ({ config, save }) => {
    if (config.allowedHttp?.includes(url.origin)) return;
    config.allowedHttp = [...(config.allowedHttp ?? []), url.origin];
    await save();
  });
}

/** An address from the service for the browser to open: http or https only, in normalized form. */
function webAddress(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && /^https?:$/.test(url.protocol) && url.username === "" && url.password === "")
    return url.href;
  throw new CliError("E_API", "The service returned an unusable verification address.");
}

/** A page on another site could make the user approve a login to another service, so it is opened on request only. */
async function offerBrowser({ apiUrl }: Session, url: string): Promise<void> {
  const question = `The service at ${apiUrl} asks you to approve at ${url}, which is another site. Open it?`;
  if (isSameService(url, apiUrl) || (await askWhether(question))) await openBrowser(url);
}

function welcome(user: LoggedInUser | undefined): string {
  return user === undefined ? "Logged in." : `Logged in as ${plainLine(user.name)} (${user.username}).`;
}
