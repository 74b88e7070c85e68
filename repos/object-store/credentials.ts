/**
 * Credentials of an object store, from the sources that platforms provide. Temporary ones are renewed before they
 * expire, and once a server refuses them. Error messages never contain them.
 */
import { readFile } from "node:fs/promises";
import { SingleFlight } from "../../contract/concurrency/single-flight.ts";
import { RepoError } from "../errors.ts";
import type { HttpClient } from "./http-client.ts";
import { elementOf, errorCodeOf } from "./xml.ts";

export type CredentialSource =
  | { kind: "keys"; accessKeyId: string; secretAccessKey: string; sessionToken?: string }
  /** A profile of a shared credentials file, which is read again when its credentials are refused. */
  | { kind: "file"; path: string; profile: string }
  /** A token of the platform's identity provider, which STS exchanges. */
  | { kind: "web-identity"; tokenFile: string; roleArn: string; sessionName: string; endpoint: string }
  /** The credentials server that a container platform runs on each machine. */
  | { kind: "container"; url: string; tokenFile?: string };

export interface Credentials {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
  /** Milliseconds since 1970; undefined if they don't expire. */
  expiresAt?: number;
}

export interface CredentialProvider {
  /** Throws `storage_unavailable`, naming where the credentials should be. */
  get(): Promise<Credentials>;
  /** Reads the credentials again at the next call, since the server has refused these. */
  renew(refused: Credentials): void;
}

/** Time before their expiry from which credentials are renewed. */
const earlyMs = 5 * 60_000;
/** Pause after a failed renewal while the previous credentials are still valid. */
const retryMs = 30_000;
const maxResponseBytes = 64 * 1024;

export function openCredentials(source: CredentialSource, http: HttpClient): CredentialProvider {
  const readings = new SingleFlight<Credentials>(1);
  let current: Credentials | undefined;
  let renewAt = 0;

  async function read(): Promise<Credentials> {
    const found = await readSource(source, http);
    current = found;
    renewAt = found.expiresAt === undefined ? Infinity : renewalTime(found.expiresAt);
    return found;
  }

  return {
    async get() {
      if (current !== undefined && Date.now() < renewAt) return current;
      try {
        return await readings.run("credentials", read);
      } catch (error) {
        // A credentials server may fail for a while.
        if (current === undefined || (current.expiresAt ?? 0) <= Date.now()) throw error;
        renewAt = Date.now() + retryMs;
        return current;
      }
    },
    renew(refused) {
      if (refused !== current || source.kind === "keys") return;
      current = undefined;
      renewAt = 0;
    },
  };
}

/** Credentials that are valid for less than twice the usual margin are used for half of their time. */
function renewalTime(expiresAt: number): number {
  const left = expiresAt - Date.now();
  return Date.now() + Math.max(left - earlyMs, left / 2);
}

const unusable = (problem: string, cause?: unknown) =>
  new RepoError("storage_unavailable", `the credentials of the object store can't be read: ${problem}`, {
    cause,
  });

function readSource(source: CredentialSource, http: HttpClient): Promise<Credentials> {
  if (source.kind === "web-identity") return assumeRole(source, http);
  if (source.kind === "container") return askContainer(source, http);
  return source.kind === "file" ? readProfile(source.path, source.profile) : Promise.resolve(source);
}

async function readText(path: string, variable: string): Promise<string> {
  try {
    return (await readFile(path, "utf8")).trim();
  } catch (error) {
    throw unusable(`${path} (${variable}): ${(error as NodeJS.ErrnoException).code ?? "unreadable"}`);
  }
}

async function readProfile(path: string, profile: string): Promise<Credentials> {
  const values = new Map<string, string>();
  let section = "";
  for (const line of (await readText(path, "AWS_SHARED_CREDENTIALS_FILE")).split(/\r?\n/)) {
    const [, title] = /^\s*\[\s*(?:profile\s+)?([^\]]+?)\s*\]/.exec(line) ?? [];
    if (title !== undefined) section = title;
    const [, name, value] = /^\s*([A-Za-z_]+)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    if (section === profile && name !== undefined) values.set(name.toLowerCase(), value!);
  }
  const accessKeyId = values.get("aws_access_key_id");
  const secretAccessKey = values.get("aws_secret_access_key");
  if (!accessKeyId || !secretAccessKey)
    throw unusable(
      `${path} has no aws_access_key_id and aws_secret_access_key for the profile ${profile} (AWS_PROFILE)`,
    );
  return { accessKeyId, secretAccessKey, sessionToken: values.get("aws_session_token") || undefined };
}

async function assumeRole(
  { tokenFile, roleArn, sessionName, endpoint }: CredentialSource & { kind: "web-identity" },
  http: HttpClient,
): Promise<Credentials> {
  const form = new URLSearchParams({
    Action: "AssumeRoleWithWebIdentity",
    Version: "2011-06-15",
    RoleArn: roleArn,
    RoleSessionName: sessionName,
    WebIdentityToken: await readText(tokenFile, "AWS_WEB_IDENTITY_TOKEN_FILE"),
  });
  const { status, body } = await http.send(new URL(endpoint), {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: [Buffer.from(form.toString())],
    maxBytes: maxResponseBytes,
  });
  const text = body.toString("utf8");
  if (status !== 200)
    throw unusable(`STS refused the role ${roleArn}: ${errorCodeOf(text) ?? `status ${status}`}`);
  return complete(
    {
      accessKeyId: elementOf(text, "AccessKeyId"),
      secretAccessKey: elementOf(text, "SecretAccessKey"),
      sessionToken: elementOf(text, "SessionToken"),
      expiration: elementOf(text, "Expiration"),
    },
    "STS",
  );
}

async function askContainer(
  { url, tokenFile }: CredentialSource & { kind: "container" },
  http: HttpClient,
): Promise<Credentials> {
  const authorization =
    tokenFile === undefined ? undefined : await readText(tokenFile, "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE");
  const { status, body } = await http.send(new URL(url), {
    method: "GET",
    headers: authorization === undefined ? {} : { authorization },
    body: [],
    maxBytes: maxResponseBytes,
  });
  if (status !== 200) throw unusable(`the server of container credentials responded with status ${status}`);
  let found: Record<string, unknown>;
  try {
    found = JSON.parse(body.toString("utf8")) as Record<string, unknown>;
  } catch {
    throw unusable("the server of container credentials did not send valid JSON");
  }
  return complete(
    {
      accessKeyId: found["AccessKeyId"],
      secretAccessKey: found["SecretAccessKey"],
      sessionToken: found["Token"],
      expiration: found["Expiration"],
    },
    "the server of container credentials",
  );
}

function complete(
  found: Record<"accessKeyId" | "secretAccessKey" | "sessionToken" | "expiration", unknown>,
  sender: string,
): Credentials {
  const { accessKeyId, secretAccessKey, sessionToken, expiration } = found;
  const expiresAt = typeof expiration === "string" ? Date.parse(expiration) : undefined;
  if (typeof accessKeyId !== "string" || typeof secretAccessKey !== "string" || Number.isNaN(expiresAt))
    throw unusable(`${sender} sent incomplete credentials`);
  return {
    accessKeyId,
    secretAccessKey,
    sessionToken: typeof sessionToken === "string" ? sessionToken : undefined,
    expiresAt,
  };
}
