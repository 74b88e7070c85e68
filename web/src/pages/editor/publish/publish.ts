/**
 * The steps of a publish: small edits are sent as changes, everything else is packed, announced, sent and then
 * published. `made` keeps what succeeded, so that a retry continues at the step that failed.
 */
import { utf8Length } from "../../../../../contract/checks/package-rules.ts";
import { limits } from "../../../../../contract/limits.ts";
import { ApiError } from "../../../api/client.ts";
import {
  announceUpload,
  publishSkill,
  publishVersion,
  requestOf,
  sendUpload,
  type NextVersion,
  type SkillBody,
  type VersionBody,
} from "../../../api/skills/publishing.ts";
import { packFiles } from "../../../parts/zip/client.ts";
import type { ZipFile } from "../../../parts/zip/format.ts";
import { newDraftId } from "../drafts/drafts.ts";
import { isSingleText, removedFiles, statusOf, type Base, type WorkFile } from "../working-set.ts";

/** A new skill, or a version of an existing one. */
export type Target =
  | { kind: "skill"; body: Omit<SkillBody, "content" | "uploadId" | "message"> }
  | {
      kind: "version";
      ref: string;
      next: NextVersion;
      base: Base;
      /** In place of the previous ones. */
      requiredMcpServers?: VersionBody["requiredMcpServers"];
    };

export interface Publication {
  files: readonly WorkFile[];
  message: string;
  target: Target;
  /** Bytes of a file of the base. */
  readBase: (path: string) => Promise<Blob>;
}

export interface Published {
  org: string;
  slug: string;
  semver: string;
  warnings: string[];
}

export type Step = "packing" | "sending" | "checking";
export interface Progress {
  step: Step;
  done: number;
  total: number;
}

/** Results of the steps that succeeded, for one state of the files. */
export interface Made {
  packed?: { zip: Blob; sha256: string };
  uploadId?: string;
  isSent?: boolean;
  call?: { text: string; key: string };
}

type Content = Pick<VersionBody, "content" | "changes" | "uploadId">;

export async function publish(
  publication: Publication,
  made: Made,
  report: (progress: Progress) => void,
  signal: AbortSignal,
): Promise<Published> {
  const small = made.packed ? undefined : await inlineContent(publication);
  const content = small ?? { uploadId: await upload(publication, made, report, signal) };
  report({ step: "checking", done: 1, total: 1 });
  try {
    return await send(publication, content, made, signal);
  } catch (error) {
    if (error instanceof ApiError && isUploadGone(error)) forgetUpload(made);
    throw error;
  }
}

/** A refused package, or one that waited too long, has to be sent again. */
const isUploadGone = ({ code, status }: ApiError) =>
  status === 404 || ["content_invalid", "package_invalid"].includes(code);

function forgetUpload(made: Made): void {
  delete made.uploadId;
  delete made.isSent;
}

async function send(
  { target, message }: Publication,
  content: Content,
  made: Made,
  signal: AbortSignal,
): Promise<Published> {
  const shared = { ...content, message: message.trim() === "" ? undefined : message.trim() };
  const text = JSON.stringify([target, shared]);
  if (made.call?.text !== text) made.call = { text, key: newDraftId() };
  const options = { key: made.call.key, signal };
  if (target.kind === "skill") {
    const { skill, version, warnings } = await publishSkill({ ...target.body, ...shared }, options);
    return { org: skill.tenantSlug, slug: skill.slug, semver: version.semver, warnings };
  }
  const { ref, next, base, requiredMcpServers } = target;
  const required = requiredMcpServers && { requiredMcpServers };
  const body = { ...shared, ...requestOf(next), ...required, base: base.version };
  const { semver, warnings } = await publishVersion(ref, body, options);
  const [org, slug] = ref.split("~") as [string, string];
  return { org, slug, semver, warnings };
}

