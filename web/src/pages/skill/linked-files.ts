import { useMemo } from "react";
import { fileAddress, type Manifest } from "../../api/skills/skills.ts";
import type { LinkedFiles } from "../../parts/markdown/render.ts";
import { useSkillAddress } from "./context.ts";

/** The files of a version, to which the text of one of them may link. */
export function useLinkedFiles(manifest: Manifest, path: string): LinkedFiles {
  const { org, slug, ref, version } = useSkillAddress();
  return useMemo(() => {
    const paths = new Set(manifest.files.map((file) => file.path));
    const query = version === undefined ? "" : `?version=${encodeURIComponent(version)}`;
    const encode = (target: string) => target.split("/").map(encodeURIComponent).join("/");
    return {
      path,
      has: (target) => paths.has(target),
      address: (target) => fileAddress(ref, target, manifest.semver),
      page: (target) => `/${org}/${slug}/files/${encode(target)}${query}`,
    };
  }, [manifest, org, slug, ref, version, path]);
}
