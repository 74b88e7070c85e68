/**
 * Staged uploads: a package's zip is announced with size and digest, then sent, then named in a publish. Bytes are
 * streamed to disk, and discarded if they don't match the announcement.
 */
import { createHash } from "node:crypto";
import { open, writeFile } from "node:fs/promises";
import type { Readable } from "node:stream";
import { retryLost } from "../../../../contract/concurrency/retry-lost.ts";
import { limits } from "../../../../contract/limits.ts";
import { sizeText } from "../../../../contract/text/size-text.ts";
import { RepoError } from "../../../../repos/errors.ts";
import { isDuplicate, isId } from "../../../../storage/database.ts";
import type { UploadDoc } from "../../../../storage/uploads.ts";
import { actorKey, type Actor } from "../../../access/actor.ts";
import type { App } from "../../../app.ts";
import { ServiceError, notFound } from "../../../errors.ts";
import type { AnnounceUpload } from "../../schema.ts";
import { openBytes, receiveBytes, removeBytes, type OpenedBytes } from "./upload-bytes.ts";

/**
 * Announces an upload. If too many are open, it replaces the oldest that is not being received or published. Throws
 * `payload_too_large`, or `limit_reached` if there is none.
 */
export async function announceUpload(app: App, actor: Actor, input: AnnounceUpload): Promise<UploadDoc> {
  if (input.size > limits.packageCompressedBytes) {
    const limitBytes = limits.packageCompressedBytes;
    throw new ServiceError(
      "payload_too_large",
      `A package may have ${sizeText(limitBytes)} as a zip; this one has ${sizeText(input.size)}.`,
      { limitBytes },
    );
  }
  const owner = actorKey(actor);
  const most = actor.kind === "anonymous-key" ? limits.anonymousUploads : limits.openUploads;
  const now = app.now();
  for (const expired of await app.storage.uploads.listExpired(now, most, owner))
    await discardUpload(app, expired._id);
  const expiresAt = new Date(now.getTime() + limits.uploadMs);
  const upload: UploadDoc = { _id: app.newId(), owner, ...input, state: "open", createdAt: now, expiresAt };

  const limitReached = () =>
    new ServiceError(
      "limit_reached",
      `You have ${most} uploads that are being sent or published: wait until one is done.`,
    );
  // A slot is a unique index entry, so the limit holds under concurrency.
  return retryLost({ attempts: most * 4, exhausted: limitReached }, async () => {
    const taken = new Set(await app.storage.uploads.takenSlots(owner));
    const slot = Array.from({ length: most }, (_, index) => index).find((index) => !taken.has(index));
    if (slot === undefined) {
      const replaced = await app.storage.uploads.removeOldest(owner, [...receiving], app.now());
      if (!replaced) throw limitReached();
      await removeBytes(app, replaced._id);
      return undefined;
    }
    try {
      await app.storage.uploads.insert({ ...upload, slot });
      return upload;
    } catch (error) {
      if (!isDuplicate(error, "upload_slot")) throw error;
      return undefined;
    }
  });
}

/** The caller's uploads, oldest first. */
export async function listUploads(app: App, actor: Actor): Promise<UploadDoc[]> {
  const now = app.now();
  const uploads = await app.storage.uploads.listOf(actorKey(actor), now);
  return uploads.map((one) => (one.claim && one.claim.until <= now ? { ...one, state: "stored" } : one));
}

/** Removes an upload that is not needed. Throws `not_found`, or `conflict` while it is published. */
export async function removeUpload(app: App, actor: Actor, id: string): Promise<void> {
  const owner = actorKey(actor);
  const upload = isId(id) ? await app.storage.uploads.find(id) : null;
  if (!upload || upload.owner !== owner) throw notFound("content", id);
  if (!(await app.storage.uploads.removeUnclaimed(id, owner, app.now())))
    throw new ServiceError("conflict", "This upload is being published: it is removed afterwards.", {
      kind: "content",
      ref: id,
    });
  await removeBytes(app, id);
}

/** The digest that a caller (`actorKey`) announced for an upload of theirs; undefined for any other. */
export async function announcedSha256(app: App, id: string, caller: string): Promise<string | undefined> {
  const upload = isId(id) ? await app.storage.uploads.find(id) : null;
  return upload?.owner === caller ? upload.sha256 : undefined;
}

/**
 * Stores the bytes of an announced upload, which a client or a proxy may send again after a lost response (PUT is
 * idempotent, RFC 9110, section 9.2.2). Throws `upload_mismatch` if they are not the announced ones.
 */
export async function storeUpload(app: App, actor: Actor, id: string, bytes: Readable): Promise<UploadDoc> {
  const upload = isId(id) ? await app.storage.uploads.find(id) : null;
  if (!upload || upload.owner !== actorKey(actor) || upload.expiresAt <= app.now())
    throw notFound("content", id);
  if (receiving.has(id))
    throw new ServiceError("conflict", "This upload is being sent already.", { kind: "content", ref: id });
  receiving.add(id);
  try {
    return upload.state === "open" ? await receive(app, upload, bytes) : await compare(upload, bytes);
  } finally {
    receiving.delete(id);
  }
}

