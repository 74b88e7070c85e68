/** Reads the version that an edit is based on. Its bytes never change, so each file is read once. */
import type { QueryClient } from "@tanstack/react-query";
import type { SkillType } from "../../../../contract/vocabulary.ts";
import { ApiError, api, dataOf, type Schemas } from "../../api/client.ts";
import { fileAddress, manifestQuery } from "../../api/skills/skills.ts";
import { rootFileOf, type Base } from "./working-set.ts";

export interface BaseReader {
  base: Base | undefined;
  read: (path: string) => Promise<Blob>;
  /** Address of a file, for pictures. */
  addressOf: (path: string) => string;
}

/** For a new skill, which is based on nothing. */
export const noBase: BaseReader = {
  base: undefined,
  read: (path) => Promise.reject(new Error(`${path} has no earlier version.`)),
  addressOf: () => "",
};

export async function openBase(
  client: QueryClient,
  ref: string,
  version: number,
  type: SkillType,
): Promise<BaseReader> {
  const manifest = await client.ensureQueryData(manifestQuery(ref, String(version)));
  const { semver, format, files } = manifest;
  const addressOf = (path: string) => fileAddress(ref, path, semver);
  const known = new Map<string, Promise<Blob>>();
  if (format === "markdown") {
    const text = new Blob([await readText(ref, version)]);
    const path = rootFileOf(type);
    known.set(path, Promise.resolve(text));
    return {
      base: { version, semver, format, files: [{ path, mode: "100644", size: text.size }] },
      read: (wanted) => known.get(wanted) ?? Promise.reject(new Error(`${wanted} is not in ${semver}.`)),
      addressOf,
    };
  }
  const read = (path: string) => {
    const reading = known.get(path) ?? readFile(addressOf(path));
    known.set(path, reading);
    // A failed read may be tried again.
    reading.catch(() => known.delete(path));
    return reading;
  };
  return { base: { version, semver, format, files }, read, addressOf };
}

/** A text with its frontmatter, as it is edited. */
async function readText(ref: string, version: number): Promise<string> {
  const params = { path: { skill: ref }, query: { version: String(version) } };
  const { frontmatter = "", content } = await dataOf(api.GET("/api/skills/{skill}/content", { params }));
  return frontmatter + content;
}

async function readFile(address: string): Promise<Blob> {
  const response = await fetch(address).catch(() => {
    throw new ApiError(0, undefined);
  });
  if (response.ok) return response.blob();
  const body = (await response.json().catch(() => undefined)) as Partial<Schemas["Failure"]> | undefined;
  throw new ApiError(response.status, body, response.headers.get("x-request-id") ?? "");
}
