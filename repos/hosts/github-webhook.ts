/** Deliveries of GitHub's webhooks: whether one is GitHub's, and what a push says. */
import { verify } from "@octokit/webhooks-methods";

/** Whether this could be a signature at all, whoever made it. */
export const isSignature = (header: string) => /^sha256=[0-9a-f]{64}$/.test(header);

/** Whether one of the secrets signed this body (HMAC-SHA-256 of its bytes; compared in constant time). */
export async function isSignedByGitHub(
  secrets: readonly string[],
  body: string,
  signature: string,
): Promise<boolean> {
  if (!isSignature(signature) || body === "") return false;
  for (const secret of secrets) if (await verify(secret, body, signature)) return true;
  return false;
}

export interface GitHubPush {
  repositoryId: string;
  /** With deliveries of an App. */
  installationId: number | undefined;
  /** `refs/heads/main`. */
  ref: string;
  /** The branch's new head; undefined when it was deleted. */
  after: string | undefined;
}

/** A push, by the parts of it that are used; undefined for anything else. */
export function readGitHubPush(body: string): GitHubPush | undefined {
  let told: unknown;
  try {
    told = JSON.parse(body);
  } catch {
    return undefined;
  }
  const id = field(field(told, "repository"), "id");
  const ref = field(told, "ref");
  if (typeof id !== "number" || !Number.isSafeInteger(id) || typeof ref !== "string") return undefined;
  const installation = field(field(told, "installation"), "id");
  const after = field(told, "after");
  return {
    repositoryId: String(id),
    installationId: typeof installation === "number" ? installation : undefined,
    ref,
    after: typeof after === "string" && /^(?!0{40})[0-9a-f]{40}$/.test(after) ? after : undefined,
  };
}

function field(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}
