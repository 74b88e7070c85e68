/**
 * Private views of bare repositories on this machine. Anyone who can write to such a repository could let its
 * configuration run commands (`core.alternateRefsCommand`), lead git to another repository's objects (alternates) or
 * into another folder (`core.worktree`, includes). Therefore git never runs in the repository: it runs in a directory
 * of ours, with a configuration of ours, that links only to the repository's refs, packs and loose objects. Nothing
 * else in the repository has any effect, whenever its owner changes it.
 *
 * The 257 links to the folders of objects are made once for each repository and used by all its views: making and
 * removing them takes longer than the rest of a session.
 *
 * Before each session the repository is checked as well, so that its owner learns what is not accepted. A link inside
 * it is only refused by this check: it could lead out of the repository.
 */
import { createHash } from "node:crypto";
import { constants, type Dirent } from "node:fs";
import {
  lstat,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readlink,
  rename,
  rm,
  symlink,
  writeFile,
} from "node:fs/promises";
import { dirname, join } from "node:path";
import { RepoError, asRepoError } from "../errors.ts";
import { type NativeGit, runGit } from "../native-git.ts";
import { refuseForeignKeys } from "./directory-config.ts";

/** Entries of refs and objects that are looked at; git itself packs loose objects long before. */
const maxEntries = 500_000;
const maxFileBytes = 64 * 1024;
const configTimeoutMs = 10_000;
const prefix = "view-";
/** Folders of links to a repository's objects. */
const linksPrefix = "objects-";
/** In such a folder: what a push has sent and git has not accepted yet. */
const quarantinePrefix = "incoming-";
/** Age from which a view or a quarantine belongs to a process that was killed. */
const leftoverMs = 24 * 3_600_000;

/** Files that change what a repository is made of, or where it lies. */
const refusedFiles = [
  "commondir",
  "gitdir",
  "config.worktree",
  "shallow",
  "info/grafts",
  "objects/info/alternates",
  "objects/info/http-alternates",
];

const objectFolders = ["pack", ...Array.from({ length: 256 }, (_, n) => n.toString(16).padStart(2, "0"))];

export interface DirectoryView {
  /** The directory for git to run in. */
  directory: string;
  close(): Promise<void>;
}

/**
 * Checks a bare repository and opens a view of it. Throws `remote_missing` where there is none, `invalid_remote` with
 * the name of a key, file or link that is not accepted, and `sha256_repository`.
 *
 * @param views folder of the views, on the same disk as the repository: git moves what is pushed from there
 */
export async function openDirectoryView(path: string, git: NativeGit, views: string): Promise<DirectoryView> {
  await requireBareRepository(path);
  await refuseFiles(path);
  const [head, config] = [await readPlainFile(path, "HEAD"), await readPlainFile(path, "config")];
  for (const folder of ["refs", "objects"]) await refuseLinks(path, folder);
  await removeLeftovers(views);
  const directory = await newFolder(views);
  const close = () => rm(directory, { recursive: true, force: true, maxRetries: 3 });
  try {
    await Promise.all([
      writeFile(join(directory, "HEAD"), headOf(head ?? "")),
      writeFile(join(directory, "config"), settings),
      symlink(join(path, "refs"), join(directory, "refs")),
      symlink(join(path, "packed-refs"), join(directory, "packed-refs")),
      linkObjects(path, views).then((links) => symlink(links, join(directory, "objects"))),
    ]);
    await acceptConfig(git, directory, config ?? "");
  } catch (error) {
    await close();
    throw error;
  }
  return { directory, close };
}

const refused = (why: string) => new RepoError("invalid_remote", why);

async function requireBareRepository(path: string): Promise<void> {
  // Bare ones only: a working copy's branch would move while someone works there.
  const [head, objects, refs] = await Promise.all(
    ["HEAD", "objects", "refs"].map((name) => lstat(join(path, name)).catch(() => undefined)),
  );
  if (!head || !objects || !refs)
    throw new RepoError("remote_missing", "there is no bare repository in that directory");
  for (const [name, isPlain] of [
    ["HEAD", head.isFile()],
    ["objects", objects.isDirectory()],
    ["refs", refs.isDirectory()],
  ] as const)
    if (!isPlain) throw notPlain(name);
}

async function refuseFiles(path: string): Promise<void> {
  for (const name of refusedFiles) {
    const found = await lstat(join(path, name)).catch(() => undefined);
    if (found === undefined || (found.isFile() && found.size === 0)) continue;
    throw refused(`the repository has the file ${name}, which this service does not accept: remove it`);
  }
  const packed = await lstat(join(path, "packed-refs")).catch(() => undefined);
  if (packed && !packed.isFile()) throw notPlain("packed-refs");
}

