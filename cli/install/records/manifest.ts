/** The files of a version, checked before any of them is used. */
import {
  PackageError,
  canonicalContent,
  checkPackagePaths,
  packageLimits,
} from "../../../contract/checks/package-rules.ts";
import type { ManifestPayload } from "../../../contract/payloads/skills/skills.ts";
import { CliError } from "../../errors.ts";
import { digestOfText } from "../locations/digest.ts";

/** Throws `E_NETWORK` unless the manifest follows the rules and its files result in the version's digest. */
export function checkManifest(manifest: ManifestPayload, expectedHash: string): void {
  const wellFormed =
    Array.isArray(manifest.files) &&
    manifest.files.every(
      (file) =>
        typeof file.path === "string" &&
        Number.isSafeInteger(file.size) &&
        file.size >= 0 &&
        /^[0-9a-f]{64}$/.test(file.sha256) &&
        (file.mode === "100644" || file.mode === "100755"),
    );
  if (!wellFormed) throw damaged("its list of files is malformed");
  try {
    checkPackagePaths(
      manifest.files.map((file) => file.path),
      { rootFile: "SKILL.md" },
    );
  } catch (error) {
    if (error instanceof PackageError) throw damaged(error.message);
    throw error;
  }
  const bytes = manifest.files.reduce((sum, file) => sum + file.size, 0);
  if (bytes > packageLimits.uncompressedBytes) throw damaged("it is larger than a package may be");
  if (manifest.hash !== expectedHash || digestOfText(canonicalContent(manifest.files)) !== expectedHash)
    throw damaged("its files do not have the digest of the version");
}

/** The error for a download that is not the requested version. */
export function damaged(why: string, cause?: unknown): CliError {
  return new CliError(
    "E_NETWORK",
    `The download is not the requested version: ${why}.`,
    { kind: "content" },
    { cause },
  );
}
