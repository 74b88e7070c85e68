/**
 * Keys that the configuration of a repository on this machine may have. None of them has an effect on the service,
 * whose git runs with a configuration of its own (`directory-view.ts`), except how files are shared. Any other key is
 * refused: the owner of the repository expects an effect that it would not have.
 */
import { RepoError } from "../errors.ts";
import { plainText } from "./pkt-line.ts";

/** In lower case, as git lists them. */
const harmlessKeys: ReadonlySet<string> = new Set([
  "core.repositoryformatversion",
  "core.bare",
  "core.filemode",
  "core.ignorecase",
  "core.precomposeunicode",
  "core.symlinks",
  "core.logallrefupdates",
  "core.sharedrepository",
  "core.compression",
  "core.loosecompression",
  "core.bigfilethreshold",
  "core.abbrev",
  "core.quotepath",
  "core.autocrlf",
  "core.eol",
  "core.safecrlf",
  "core.fsync",
  "core.fsyncmethod",
  "extensions.objectformat",
  "gc.auto",
  "gc.autopacklimit",
  "gc.autodetach",
  "gc.pruneexpire",
  "gc.reflogexpire",
  "gc.reflogexpireunreachable",
  "http.receivepack",
  "http.uploadpack",
  "init.defaultbranch",
  "pack.threads",
  "pack.window",
  "pack.depth",
  "pack.compression",
  "pack.windowmemory",
  "pack.packsizelimit",
  "pack.writebitmaps",
  "repack.writebitmaps",
  "receive.autogc",
  "receive.denycurrentbranch",
  "receive.denydeletes",
  "receive.denynonfastforwards",
  "receive.fsckobjects",
  "receive.maxinputsize",
  "receive.unpacklimit",
  "transfer.fsckobjects",
  "transfer.unpacklimit",
  "uploadpack.allowfilter",
  "uploadpack.allowanysha1inwant",
  "uploadpack.allowreachablesha1inwant",
  "uploadpack.allowtipsha1inwant",
  "user.name",
  "user.email",
]);
/** Keys of a clone: the service never contacts its origin. The middle part may have dots. */
const harmlessPatterns = [
  /^remote\.[^]+\.(url|pushurl|fetch|push|mirror|tagopt|prune|prunetags|skipdefaultupdate|skipfetchall)$/,
  /^branch\.[^]+\.(remote|merge|rebase|description)$/,
  /^gitweb\.(owner|description|category|url)$/,
];
const sharing = /^(true|false|group|all|world|everybody|umask|[0-7]{3,4})$/i;

/**
 * Throws `invalid_remote` with the first key that is not accepted, and `sha256_repository`. Returns how the repository
 * is shared, if its configuration has that key.
 *
 * @param listed output of `git config -z --list`
 */
export function refuseForeignKeys(listed: string): string | undefined {
  let shared: string | undefined;
  for (const entry of listed.split("\0")) {
    if (entry === "") continue;
    const cut = entry.indexOf("\n");
    const [key, value] = cut < 0 ? [entry, "true"] : [entry.slice(0, cut), entry.slice(cut + 1)];
    const isHarmless = harmlessKeys.has(key) || harmlessPatterns.some((pattern) => pattern.test(key));
    if (!isHarmless) throw refusedKey(key);
    if (key === "core.bare" && value.toLowerCase() === "false") throw notBare();
    if (key === "extensions.objectformat" && value !== "sha1") throw sha256Repository();
    if (key === "core.sharedrepository" && sharing.test(value)) shared = value;
  }
  return shared;
}

const refusedKey = (key: string) =>
  new RepoError(
    "invalid_remote",
    `the repository's configuration has the key ${plainText(key, 200).replaceAll("\n", " ")}, which this service does \
not accept: remove it with git config --unset`,
  );

const notBare = () =>
  new RepoError(
    "invalid_remote",
    "the repository's configuration has core.bare = false: connect a bare repository",
  );

export const sha256Repository = () =>
  new RepoError(
    "sha256_repository",
    "the repository uses SHA-256 objects, which this service does not support: connect one with SHA-1 objects",
  );
