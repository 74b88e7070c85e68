/**
 * Proof of write access: the App can access every repository that it is installed on, so a member who connects one must
 * push a tag with a secret name first. Until then the error is the same whether the repository exists or not.
 */
import { RepoError } from "../../../repos/errors.ts";
import type { GitHubAppHost } from "../../../repos/hosts/github.ts";
import type { App } from "../../app.ts";
import { ServiceError } from "../../errors.ts";

const purpose = "repository proof";
const proofLength = 24;

/** The tag by which an organization proves its write access to a repository. */
export function proofTag(app: App, tenantId: string, fullName: string): string {
  const signature = app.secrets.sign(purpose, `${tenantId} ${fullName.toLowerCase()}`);
  return `svc-connect-${signature.replace(/[^A-Za-z0-9]/g, "").slice(0, proofLength)}`;
}

/** Opens a repository of the App if it has the tag. Throws `refused` with the tag and the command that pushes it. */
export async function requireProof(
  app: App,
  tenantId: string,
  fullName: string,
  open: () => Promise<GitHubAppHost>,
): Promise<GitHubAppHost> {
  if (app.config.github.app?.proof === "none") return open();
  const tag = proofTag(app, tenantId, fullName);
  try {
    const host = await open();
    if (await host.hasTag(tag)) return host;
  } catch (error) {
    const isUnseen =
      error instanceof RepoError && ["auth_failed", "remote_missing", "remote_protocol"].includes(error.code);
    if (!isUnseen) throw error;
  }
  throw new ServiceError(
    "refused",
    `Show that you may write to ${fullName}: install the App on it and push the tag ${tag}, then connect again.`,
    { kind: "repository", reason: "proof_needed", tag, command: `git push origin HEAD:refs/tags/${tag}` },
  );
}
