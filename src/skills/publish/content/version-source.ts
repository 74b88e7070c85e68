/** Opens the content of a publish, text or upload, and cleans up after it. */
import { PackageError, type FileMode } from "../../../../contract/checks/package-rules.ts";
import { measured } from "../../../../contract/observation.ts";
import type { SkillType } from "../../../../contract/vocabulary.ts";
import { retryIdempotent } from "../../../../storage/database.ts";
import { actorKey, type Actor } from "../../../access/actor.ts";
import type { App } from "../../../app.ts";
import { ServiceError, invalidRequest } from "../../../errors.ts";
import { readPackageSource } from "./package-source.ts";
import { readTextSource, type StoredAs, type VersionSource } from "./text-source.ts";
import { claimUpload } from "./uploads.ts";

/** Reads the content of a skill of a type, and passes it on. */
export type OpenSource = <T>(type: SkillType, publish: (source: VersionSource) => Promise<T>) => Promise<T>;

/**
 * Reads the source and runs `publish` with it. An upload is discarded after a success, or if its content can't be
 * published; after any other failure it is available for a retry.
 */
export async function withVersionSource<T>(
  app: App,
  actor: Actor,
  input: { content?: string; uploadId?: string },
  type: SkillType,
  publish: (source: VersionSource) => Promise<T>,
): Promise<T> {
  const compute = app.compute.by(actorKey(actor));
  const { content } = input;
  if (content !== undefined)
    return publish(
      await measured("publish", { stage: "read" }, () => readTextSource(compute, content, type)),
    );
  if (input.uploadId === undefined) throw invalidRequest("Send content or uploadId.");

  const { uploadId } = input;
  const claim = await claimUpload(app, actor, uploadId);
  let result: T;
  try {
    const source = await measured("publish", { stage: "read" }, () =>
      readPackageSource(compute, claim.zip, { modesOf: (skill) => currentModes(app, skill) }),
    );
    result = await publish(source);
  } catch (error) {
    const isFinal =
      error instanceof PackageError ||
      (error instanceof ServiceError &&
        ["content_invalid", "payload_too_large", "too_costly"].includes(error.code));
    await cleanUp(app, uploadId, isFinal ? claim.discard : claim.release);
    throw error;
  }
  await cleanUp(app, uploadId, claim.discard);
  return result;
}

async function currentModes(
  app: App,
  { _id, tenantId, current }: StoredAs,
): Promise<ReadonlyMap<string, FileMode> | undefined> {
  if (_id === undefined || tenantId === undefined || current?.format !== "package") return undefined;
  const files = await app.repos.listFiles({ tenantId, skillId: _id }, current.oid);
  return new Map(files.map(({ path, mode }) => [path, mode]));
}

/** The publish has ended, so an error here must not change its result; the upload expires automatically. */
async function cleanUp(app: App, uploadId: string, work: () => Promise<void>): Promise<void> {
  try {
    await retryIdempotent(work);
  } catch (error) {
    app.log.warn({ error, uploadId }, "an upload could not be cleaned up; it expires");
  }
}
