/** The identity token of a CI job, which the service exchanges for an API token. It is never printed. */
import { text as readAll } from "node:stream/consumers";
import type { Context } from "../context.ts";
import { CliError, invalidArgument } from "../errors.ts";
import { isExposed } from "./address.ts";
import { exchange } from "./transport.ts";

const flag = "--oidc-token";
const timeoutMs = 30_000;

/** `given`: a token, `-` for the standard input, or `auto` for the token of this job. */
export async function readIdentityToken(context: Context, given: string, audience: string): Promise<string> {
  const token =
    given === "auto"
      ? await tokenOfJob(context.env, audience)
      : (given === "-" ? await readAll(process.stdin) : given).trim();
  if (/^[\w-]+(\.[\w-]+){2}$/.test(token)) return token;
  throw invalidArgument(flag, "This is not an identity token, which has three parts with dots between them.");
}

/** GitHub Actions issues tokens on request; a job of GitLab has its own in a variable that its definition names. */
async function tokenOfJob(env: NodeJS.ProcessEnv, audience: string): Promise<string> {
  const url = env["ACTIONS_ID_TOKEN_REQUEST_URL"] ?? "";
  const secret = env["ACTIONS_ID_TOKEN_REQUEST_TOKEN"] ?? "";
  if (URL.canParse(url) && secret !== "") return requestToken(env, new URL(url), secret, audience);
  const ofGitLab = env["SVC_ID_TOKEN"] ?? "";
  if (ofGitLab !== "") return ofGitLab.trim();
  const remedy =
    env["GITHUB_ACTIONS"] === "true"
      ? 'Give the job "permissions: id-token: write". Jobs of forks can\'t have it.'
      : env["GITLAB_CI"] === "true"
        ? `Define SVC_ID_TOKEN in "id_tokens" of the job, with "aud: ${audience}".`
        : "auto works in GitHub Actions and GitLab CI. Elsewhere, pass a token, or - to read it.";
  throw invalidArgument(flag, `This job has no identity token. ${remedy}`);
}

async function requestToken(
  env: NodeJS.ProcessEnv,
  url: URL,
  secret: string,
  audience: string,
): Promise<string> {
  if (isExposed(url))
    throw invalidArgument(flag, "ACTIONS_ID_TOKEN_REQUEST_URL is plain HTTP, over which no token is sent.");
  url.searchParams.set("audience", audience);
  const headers = { authorization: `Bearer ${secret}`, accept: "application/json" };
  try {
    const answer = await exchange(url, { method: "GET", headers, timeoutMs, env });
    if (!answer.ok) answer.discard();
    else {
      const { value } = JSON.parse(await answer.text()) as { value?: unknown };
      if (typeof value === "string") return value;
    }
  } catch (error) {
    throw new CliError("E_NETWORK", `${url.host} can't be reached for the job's identity token.`, undefined, {
      cause: error,
    });
  }
  throw new CliError("E_NETWORK", `${url.host} issued no identity token for this job.`);
}
