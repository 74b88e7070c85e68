/** Fetching one version: every byte is held against the version's digest before anything is installed. */
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import semver from "semver";
import { packageLimits } from "../../contract/package-rules.ts";
import type { SkillPayload, VersionPayload } from "../../contract/payloads.ts";
import type { Client } from "../api/client.ts";
import { saveBody } from "../api/download.ts";
import type { Output } from "../output.ts";
import type { VersionContent } from "../state/cache.ts";
import { digestOfText } from "./digest.ts";
import { checkManifest, damaged } from "./manifest.ts";

export interface FetchedVersion {
  skill: SkillPayload;
  version: VersionPayload;
  content: VersionContent;
  /** The text of a package's SKILL.md; undefined for text skills. */
  packageText?: string;
}

/** `folder` is empty and takes what is downloaded. Throws `E_NETWORK` for anything that is not the version. */
export async function fetchVersion(
  client: Client,
  output: Output,
  resolved: { skill: SkillPayload; version: VersionPayload },
  folder: string,
): Promise<FetchedVersion> {
  const { skill, version } = resolved;
  checkResolved(skill, version);
  if (version.format === "package") {
    const manifest = await client.manifest(skill.publicId, version.version);
    checkManifest(manifest, version.hash);
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
    return { skill, version, content: { format: "package", folder: unpacked, manifest }, packageText };
  }

  const content = await client.content(skill.publicId, version.version);
  if (typeof content.content !== "string" || digestOfText(content.content) !== version.hash)
    throw damaged("its text does not have the digest of the version");
  return { skill, version, content: { format: "markdown", body: content.content } };
}

/** A name from the service becomes a folder name, so it has to look like one. */
function checkResolved(skill: SkillPayload, version: VersionPayload): void {
  const names = [skill.slug, skill.tenantSlug].every((name) => /^[a-z0-9]+(?:-+[a-z0-9]+)*$/.test(name));
  if (!names || !/^[A-Za-z0-9]+$/.test(skill.publicId) || !/^[0-9a-f]{64}$/.test(version.hash))
    throw damaged("its name or digest is malformed");
  if (semver.valid(version.semver) !== version.semver) throw damaged("its version is none");
}
