/** Opens what a publish brings, text or upload, and tidies up after it whichever way it ends. */
import { PackageError } from "../../contract/package-rules.ts";
import type { SkillType } from "../../contract/vocabulary.ts";
import { retryIdempotent } from "../../storage/database.ts";
import type { Actor } from "../access/actor.ts";
import type { App } from "../app.ts";
import { ServiceError, invalidRequest } from "../errors.ts";
import { readPackageSource } from "./package-source.ts";
import { readTextSource, type VersionSource } from "./text-source.ts";
import { claimUpload, discardUpload, returnUpload } from "./uploads.ts";

/**
 * Reads the source and runs `publish` with it. An upload is used up by a publish that succeeds or that its content
 * makes impossible; after any other failure it is there for another try.
 */
export async function withVersionSource<T>(
  app: App,
  actor: Actor,
  input: { content?: string | undefined; uploadId?: string | undefined },
  type: SkillType,
  publish: (source: VersionSource) => Promise<T>,
): Promise<T> {
  if (input.content !== undefined) return publish(readTextSource(input.content, type));
  if (input.uploadId === undefined) throw invalidRequest("Send content or uploadId.");

  const { uploadId } = input;
  const zip = await claimUpload(app, actor, uploadId);
  let result: T;
  try {
    result = await publish(await readPackageSource(zip));
  } catch (error) {
    const isFinal =
      error instanceof PackageError ||
      (error instanceof ServiceError && ["content_invalid", "payload_too_large"].includes(error.code));
    await tidy(app, uploadId, () => (isFinal ? discardUpload : returnUpload)(app, uploadId));
    throw error;
  }
  await tidy(app, uploadId, () => discardUpload(app, uploadId));
  return result;
}

/** How the publish went is settled by now, so trouble here must not change its answer: an upload lapses by itself. */
async function tidy(app: App, uploadId: string, work: () => Promise<void>): Promise<void> {
  try {
    await retryIdempotent(work);
  } catch (error) {
    app.log.warn({ error, uploadId }, "an upload could not be put away; it lapses");
  }
}
