/** Downloads one version, and compares every byte with the version's digest before anything is installed. */
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import semver from "semver";
import { packageLimits, shownPath } from "../../contract/checks/package-rules.ts";
import { windowsFault } from "../../contract/package/portable-paths.ts";
import type {
  ManifestPayload,
  ResolveResult,
  SkillPayload,
  VersionPayload,
} from "../../contract/payloads/skills/skills.ts";
import type { Client } from "../api/client.ts";
import { saveBody } from "../api/download.ts";
import { patterns } from "../api/shapes.ts";
import type { Context } from "../context.ts";
import { CliError } from "../errors.ts";
import type { VersionContent } from "../state/cache.ts";
import { digestOfText } from "./locations/digest.ts";
import type { AcceptedVersion } from "./publisher.ts";
import { checkManifest, damaged } from "./records/manifest.ts";

export interface FetchedVersion extends ResolveResult {
  content: VersionContent;
  /** The text of a package's SKILL.md; undefined for text skills. */
  packageText?: string;
}

/** `folder` is an empty folder for the download. Throws `E_NETWORK` if it is not the requested version. */
export async function fetchVersion(
  client: Client,
  { output, platform }: Pick<Context, "output" | "platform">,
  resolved: AcceptedVersion,
  folder: string,
): Promise<FetchedVersion> {
  const { skill, version } = resolved;
  checkResolved(skill, version);
  if (version.format === "package") {
    const manifest = await client.manifest(skill.publicId, version.version);
    checkManifest(manifest, version.hash);
    if (platform === "win32") refuseUnstorable(skill, manifest);
    const { unpackPackage } = await import("./unpack.ts");
    const progress = await output.progress(`Downloading ${skill.slug} ${version.semver}`);
    const zipPath = join(folder, "package.zip");
    const unpacked = join(folder, "pkg");
    try {
      const response = await client.raw(
        client.packagePath(skill.publicId),
        { version: version.version },
        "application/zip",
      );
      await saveBody(response, zipPath, { maxBytes: packageLimits.compressedBytes, progress });
      await mkdir(unpacked);
      await unpackPackage(zipPath, manifest, unpacked);
    } finally {
      progress.end();
    }
    const packageText = await readFile(join(unpacked, "SKILL.md"), "utf8");
    return { ...resolved, content: { format: "package", folder: unpacked, manifest }, packageText };
  }

  const content = await client.content(skill.publicId, version.version);
  if (typeof content.content !== "string" || digestOfText(content.content) !== version.hash)
    throw damaged("its text does not have the digest of the version");
  const { content: body, frontmatter } = content;
  // Versions stored by earlier services have no such digest: their files are rendered from name and description.
  if (version.frontmatterHash === undefined) return { ...resolved, content: { format: "markdown", body } };
  if (typeof frontmatter !== "string" || digestOfText(frontmatter) !== version.frontmatterHash)
    throw damaged("its frontmatter does not have the digest of the version");
  return { ...resolved, content: { format: "markdown", body, frontmatter } };
}

/** Throws `E_PACK_FAILED` for a file that Windows can't store, before anything of the package is written. */
function refuseUnstorable({ tenantSlug, slug }: SkillPayload, { files }: ManifestPayload): void {
  const path = files.map((file) => file.path).find((each) => windowsFault(each) !== undefined);
  if (path === undefined) return;
  throw new CliError(
    "E_PACK_FAILED",
    `Windows can't store ${shownPath(path)} of ${tenantSlug}/${slug}: ${windowsFault(path)}. Nothing was written. ` +
      "Ask its publisher to rename the file, or install it in WSL.",
    { kind: "content", rule: "path_windows", ref: path },
  );
}

/** Checks a name from the service that becomes a folder name. */
function checkResolved(skill: SkillPayload, version: VersionPayload): void {
  const names = [skill.slug, skill.tenantSlug].every((name) => patterns.slug.test(name));
  if (!names || !/^[A-Za-z0-9]+$/.test(skill.publicId) || !/^[0-9a-f]{64}$/.test(version.hash))
    throw damaged("its name or digest is malformed");
  if (semver.valid(version.semver) !== version.semver) throw damaged("its version is none");
}
