/** Opens what a publish brings, text or upload, and tidies up after it whichever way it ends. */
import { PackageError } from "../../contract/package-rules.ts";
import type { SkillType } from "../../contract/vocabulary.ts";
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

  const zip = await claimUpload(app, actor, input.uploadId);
  try {
    const result = await publish(await readPackageSource(zip));
    await discardUpload(app, input.uploadId);
    return result;
  } catch (error) {
    const isFinal =
      error instanceof PackageError ||
      (error instanceof ServiceError && ["content_invalid", "payload_too_large"].includes(error.code));
    if (isFinal) await discardUpload(app, input.uploadId);
    else await returnUpload(app, input.uploadId);
    throw error;
  }
}