/** The content as part of the call; undefined if it has to be uploaded. */
async function inlineContent(publication: Publication): Promise<Content | undefined> {
  const { files, target } = publication;
  const base = target.kind === "version" ? target.base : undefined;
  const isText = isSingleText(files, base);
  if (!base) return isText ? { content: await textOf(publication, files[0]!) } : undefined;
  if (base.format === "markdown" && !isText) return undefined;
  const changed = files.filter((file) => statusOf(file, base) !== "same");
  const bytes = changed.reduce(
    (sum, { data }) => sum + (typeof data === "string" ? data.length : (data?.size ?? 0)),
    0,
  );
  if (bytes > limits.jsonBodyBytes) return undefined;
  const changes: NonNullable<VersionBody["changes"]> = await Promise.all(
    changed.map((file) => toChange(publication, file, base)),
  );
  for (const { path } of removedFiles(files, base)) changes.push({ path, delete: true });
  const isSmall = utf8Length(JSON.stringify(changes)) < limits.jsonBodyBytes - 16_384;
  return isText || isSmall ? { changes } : undefined;
}

async function toChange(publication: Publication, file: WorkFile, base: Base) {
  const { path, mode, data, from } = file;
  const old = base.files.find((one) => one.path === path);
  const modeChange = old?.mode === mode ? {} : { mode };
  if (typeof data === "string") return { path, content: data, ...modeChange };
  if (data === undefined && from === path) return { path, mode };
  return { path, contentBase64: await base64Of(await bytesOf(publication, file)), ...modeChange };
}

async function upload(
  publication: Publication,
  made: Made,
  report: (progress: Progress) => void,
  signal: AbortSignal,
): Promise<string> {
  const packed = (made.packed ??= await pack(publication, report, signal));
  const { zip, sha256 } = packed;
  if (zip.size > limits.packageCompressedBytes)
    throw new Error("The package is too large to send. Leave out what the skill does not need.");
  const total = zip.size;
  report({ step: "sending", done: 0, total });
  made.uploadId ??= (await announceUpload({ size: zip.size, sha256 }, signal)).uploadId;
  if (made.isSent) return made.uploadId;
  try {
    await sendUpload(made.uploadId, zip, (done) => report({ step: "sending", done, total }), signal);
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) forgetUpload(made);
    throw error;
  }
  made.isSent = true;
  return made.uploadId;
}

/** Files of the base that are read at a time. */
const concurrentReads = 4;

async function pack(
  publication: Publication,
  report: (progress: Progress) => void,
  signal: AbortSignal,
): Promise<{ zip: Blob; sha256: string }> {
  report({ step: "packing", done: 0, total: 0 });
  const rest = [...publication.files.entries()];
  const files: ZipFile[] = [];
  const readNext = async (): Promise<void> => {
    for (let next = rest.pop(); next; next = rest.pop()) {
      signal.throwIfAborted();
      const [index, file] = next;
      files[index] = { path: file.path, mode: file.mode, data: await bytesOf(publication, file) };
    }
  };
  await Promise.all(Array.from({ length: concurrentReads }, readNext));
  const total = files.reduce((sum, { data }) => sum + data.size, 0);
  return packFiles(files, (done) => report({ step: "packing", done, total }), signal);
}

async function bytesOf({ readBase }: Publication, { path, data, from }: WorkFile): Promise<Blob> {
  if (typeof data === "string") return new Blob([data]);
  return data ?? readBase(from ?? path);
}

async function textOf(publication: Publication, file: WorkFile): Promise<string> {
  return typeof file.data === "string" ? file.data : (await bytesOf(publication, file)).text();
}

function base64Of(blob: Blob): Promise<string> {
  const reader = new FileReader();
  return new Promise((resolve, reject) => {
    reader.addEventListener("load", () => resolve((reader.result as string).replace(/^[^,]*,/, "")));
    reader.addEventListener("error", () =>
      reject(new Error("A file can't be read. It was moved or changed on your computer: add it again.")),
    );
    reader.readAsDataURL(blob);
  });
}
