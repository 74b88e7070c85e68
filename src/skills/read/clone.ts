/** Clones of a skill's bare repository by Git clients, under the same access rule as every other read. */
import type { Readable } from "node:stream";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { limits } from "../../../contract/limits.ts";
import { refusalOfFetch } from "../../../repos/serve/fetch-request.ts";
import type { SkillDoc } from "../../../storage/skills.ts";
import { actorKey, type Actor } from "../../access/actor.ts";
import { recordDownload } from "../../analytics/downloads.ts";
import type { App } from "../../app.ts";
import { invalidRequest } from "../../errors.ts";
import { readBytes } from "../../http/request/body.ts";
import { loadSkill } from "../load.ts";
import { projectForReaders } from "../projection.ts";
import { selectVersion } from "../versions/select-version.ts";

/** Protocol parameters of a Git client. */
export interface CloneCall {
  /** The `Git-Protocol` header. */
  protocol: string;
}

/** Refs and capabilities of a skill's repository. Updates the refs first. */
export async function advertiseRefs(app: App, actor: Actor, ref: string, call: CloneCall): Promise<Readable> {
  const skill = await loadSkill(app, actor, ref, "skill:read");
  await projectForReaders(app, skill);
  return app.uploadPack.advertise(await directoryOf(app, skill), clientOf(actor, call));
}

/** Response to one round of a fetch. The first round of a clone counts as a download of the current version. */
export async function answerFetch(
  app: App,
  actor: Actor,
  ref: string,
  call: CloneCall & { body: Readable; encoding: string },
): Promise<Readable> {
  const skill = await loadSkill(app, actor, ref, "skill:read");
  const request = await readRequest(call);
  const refusal = refusalOfFetch(request);
  if (refusal !== undefined) throw invalidRequest(refusal);
  // Before Git is started: a process whose output is not read would occupy a slot until its timeout.
  const fetched = isFirstFetch(request) ? await selectVersion(app, skill, { kind: "current" }) : undefined;
  const answer = await app.uploadPack.answer(await directoryOf(app, skill), clientOf(actor, call), request);
  if (fetched) recordDownload(app, actor, fetched);
  return answer;
}

const clientOf = (actor: Actor, { protocol }: CloneCall) => ({
  protocol,
  caller: actorKey(actor),
  network: actor.origin.ipHash,
});

const directoryOf = (app: App, { tenantId, _id }: SkillDoc) =>
  app.repos.materialize({ tenantId, skillId: _id });

/**
 * Reads wants and haves, which are small for a repository of any size. Throws `payload_too_large`, `invalid_request`.
 */
async function readRequest(call: { body: Readable; encoding: string }): Promise<Buffer> {
  const bytes = await readBytes(call.body, limits.gitRequestBytes);
  if (call.encoding === "" || call.encoding === "identity") return bytes;
  if (call.encoding !== "gzip" && call.encoding !== "x-gzip")
    throw invalidRequest("A git request may be compressed with gzip only.");
  try {
    return await promisify(gunzip)(bytes, { maxOutputLength: limits.gitRequestBytes });
  } catch {
    throw invalidRequest("The compressed git request can't be read, or is too large.");
  }
}

/** Whether the client requests a pack and has no objects yet. */
function isFirstFetch(request: Buffer): boolean {
  const lines = request.toString("latin1");
  return (
    /[0-9a-f]{4}want [0-9a-f]{40}/.test(lines) &&
    /000[89]done\n?(?:0000)?$/.test(lines) &&
    !/[0-9a-f]{4}have [0-9a-f]{40}/.test(lines)
  );
}
