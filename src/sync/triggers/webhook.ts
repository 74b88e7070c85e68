/**
 * GitHub's webhook: pushes ask for a sync, and the answer does not wait for it. A delivery is believed by its signature
 * alone, over the bytes as they came; it carries no content that is used, so a forged or repeated one could do no more
 * than have us look.
 */
import { randomBytes } from "node:crypto";
import { addAbortSignal } from "node:stream";
import { limits } from "../../../contract/limits.ts";
import { isSignature, receiveGitHubDelivery, type GitHubPush } from "../../../repos/hosts/github-webhook.ts";
import { openSlots } from "../../../contract/concurrency/slots.ts";
import { isId } from "../../../storage/database.ts";
import type { ConnectionDoc } from "../../../storage/connections.ts";
import { actorKey, type Actor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { ServiceError, invalidRequest } from "../../errors.ts";
import { readBytes, tooLarge } from "../../http/body.ts";
import type { RequestInfo } from "../../http/route.ts";
import { requestSync } from "../../queue/request-sync.ts";

/**
 * Anybody may send, and a signature holds or does not once all of a body is here. One of the size of other JSON bodies is
 * read as those are, so that nobody keeps the usual delivery out. Larger ones have a few places in memory, of which one
 * caller has half at most, and none for longer than GitHub itself waits for an answer. What finds no place is left to
 * GitHub's redelivery and to our polling.
 */
const largeBodies = openSlots({ count: 4, waiting: 64, waitMs: 5000 });
const longestReadMs = 10_000;

/** `taken`: it asked for syncs; `known`: it came before; `ignored`: it concerns nothing that is connected. */
export type Intake = "taken" | "known" | "ignored";

/**
 * Takes a delivery in. `connectionId` names the connection whose own webhook it comes from; without it, it is the App's.
 * Throws `unauthenticated` for one that nobody we know has signed, `payload_too_large`, and `unavailable` where too many
 * large ones are being read.
 */
export async function receiveDelivery(
  app: App,
  actor: Actor,
  request: RequestInfo,
  connectionId: string | undefined,
): Promise<Intake> {
  const deliveryId = request.header("x-github-delivery");
  if (!/^[\w-]{1,100}$/.test(deliveryId)) throw invalidRequest("The delivery has no X-GitHub-Delivery.");
  const signature = request.header("x-hub-signature-256");
  const isApps = connectionId === undefined;
  if (!isSignature(signature) || (isApps && app.config.github.webhookSecrets.length === 0)) throw unsigned();
  if (Number(request.header("content-length")) > limits.webhookBytes) throw tooLarge(limits.webhookBytes);
  const own = await findOwn(app, connectionId);
  const secrets = own
    ? [app.secrets.open(own.webhook!.secret, own._id)]
    : isApps
      ? app.config.github.webhookSecrets
      : nobodys;
  const body = await readDelivery(actor, request);

  const id = `github:${own?._id ?? "app"}:${deliveryId}`;
  let intake: Intake | undefined;
  const delivery = { id: deliveryId, event: request.header("x-github-event"), signature, body };
  const isSigned = await receiveGitHubDelivery(secrets, delivery, {
    async push(push) {
      intake = await recordOnce(app, id, () => findAffected(app, own, push));
    },
  });
  if (!isSigned) throw unsigned();
  return intake ?? recordOnce(app, id, async () => []);
}

/** Records a delivery and asks for syncs of the connections that it concerns, unless it was recorded before. */
async function recordOnce(app: App, id: string, concerned: () => Promise<ConnectionDoc[]>): Promise<Intake> {
  if (await app.storage.webhookDeliveries.isTaken(id)) return "known";
  const connections = await concerned();
  for (const connection of connections) await requestSync(app, { id: connection._id });
  // After the requests: if the process ends between the two, it is delivered again, which asks once more.
  await app.storage.webhookDeliveries.record(id, app.now());
  return connections.length > 0 ? "taken" : "ignored";
}

async function findOwn(app: App, connectionId: string | undefined): Promise<ConnectionDoc | undefined> {
  if (connectionId === undefined || !isId(connectionId)) return undefined;
  const connection = await app.storage.connections.find(connectionId);
  return connection?.webhook ? connection : undefined;
}

/**
 * In place of the secret of a connection that is not there: its deliveries are read and found unsigned as one with a wrong
 * signature is, or an answer that comes before the body would tell which connections there are.
 */
const nobodys = [randomBytes(32).toString("hex")];

const unsigned = () => new ServiceError("unauthenticated", "The delivery has no signature that holds.");

async function readDelivery(actor: Actor, { header, stream }: RequestInfo): Promise<string> {
  const length = header("content-length");
  const isLarge = length === "" || Number(length) > limits.jsonBodyBytes;
  const release = isLarge ? await largeBodies.take(actorKey(actor)) : () => undefined;
  if (release === undefined)
    throw new ServiceError("unavailable", "Too many large deliveries are being read: send it again.");
  try {
    if (isLarge) addAbortSignal(AbortSignal.timeout(longestReadMs), stream);
    return (await readBytes(stream, limits.webhookBytes)).toString("utf8");
  } finally {
    release();
  }
}

/**
 * Repository, installation and branch must be the connection's. What we pushed ourselves is no news; while a sync runs,
 * it is: that one may have seen another head, which it notes after this.
 */
async function findAffected(
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
