/** Rules for the files of a package that was selected (`leave-out.ts`). Pure. */
import {
  PackageError,
  collectPaths,
  packageLimits,
  shownPath,
  type PackageLimits,
} from "../checks/package-rules.ts";
import { sizeText } from "../text/size-text.ts";

export interface FileToCheck {
  path: string;
  size: number;
  isLink: boolean;
}

/** Throws the first rule that the files violate. `folders`: entries of a zip that are not stored. */
export function checkFiles(
  files: readonly FileToCheck[],
  {
    rootFile,
    folders = [],
    bounds = packageLimits,
    mayBeEmpty = false,
  }: {
    rootFile?: string;
    folders?: readonly string[];
    bounds?: PackageLimits;
    mayBeEmpty?: boolean;
  } = {},
): void {
  const links = linksError(files.filter(({ isLink }) => isLink).map(({ path }) => path));
  if (links) throw links;
  const paths = collectPaths(bounds);
  let bytes = 0;
  for (const { path, size } of files) {
    paths.addFile(path);
    bytes += size;
  }
  for (const path of folders) paths.addFolder(path);
  if (bytes > bounds.uncompressedBytes) throw tooLargeError(bytes, bounds);
  if (!mayBeEmpty) paths.finish(rootFile);
}

export function tooLargeError(bytes: number, bounds: PackageLimits = packageLimits): PackageError {
  return new PackageError(
    "too_large",
    `The files have ${sizeText(bytes)}, over the ${sizeText(bounds.uncompressedBytes)} of a package: ` +
      "leave out what the skill does not need.",
  );
}

const namedLinks = 20;

/** The error about all links of a package; undefined without any. */
export function linksError(paths: readonly string[]): PackageError | undefined {
  const [first] = paths;
  if (first === undefined) return undefined;
  const named = paths.slice(0, namedLinks).map(shownPath);
  const more = paths.length > namedLinks ? `, and ${paths.length - namedLinks} more` : "";
  const message =
    paths.length === 1
      ? `${named[0]} is a link: replace it with the file itself, or exclude it in .svcignore.`
      : `These are links: ${named.join(", ")}${more}. Replace them with the files themselves, or exclude them in .svcignore.`;
  return new PackageError("symlink", message, first);
}
