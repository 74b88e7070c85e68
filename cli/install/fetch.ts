/** Fetching one version: every byte is held against the version's digest before anything is installed. */
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { limits } from "../../contract/limits.ts";
import { packageLimits } from "../../contract/package-rules.ts";
import type { SkillPayload, VersionPayload } from "../../contract/payloads.ts";
import type { Client } from "../api/client.ts";
import { readBody, saveBody } from "../api/download.ts";
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

/** Frontmatter and separators around a text of the largest size. */
const renderedBytes = limits.textContentBytes + 128 * 1024;

/** `folder` is empty and takes what is downloaded. Throws `E_NETWORK` for anything that is not the version. */
export async function fetchVersion(
  client: Client,
  output: Output,
  resolved: { skill: SkillPayload; version: VersionPayload },
  folder: string,
): Promise<FetchedVersion> {
  const { skill, version } = resolved;
  checkResolved(skill, version);
  const manifest = await client.manifest(skill.publicId, version.version);
  checkManifest(manifest, version.hash);

  if (version.format === "package") {
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

  const [file] = manifest.files;
  if (manifest.files.length !== 1 || file === undefined) throw damaged("a text skill has one file");
  const content = await client.content(skill.publicId, version.version);
  // The stored file is the text under regenerated frontmatter; its digest vouches for the text.
  const stored = await readBody(
    await client.raw(client.filePath(skill.publicId, file.path), { version: version.version }, "*/*"),
    renderedBytes,
  );
  if (digestOfText(stored) !== file.sha256) throw damaged(`${file.path} does not have the listed digest`);
  if (typeof content.content !== "string" || !stored.toString("utf8").endsWith(content.content))
    throw damaged("its text is not that of the stored file");
  return { skill, version, content: { format: "markdown", body: content.content } };
}

/** A name from the service becomes a folder name, so it has to look like one. */
function checkResolved(skill: SkillPayload, version: VersionPayload): void {
  const names = [skill.slug, skill.tenantSlug].every((name) => /^[a-z0-9]+(?:-+[a-z0-9]+)*$/.test(name));
  if (!names || !/^[A-Za-z0-9]+$/.test(skill.publicId) || !/^[0-9a-f]{64}$/.test(version.hash))
    throw damaged("its name or digest is malformed");
}
