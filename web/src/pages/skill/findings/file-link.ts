import type { Finding } from "../../../api/skills/versions.ts";

/** The line of a file of a version that a finding is about. */
export const fileLink = (
  { org, slug, version }: { org: string; slug: string; version: string },
  { path, line }: Pick<Finding, "path" | "line">,
) =>
  ({
    to: "/$org/$slug/files/$",
    params: { org, slug, _splat: path },
    search: { version },
    hash: line === undefined ? undefined : `L${line}`,
  }) as const;
