/** The repository to connect or to plan, from arguments, and its credential from the standard input or environment. */
import { text as readAll } from "node:stream/consumers";
import { type HostKind, hostKinds, syncModes } from "../../../contract/vocabulary.ts";
import type { RepositoryInput, SyncCalls } from "../../api/calls/sync.ts";
import type { FlagShape } from "../../arguments/command-shape.ts";
import type { Context } from "../../context.ts";
import { invalidArgument, messageOf } from "../../errors.ts";

/** The variable with the token or password of the repository. */
const tokenVariable = "SVC_SYNC_TOKEN";

export const repositoryDescription =
  "owner/name at GitHub, or an https address; also a repository on the service's machine";

export const repositoryFlags = {
  branch: { value: "required", hint: "name", description: "Branch (default: the repository's own)" },
  host: {
    value: "required",
    hint: "kind",
    choices: hostKinds,
    description: `${hostKinds.join(", ")} (default: by repository and token)`,
  },
  mode: {
    value: "required",
    hint: "mode",
    choices: syncModes,
    description: "push to the branch (default), or propose changes in a pull_request",
  },
  username: { value: "required", hint: "name", description: "User name for an https address" },
  "token-stdin": {
    value: "none",
    description: `Read the token or password from the standard input (or set ${tokenVariable})`,
  },
} as const satisfies Record<string, FlagShape>;

export interface RepositoryArguments {
  branch: string | undefined;
  host: string | undefined;
  mode: string | undefined;
  username: string | undefined;
  "token-stdin": boolean;
}

/** The body of a connection. The service checks its names. Throws `E_INVALID_ARGUMENT`. */
export async function readRepositoryInput(
  context: Context,
  calls: SyncCalls,
  repository: string,
  args: RepositoryArguments,
): Promise<RepositoryInput> {
  const address = parseAddress(repository);
  const secret = await readSecret(context, args["token-stdin"]);
  const name = gitHubName(address, args.host);
  const host = args.host ?? (await defaultHost(calls, name, secret));
  const settings = {
    branch: args.branch,
    mode: args.mode,
  };
  if (host === "local") return localInput(address, args.username, secret, settings);
  if (args.username !== undefined)
    throw invalidArgument("--username", "--username is for https addresses of other hosts (--host local).");
  if (name === undefined)
    throw invalidArgument("<repository>", `--host ${host} takes a repository as owner/name.`);
  if (host === "github-app") {
    if (secret !== undefined)
      throw invalidArgument(
        "--host",
        "github-app takes no token: the service uses its own App. Leave out the token, or use --host github-token.",
      );
    return { host, repository: name, ...settings };
  }
  if (secret === undefined) throw tokenMissing();
  return { host: "github-token", repository: name, token: secret, ...settings };
}

/** Refuses addresses with a password, without repeating it. */
function parseAddress(repository: string): string {
  const address = repository.trim();
  if (/^[\w.-]+@[\w.-]+:/.test(address) || /^ssh:/i.test(address))
    throw invalidArgument(
      "<repository>",
      "SSH addresses can't be connected: use owner/name, or an https address.",
    );
  if (!/^[a-z][a-z0-9+.-]*:/i.test(address)) return address;
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url?.protocol !== "https:" && url?.protocol !== "http:")
    throw invalidArgument(
      "<repository>",
      "The repository is not a valid address: use owner/name, or an https address.",
    );
  if (url.username !== "" || url.password !== "")
    throw invalidArgument(
      "<repository>",
      `The address must not contain a user name or a password: use --username, and --token-stdin or ${tokenVariable}.`,
    );
  return address;
}

/** `owner/name` of a repository at GitHub, also for its address there; undefined for others. */
function gitHubName(address: string, host: string | undefined): string | undefined {
  if (host === "local") return undefined;
  const ofUrl = /^https:\/\/(?:www\.)?github\.com\/([\w.-]+\/[\w.-]+?)(?:\.git)?\/?$/i.exec(address)?.[1];
  return ofUrl ?? (/^[\w.-]+\/[\w.-]+$/.test(address) ? address : undefined);
}

async function defaultHost(
  calls: SyncCalls,
  name: string | undefined,
  secret: string | undefined,
): Promise<HostKind> {
  if (name === undefined) return "local";
  if (secret !== undefined) return "github-token";
  const { hosts } = await calls.state();
  if (hosts.includes("github-app")) return "github-app";
  throw tokenMissing();
}

function localInput(
  address: string,
  username: string | undefined,
  secret: string | undefined,
  settings: Pick<RepositoryInput, "branch" | "mode">,
): RepositoryInput {
  if (username !== undefined && secret === undefined)
    throw invalidArgument(
      "--username",
      `--username needs a password: use --token-stdin or ${tokenVariable}.`,
    );
  return {
    host: "local",
    url: address,
    username,
    password: secret,
    ...settings,
  };
}

function tokenMissing() {
  return invalidArgument(
    "--token-stdin",
    `A GitHub repository needs a fine-grained token for it: pipe it in with --token-stdin, or set ${tokenVariable}.`,
  );
}

async function readSecret(context: Context, isPiped: boolean): Promise<string | undefined> {
  if (!isPiped) {
    const value = context.env[tokenVariable]?.trim() ?? "";
    return value === "" ? undefined : value;
  }
  if (context.isTyped())
    throw invalidArgument(
      "--token-stdin",
      "--token-stdin reads a pipe: svc sync connect … --token-stdin < file.",
    );
  let secret: string;
  try {
    secret = (await readAll(process.stdin)).trim();
  } catch (error) {
    throw invalidArgument("--token-stdin", `The standard input can't be read: ${messageOf(error)}.`);
  }
  if (secret === "") throw invalidArgument("--token-stdin", "The standard input has no token.");
  return secret;
}
