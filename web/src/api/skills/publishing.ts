/** Publishes, and the uploads of their packages. */
import { queryOptions } from "@tanstack/react-query";
import type { Visibility } from "../../../../contract/vocabulary.ts";
import type { paths } from "../../../generated/api-types.ts";
import { ApiError, api, dataOf, type Schemas } from "../client.ts";
import { query } from "../query.ts";

export type PublishResult = Schemas["PublishResult"];
export type VersionResult = Schemas["VersionResult"];
type BodyOf<P extends "/api/skills" | "/api/skills/{skill}/versions"> =
  paths[P]["post"]["requestBody"]["content"]["application/json"];
export type SkillBody = BodyOf<"/api/skills">;
export type VersionBody = BodyOf<"/api/skills/{skill}/versions">;

export const nextVersions = ["patch", "minor", "major", "prerelease"] as const;
export type NextVersion = (typeof nextVersions)[number];

/** The number that a push asks for: a prerelease continues the current one. */
export const requestOf = (next: NextVersion) =>
  next === "prerelease" ? ({ prerelease: true } as const) : { bump: next };

/** A digest that no content has: only the number of a plan is used. */
const noDigest = "0".repeat(64);

/** The number of the next version, as the service would give it. Fails as a push would, for example with 403. */
export const nextSemverQuery = (ref: string, current: number, next: NextVersion) =>
  queryOptions({
    queryKey: ["next-version", { skill: ref, current, next }],
    queryFn: async ({ signal }) => {
      const body = { ...requestOf(next), format: "markdown" as const, hash: noDigest };
      const params = { path: { skill: ref } };
      return (await dataOf(api.POST("/api/skills/{skill}/versions/plan", { signal, params, body }))).semver;
    },
  });

/** How many could read a new skill in a folder (`""` is the root). */
export const newReadersQuery = (org: string, folder: string, visibility: Visibility) =>
  query("/api/tenants/{tenant}/access/readers", { tenant: org, visibility, folder });

/** `key` identifies the call: a repeated one does not publish twice. */
export interface CallOptions {
  key: string;
  signal: AbortSignal;
}

export function publishSkill(body: SkillBody, options: CallOptions): Promise<PublishResult> {
  return dataOf(api.POST("/api/skills", { body, ...headersOf(options) }));
}

export function publishVersion(ref: string, body: VersionBody, options: CallOptions): Promise<VersionResult> {
  const params = { path: { skill: ref } };
  return dataOf(api.POST("/api/skills/{skill}/versions", { params, body, ...headersOf(options) }));
}

const headersOf = ({ key, signal }: CallOptions) => ({ signal, headers: { "Idempotency-Key": key } });

export async function announceUpload(
  upload: { size: number; sha256: string },
  signal: AbortSignal,
): Promise<Schemas["Upload"]> {
  return dataOf(api.POST("/api/uploads", { body: upload, signal }));
}

/** Sends the bytes of an announced upload. Not by fetch, which does not report what was sent. */
export function sendUpload(
  uploadId: string,
  zip: Blob,
  onProgress: (bytes: number) => void,
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("PUT", `/api/uploads/${encodeURIComponent(uploadId)}`);
    request.setRequestHeader("Content-Type", "application/octet-stream");
    request.upload.addEventListener("progress", ({ loaded }) => onProgress(loaded));
    request.addEventListener("error", () => reject(new ApiError(0, undefined)));
    request.addEventListener("load", () => {
      if (request.status < 300) resolve();
      else reject(failureOf(request));
    });
    signal.addEventListener("abort", () => {
      request.abort();
      reject(signal.reason as Error);
    });
    request.send(zip);
  });
}

function failureOf(request: XMLHttpRequest): ApiError {
  const requestId = request.getResponseHeader("x-request-id") ?? "";
  try {
    return new ApiError(request.status, JSON.parse(request.responseText) as Schemas["Failure"], requestId);
  } catch {
    return new ApiError(request.status, undefined, requestId);
  }
}
