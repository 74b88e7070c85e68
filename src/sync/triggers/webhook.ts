/**
 * GitHub's webhook: a push requests a sync, and the response does not wait for it. A delivery is authenticated by its
 * signature over the received bytes. None of its content is used, so a forged or repeated delivery could only cause a
 * sync.
 */
import { randomBytes } from "node:crypto";
import { addAbortSignal } from "node:stream";
import { openSlots } from "../../../contract/concurrency/slots.ts";
import { limits } from "../../../contract/limits.ts";
import { isSignature, receiveGitHubDelivery, type GitHubPush } from "../../../repos/hosts/github-webhook.ts";
import type { ConnectionDoc } from "../../../storage/connections/connections.ts";
import { isId } from "../../../storage/database.ts";
import { actorKey, type Actor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { ServiceError, invalidRequest } from "../../errors.ts";
import { readBytes, tooLarge } from "../../http/request/body.ts";
import type { RequestInfo } from "../../http/route.ts";
import { requestSync } from "../../queue/request-sync.ts";

/**
 * Slots for large bodies. Anyone may send a delivery, and its signature can be checked only once its body is read.
 * Bodies of the usual size are read without a slot. Larger ones share a few slots, of which one caller has at most
 * half, for at most the time that GitHub waits for a response. Deliveries without a slot are left to GitHub's
 * redelivery and to the poll.
 */
const largeBodies = openSlots({ count: 4, waiting: 64, waitMs: 5000 });
const longestReadMs = 10_000;

/** `taken`: it requested syncs; `known`: it was received before; `ignored`: it concerns no connection. */
export type Intake = "taken" | "known" | "ignored";

/**
 * Receives a delivery, as JSON or as a form. `connectionId`: the connection whose own webhook sent it; without it, the
 * App's webhook sent it. Throws `unauthenticated` for an invalid signature, `unsupported_media_type` for a body without
 * JSON, `payload_too_large`, and `unavailable` if too many large deliveries are being read.
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
      : unknownSecrets;
  const body = await readDelivery(actor, request);

  const id = `github:${own?._id ?? "app"}:${deliveryId}`;
  let intake: Intake | undefined;
  const type = request.header("content-type").toLowerCase();
  const delivery = { id: deliveryId, event: request.header("x-github-event"), signature, type, body };
  const receipt = await receiveGitHubDelivery(secrets, delivery, {
    async push(push) {
      intake = await recordOnce(app, id, () => findAffected(app, own, push));
    },
  });
  if (receipt === "unsigned") throw unsigned();
  if (own) await noteDelivery(app, own, receipt === "received");
  if (receipt === "unreadable") throw unreadable();
  return intake ?? recordOnce(app, id, async () => []);
}

/** Keeps the time of the first unreadable delivery, which the connection shows until one can be read. */
async function noteDelivery(app: App, own: ConnectionDoc, isReadable: boolean): Promise<void> {
  if (isReadable === (own.unreadableDeliveryAt === undefined)) return;
  const patch = { unreadableDeliveryAt: isReadable ? null : app.now() };
  await app.storage.connections.change(own._id, { patch });
}

/** Records a delivery and requests syncs of the connections that it concerns, unless it was recorded before. */
async function recordOnce(app: App, id: string, concerned: () => Promise<ConnectionDoc[]>): Promise<Intake> {
  if (await app.storage.webhookDeliveries.isTaken(id)) return "known";
  const connections = await concerned();
  for (const connection of connections)
    await requestSync(app, { id: connection._id }, { cause: { kind: "webhook" } });
  // After the requests: if the process ends between the two, the redelivery repeats the requests.
  await app.storage.webhookDeliveries.record(id, app.now());
  return connections.length > 0 ? "taken" : "ignored";
}

async function findOwn(app: App, connectionId: string | undefined): Promise<ConnectionDoc | undefined> {
  if (connectionId === undefined || !isId(connectionId)) return undefined;
  const connection = await app.storage.connections.find(connectionId);
  return connection?.webhook ? connection : undefined;
}

/**
 * Stands for the secret of a connection that does not exist. Its deliveries are read like those with an invalid
 * signature; an earlier response would reveal which connections exist.
 */
const unknownSecrets = [randomBytes(32).toString("hex")];

const unreadable = () =>
  new ServiceError(
    "unsupported_media_type",
    'The delivery contains no JSON. Set the content type of the webhook to "application/json".',
  );

const unsigned = () => new ServiceError("unauthenticated", "The delivery has no valid signature.");

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
 * Connections with the repository, installation and branch of a push. The service's own push is ignored, except during
 * a sync, which may have read another head that it records later.
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
