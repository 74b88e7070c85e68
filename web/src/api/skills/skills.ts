/** One skill: its settings, versions, files, downloads and installs. */
import { queryOptions } from "@tanstack/react-query";
import { ApiError, type Schemas } from "../client.ts";
import { pages, query } from "../query.ts";

export type Skill = Schemas["SkillDetail"];
export type Version = Schemas["Version"];
export type Manifest = Schemas["Manifest"];
export type ManifestFile = Manifest["files"][number];

/** Reference of a skill in the paths of the API. */
export const refOf = ({ org, slug }: { org: string; slug: string }): string => `${org}~${slug}`;

/** The parameters that select a version; without one, the current version. */
const selectorOf = (version: string | undefined) => {
  if (version === undefined) return {};
  return /^\d+$/.test(version) ? { version } : { semver: version };
};

/** A fixed version never changes. The current one does. */
const freshness = (version: string | undefined) => (version === undefined ? {} : { staleTime: Infinity });

export const skillQuery = (ref: string) => query("/api/skills/{skill}", { skill: ref });

export const manifestQuery = (ref: string, version: string | undefined) =>
  queryOptions({
    ...query("/api/skills/{skill}/manifest", { skill: ref, ...selectorOf(version) }),
    ...freshness(version),
  });

const pageSize = 100;

export const versionsQuery = (ref: string) =>
  pages("/api/skills/{skill}/versions", { skill: ref, limit: pageSize, prerelease: true });

const latestVersions = 3;

/** The versions that the page of a skill names. */
export const latestVersionsQuery = (ref: string) =>
  query("/api/skills/{skill}/versions", { skill: ref, limit: latestVersions });

/** One version by its exact semver; undefined if there is none. */
export const versionQuery = (ref: string, semver: string) =>
  queryOptions({
    ...query("/api/skills/{skill}/versions", { skill: ref, spec: semver, prerelease: true, limit: 1 }),
    select: (found) => found[0] ?? null,
  });

/** Address of the bytes of one file. */
export function fileAddress(ref: string, path: string, semver: string): string {
  const encoded = path.split("/").map(encodeURIComponent).join("/");
  const selector = /^\d+$/.test(semver) ? "version" : "semver";
  return `/api/skills/${ref}/files/${encoded}?${selector}=${encodeURIComponent(semver)}`;
}

export const packageAddress = (ref: string, semver: string): string =>
  `/api/skills/${ref}/package?semver=${encodeURIComponent(semver)}`;

export interface FileBytes {
  bytes: Uint8Array;
  /** Undefined for a file that is not text. */
  text: string | undefined;
  /** False if the file has further bytes. */
  isWhole: boolean;
}

/** Bytes of a file that are read; what is beyond them is for a download. */
export const shownBytes = 1024 * 1024;

/** The beginning of one file of a version. Reading a file does not count as a download. */
export const fileQuery = (ref: string, path: string, semver: string) =>
  queryOptions({
    queryKey: ["file", { skill: ref, path, semver }],
    staleTime: Infinity,
    gcTime: 60_000,
    queryFn: async ({ signal }): Promise<FileBytes> => {
      const response = await fetch(fileAddress(ref, path, semver), { signal }).catch((error: unknown) => {
        if (error instanceof DOMException && error.name === "AbortError") throw error;
        throw new ApiError(0, undefined);
      });
      if (!response.ok) {
        const body = (await response.json().catch(() => undefined)) as
          | Partial<Schemas["Failure"]>
          | undefined;
        throw new ApiError(response.status, body, response.headers.get("x-request-id") ?? "");
      }
      return readStart(response);
    },
  });

async function readStart(response: Response): Promise<FileBytes> {
  const parts: Uint8Array[] = [];
  let size = 0;
  let isWhole = response.body === null;
  const reader = response.body?.getReader();
  for (let next = await reader?.read(); next; next = await reader?.read()) {
    if (next.value) parts.push(next.value);
    size += next.value?.length ?? 0;
    isWhole = next.done && size <= shownBytes;
    if (next.done || size > shownBytes) break;
  }
  if (!isWhole) await reader?.cancel();
  const whole = new Uint8Array(await new Blob(parts as BlobPart[]).arrayBuffer());
  const bytes = whole.subarray(0, shownBytes);
  return { bytes, text: textOf(bytes, isWhole), isWhole };
}

function textOf(bytes: Uint8Array, isWhole: boolean): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    // A character may be cut at the end of what was read.
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: !isWhole });
  } catch {
    return undefined;
  }
}

export const skillAnalyticsQuery = (ref: string, days: number) =>
  query("/api/skills/{skill}/analytics", { skill: ref, days });

export const adoptionQuery = (ref: string, days: number) =>
  query("/api/skills/{skill}/analytics/adoption", { skill: ref, days });

export const skillTeamsQuery = (ref: string) => query("/api/skills/{skill}/analytics/teams", { skill: ref });