/** Uploads that this process is receiving, so that one announcement can't be sent several times at once. */
const receiving = new Set<string>();

async function receive(app: App, upload: UploadDoc, bytes: Readable): Promise<UploadDoc> {
  const id = upload._id;
  try {
    await receiveBytes(app, id, (file) => spool(bytes, file, upload));
  } catch (error) {
    throw translateSpoolError(error, id);
  }
  if (!(await app.storage.uploads.markStored(id)) && !(await app.storage.uploads.find(id))) {
    // Removed or replaced in between: nothing else would find the bytes.
    await removeBytes(app, id);
    throw notFound("content", id);
  }
  return { ...upload, state: "stored" };
}

/** The upload as it is, if bytes that were sent again are the announced ones. */
async function compare(upload: UploadDoc, bytes: Readable): Promise<UploadDoc> {
  try {
    for await (const chunk of announcedBytes(bytes, upload)) void chunk;
  } catch (error) {
    throw translateSpoolError(error, upload._id);
  }
  return upload;
}

interface Announced {
  size: number;
  sha256: string;
}

/** The bytes. Throws `upload_mismatch` as soon as there are too many, or at their end. */
async function* announcedBytes(bytes: Readable, announced: Announced): AsyncGenerator<Buffer> {
  const hash = createHash("sha256");
  let size = 0;
  // Read by an iterator that leaves the request open: a refused upload still gets its answer.
  for await (const chunk of bytes.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > announced.size) throw mismatch(`more than the announced ${announced.size} bytes arrived`);
    hash.update(chunk);
    yield chunk;
  }
  if (size !== announced.size) throw mismatch(`${size} of ${announced.size} bytes arrived`);
  if (hash.digest("hex") !== announced.sha256)
    throw mismatch("the bytes have another SHA-256 than announced");
}

/** Streams to disk; the data is flushed to disk when it resolves. */
async function spool(bytes: Readable, file: string, announced: Announced): Promise<void> {
  // Opened before the first byte is read: a stream that opens its own file can still make it after it was refused.
  const handle = await open(file, "wx", 0o600);
  try {
    await writeFile(handle, announcedBytes(bytes, announced));
    await handle.datasync();
  } finally {
    await handle.close();
  }
}

function mismatch(reason: string): ServiceError {
  return new ServiceError("upload_mismatch", `The upload was not kept: ${reason}. Send it again.`, {
    kind: "content",
  });
}

function translateSpoolError(error: unknown, id: string): unknown {
  if (error instanceof ServiceError || error instanceof RepoError) return error;
  const code = (error as NodeJS.ErrnoException).code;
  if (code === "ENOSPC" || code === "EDQUOT") {
    return new ServiceError("unavailable", "The server has no space left for uploads.", undefined, {
      cause: error,
    });
  }
  if (code === "ERR_STREAM_PREMATURE_CLOSE" || code === "ECONNRESET")
    return mismatch("the connection ended early");
  return new Error(`storing upload ${id} failed`, { cause: error });
}

/** An upload that one publish or check uses. Ends with one of the functions. */
export interface UploadClaim {
  /** Path of the zip. */
  zip: string;
  /** Keeps the upload for another publish. */
  release(): Promise<void>;
  /** Removes the upload. */
  discard(): Promise<void>;
}

/**
 * Claims a stored upload, and renews the claim until it ends: that of a process that was killed expires. Throws
 * `not_found` for an upload that is not stored, or claimed.
 */
export async function claimUpload(app: App, actor: Actor, id: string): Promise<UploadClaim> {
  const { uploads } = app.storage;
  const claimId = app.newId();
  const after = (ms: number) => new Date(app.now().getTime() + ms);
  const claim = { id: claimId, until: after(limits.uploadClaimMs) };
  const fields = { now: app.now(), claim, expiresAt: after(limits.uploadMs) };
  if (!isId(id) || !(await uploads.claim(id, actorKey(actor), fields))) throw notFound("content", id);
  const renewal = setInterval(
    () =>
      app.background("renew the claim of an upload", () =>
        uploads.renewClaim(id, claimId, after(limits.uploadClaimMs)),
      ),
    limits.uploadClaimMs / 4,
  ).unref();
  const release = () => {
    clearInterval(renewal);
    return uploads.unclaim(id, claimId);
  };
  let bytes: OpenedBytes | undefined;
  try {
    bytes = await openBytes(app, id);
  } catch (error) {
    await release();
    throw error;
  }
  if (!bytes) {
    clearInterval(renewal);
    await discardUpload(app, id);
    throw notFound("content", id);
  }
  const { zip, close } = bytes;
  return {
    zip,
    async release() {
      await close();
      await release();
    },
    async discard() {
      clearInterval(renewal);
      await close();
      // A claim that was not renewed in time may belong to another publish now.
      if (await uploads.holdsClaim(id, claimId)) await discardUpload(app, id);
    },
  };
}

/** Removes an upload, bytes first: a record without bytes is found and removed when it expires. */
export async function discardUpload(app: App, id: string): Promise<void> {
  await removeBytes(app, id);
  await app.storage.uploads.remove(id);
}