/** Contents of a file that is neither a link nor a pipe; undefined where there is none. */
async function readPlainFile(path: string, name: string): Promise<string | undefined> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const file = await open(join(path, name), flags).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error.code === "ELOOP" ? notPlain(name) : error;
  });
  if (!file) return undefined;
  try {
    const found = await file.stat();
    if (!found.isFile()) throw notPlain(name);
    if (found.size > maxFileBytes) throw refused(`the repository's file ${name} is too large`);
    const bytes = Buffer.alloc(maxFileBytes);
    const { bytesRead } = await file.read(bytes, 0, maxFileBytes, 0);
    return bytes.toString("utf8", 0, bytesRead);
  } finally {
    await file.close();
  }
}

/** Refuses links and special files below a folder: git would follow them, or wait for them. */
async function refuseLinks(path: string, top: string): Promise<void> {
  let entries = 0;
  const folders = [top];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop())
    for (const entry of await entriesOf(join(path, folder))) {
      const name = `${folder}/${entry.name}`;
      if (++entries > maxEntries)
        throw new RepoError("remote_too_large", "the repository has too many files: run git gc in it");
      if (entry.isDirectory()) folders.push(name);
      else if (!entry.isFile()) throw notPlain(name);
    }
}

/**
 * Entries of a folder; none where another git has removed it since it was listed, as each push to the repository does.
 */
async function entriesOf(folder: string): Promise<Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw asRepoError(error, "reading a repository of this machine");
  }
}

const notPlain = (name: string) =>
  refused(`the repository's ${JSON.stringify(name.slice(0, 200))} is a link or a special file, which this service \
does not follow: replace it by what it leads to`);

async function newFolder(views: string): Promise<string> {
  try {
    await mkdir(views, { recursive: true, mode: 0o700 });
    return await mkdtemp(join(views, prefix));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new RepoError("storage_unavailable", `opening a repository of this machine: ${code}`, {
      cause: error,
    });
  }
}

async function removeLeftovers(views: string): Promise<void> {
  const isOld = async (folder: string) => {
    const found = await lstat(folder).catch(() => undefined);
    return found !== undefined && Date.now() - found.mtimeMs > leftoverMs;
  };
  for (const name of await readdir(views).catch(() => [])) {
    const folder = join(views, name);
    if (name.startsWith(linksPrefix)) {
      for (const inner of await readdir(folder).catch(() => []))
        if (inner.startsWith(quarantinePrefix) && (await isOld(join(folder, inner))))
          await rm(join(folder, inner), { recursive: true, force: true });
      if (await isWithoutRepository(folder)) await rm(folder, { recursive: true, force: true });
    } else if (name.startsWith(prefix) && (await isOld(folder)))
      await rm(folder, { recursive: true, force: true });
  }
}

async function isWithoutRepository(links: string): Promise<boolean> {
  const packs = await readlink(join(links, "pack")).catch(() => undefined);
  return packs === undefined || (await lstat(dirname(packs)).catch(() => undefined)) === undefined;
}

const settings = "[core]\n\trepositoryFormatVersion = 0\n\tbare = true\n";

/** Checks a copy of the repository's configuration, as data, and takes over only how files are shared. */
async function acceptConfig(git: NativeGit, directory: string, config: string): Promise<void> {
  const copy = join(directory, "unused-config");
  await writeFile(copy, config);
  const { exitCode, stdout } = await runGit(
    git,
    ["config", "--file", copy, "--no-includes", "-z", "--list"],
    {
      directory,
      timeoutMs: configTimeoutMs,
    },
  );
  if (exitCode !== 0) throw refused("the repository's configuration can't be read: correct its file config");
  const shared = refuseForeignKeys(stdout);
  if (shared !== undefined)
    await writeFile(join(directory, "config"), `${settings}\tsharedRepository = ${shared}\n`);
}

const unborn = "ref: refs/heads/main\n";

/** Target of HEAD, if it is a branch or a commit. */
function headOf(text: string): string {
  return /^(ref: refs\/heads\/[^\0-\x20\x7f~^:?*[\\]{1,244}|[0-9a-f]{40})\n?$/.test(text) &&
    !text.includes("..")
    ? text
    : unborn;
}

/**
 * The folder of links to a repository's folders of objects, made when missing. Only to these: alternates are in
 * `objects/info`.
 */
async function linkObjects(path: string, views: string): Promise<string> {
  const links = join(views, linksPrefix + createHash("sha256").update(path).digest("hex"));
  if ((await lstat(links).catch(() => undefined)) !== undefined) return links;
  const fresh = await newFolder(views);
  const from = join(path, "objects");
  // A folder that is missing may be there by the time of the next request.
  await Promise.all(objectFolders.map((name) => symlink(join(from, name), join(fresh, name))));
  await rename(fresh, links).catch(async (error: NodeJS.ErrnoException) => {
    await rm(fresh, { recursive: true, force: true });
    // Another session has created it at the same time.
    if (error.code !== "ENOTEMPTY" && error.code !== "EEXIST") throw error;
  });
  return links;
}
