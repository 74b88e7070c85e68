/**
 * GitHub's webhook: pushes ask for a sync, and the answer does not wait for it. A delivery is believed by its signature
 * alone, over the bytes as they came; it carries no content that is used, so a forged or repeated one could do no more
 * than have us look.
 */
import { limits } from "../../contract/limits.ts";
import { isSignedByGitHub, readGitHubPush, type GitHubPush } from "../../repos/hosts/github-webhook.ts";
import { isId } from "../../storage/database.ts";
import type { ConnectionDoc } from "../../storage/connections.ts";
import type { App } from "../app.ts";
import { ServiceError, invalidRequest } from "../errors.ts";
import { readBytes, tooLarge } from "../http/body.ts";
import type { RequestInfo } from "../http/route.ts";
import { requestSync } from "../orgs/request-sync.ts";

/** `taken`: it asked for syncs; `known`: it came before; `ignored`: it concerns nothing that is connected. */
export type Intake = "taken" | "known" | "ignored";

/**
 * Takes a delivery in. `connectionId` names the connection whose own webhook it comes from; without it, it is the App's.
 * Throws `unauthenticated` for one that nobody we know has signed, and `payload_too_large`.
 */
export async function takeDelivery(
  app: App,
  request: RequestInfo,
  connectionId: string | undefined,
): Promise<Intake> {
  const deliveryId = request.header("x-github-delivery");
  if (!/^[\w-]{1,100}$/.test(deliveryId)) throw invalidRequest("The delivery has no X-GitHub-Delivery.");
  if (Number(request.header("content-length")) > limits.webhookBytes) throw tooLarge(limits.webhookBytes);
  const own = await findOwn(app, connectionId);
  const secrets = own ? [app.secrets.open(own.webhook!.secret, own._id)] : appSecrets(app, connectionId);
  const body = (await readBytes(request.stream, limits.webhookBytes)).toString("utf8");
  if (!(await isSignedByGitHub(secrets, body, request.header("x-hub-signature-256"))))
    throw new ServiceError("unauthenticated", "The delivery has no signature that holds.");

  const id = `github:${own?._id ?? "app"}:${deliveryId}`;
  if (await app.storage.webhookDeliveries.isTaken(id)) return "known";
  const push = request.header("x-github-event") === "push" ? readGitHubPush(body) : undefined;
  const concerned = push ? await findConcerned(app, own, push) : [];
  for (const connection of concerned) await requestSync(app, { id: connection._id });
  // After the request: a stop between the two has it delivered again, which asks once more.
  await app.storage.webhookDeliveries.record(id, app.now());
  return concerned.length > 0 ? "taken" : "ignored";
}

async function findOwn(app: App, connectionId: string | undefined): Promise<ConnectionDoc | undefined> {
  if (connectionId === undefined || !isId(connectionId)) return undefined;
  const connection = await app.storage.connections.find(connectionId);
  return connection?.webhook ? connection : undefined;
}

/** A connection that is not there has no secret, so nothing holds: as with a forged delivery. */
function appSecrets({ config }: App, connectionId: string | undefined): readonly string[] {
  return connectionId === undefined ? config.github.webhookSecrets : [];
}

/**
 * Repository, installation and branch must be the connection's. What we pushed ourselves is no news; while a sync runs,
 * it is: that one may have seen another head, which it notes after this.
 */
async function findConcerned(
  app: App,
  own: ConnectionDoc | undefined,
  push: GitHubPush,
): Promise<ConnectionDoc[]> {
  const { repositoryId, installationId, ref, after } = push;
  const known = own ? [own] : await app.storage.connections.listOfRepository("github-app", repositoryId);
  return known.filter(
    ({ host, branch, lastRemoteOid, lease, status }) =>
      status !== "disconnecting" &&
      host.repositoryId === repositoryId &&
      ref === `refs/heads/${branch}` &&
      (own !== undefined || host.installationId === installationId) &&
      (after === undefined || after !== lastRemoteOid || lease !== undefined),
  );
}
