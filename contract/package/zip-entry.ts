/** Entries of a zip: their names, modes and what is refused, the same for every reader (APPNOTE.TXT 4.4). Pure. */
import { PackageError, shownPath, type FileMode, type PackageRule } from "../checks/package-rules.ts";

/** Fields of an entry in the central directory. */
export interface ZipEntryFields {
  /** Bytes of the name. */
  name: Uint8Array;
  flags: number;
  method: number;
  /** "Version made by". */
  madeBy: number;
  externalAttributes: number;
  compressed: number;
  size: number;
}

export interface ZipEntryFacts {
  path: string;
  kind: "file" | "folder" | "link";
  /** Undefined if the system that made the zip has no modes. */
  mode: FileMode | undefined;
}

/** Bits of the general purpose flag. */
const zipFlags = { encrypted: 1, utf8: 0x800 } as const;
export const zipMethods = { stored: 0, deflated: 8 } as const;
/** Entries of a zip that are read, with those that are left out and folders. */
export const maxZipEntries = 20_000;

/** Types of a file in a mode of Unix. 0 is that of systems without modes. */
const types = { link: 0o120000, submodule: 0o160000, folder: 0o040000, file: 0o100000 } as const;

/** Systems in "version made by": MS-DOS and Windows NTFS; Unix and macOS, which have modes. */
const windowsSystems = [0, 10];
const unixSystems = [3, 19];

/** Reads an entry. `unicodeName`: the name in an extra field. Throws `path_encoding` and `special_file`. */
export function readZipEntry(entry: ZipEntryFields, unicodeName?: string): ZipEntryFacts {
  const system = entry.madeBy >>> 8;
  const given = unicodeName ?? decodeZipName(entry.name, (entry.flags & zipFlags.utf8) !== 0);
  // Zips of older Windows programs have backslashes.
  const name = windowsSystems.includes(system) ? given.replaceAll("\\", "/") : given;
  const unixMode = entry.externalAttributes >>> 16;
  const type = unixMode & 0o170000;
  const isNamedFolder = name.endsWith("/") && name !== "/";
  const path = isNamedFolder ? name.slice(0, -1) : name;
  if (type === types.link) return { path, kind: "link", mode: undefined };
  if (isNamedFolder) {
    if (entry.size > 0 || (type !== 0 && type !== types.folder))
      throw new PackageError(
        "special_file",
        `${shownPath(name)} has the name of a folder but is a file: create the zip again.`,
        name,
      );
    return { path, kind: "folder", mode: undefined };
  }
  const hasMode = unixMode !== 0 && unixSystems.includes(system);
  return { path, kind: "file", mode: hasMode ? (unixMode & 0o111 ? "100755" : "100644") : undefined };
}

/** Throws the reason for which a file of a zip can't be in a package, besides its path and size. */
export function checkZipEntry(path: string, entry: ZipEntryFields): void {
  const refuse = (rule: PackageRule, why: string): never => {
    throw new PackageError(rule, `${shownPath(path)} ${why}`, path);
  };
  const type = (entry.externalAttributes >>> 16) & 0o170000;
  if (type === types.submodule) refuse("submodule", "is a submodule: put its files in the package.");
  if (type !== 0 && type !== types.file) refuse("special_file", "is not a regular file: leave it out.");
  if ((entry.flags & zipFlags.encrypted) !== 0)
    refuse("encrypted", "is encrypted: make the zip without a password.");
  if (entry.method !== zipMethods.stored && entry.method !== zipMethods.deflated)
    refuse("unsupported_method", `uses compression method ${entry.method}: use deflate or none.`);
  if (entry.method === zipMethods.stored && entry.compressed !== entry.size)
    refuse("size_mismatch", "does not have the size that the zip declares: create the zip again.");
}

export function tooManyEntries(): PackageError {
  return new PackageError(
    "too_many_files",
    `The zip has more than ${maxZipEntries} entries: leave out what the skill does not need.`,
  );
}

/** The bytes 80 to 9A and A0 to A5 of code page 437: the letters in it. */
const letters = new Map([
  ..."ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ".split("").map((letter, i) => [0x80 + i, letter] as const),
  ..."áíóúñÑ".split("").map((letter, i) => [0xa0 + i, letter] as const),
]);

/** Share of letters outside of ASCII in a name of code page 437. In other code pages nearly all bytes are such. */
const lettersPerSpecial = 3;

/**
 * The name of an entry. Throws `path_encoding` for one that is not UTF-8. A name without the flag of UTF-8 is in code
 * page 437 by the standard, and in that of the system in practice: it is read by code page 437 only if the result looks
 * like words.
 */
function decodeZipName(raw: Uint8Array, isUtf8: boolean): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(raw);
  } catch {
    const name = isUtf8 ? undefined : decodeCp437(raw);
    if (name !== undefined) return name;
    const shown = new TextDecoder("utf-8", { ignoreBOM: true }).decode(raw).replaceAll("\ufffd", "?");
    throw new PackageError(
      "path_encoding",
      `The name ${JSON.stringify(shown)} in the zip is not UTF-8: create the zip with a program that writes names in ` +
        "UTF-8, such as 7-Zip with the parameter cu=on, or rename the file.",
      shown,
    );
  }
}

function decodeCp437(raw: Uint8Array): string | undefined {
  let name = "";
  let special = 0;
  for (const byte of raw) {
    const character = byte < 0x80 ? String.fromCharCode(byte) : letters.get(byte);
    if (character === undefined) return undefined;
    if (byte >= 0x80) special++;
    name += character;
  }
  const stem = name.slice(name.lastIndexOf("/") + 1).replace(/\.[a-z0-9]*$/i, "");
  return special * lettersPerSpecial <= Math.max(stem.length, 1) ? name : undefined;
}
