/** Baselines for the Git layer: native git, and the system calls alone. */
import { spawn } from "node:child_process";
import * as fs from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import type { TreeFile } from "../../repos/store/index.ts";
import { environment } from "./native.ts";

const open = promisify(fs.open);
const close = promisify(fs.close);
const write = promisify(fs.write);
const fdatasync = promisify(fs.fdatasync);
const fsync = promisify(fs.fsync);
const rename = promisify(fs.rename);

/** Runs git with this input; answers its output, or the number of its bytes where that is all that matters. */
async function git(args: string[], input: Iterable<Buffer> = [], keep = true): Promise<string> {
  const child = spawn("git", args, { env: environment, stdio: ["pipe", "pipe", "inherit"] });
  const pieces: Buffer[] = [];
  child.stdout.on("data", (piece: Buffer) => keep && pieces.push(piece));
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  for (const piece of input)
    if (!child.stdin.write(piece)) await new Promise((resolve) => child.stdin.once("drain", resolve));
  child.stdin.end();
  const status = await ended;
  if (status !== 0) throw new Error(`git ${args.join(" ")} ended with ${status}`);
  return Buffer.concat(pieces).toString().trim();
}

/** The system calls of a durable publish and nothing else: pack and index, then two refs. */
export async function bareFloor(folder: string): Promise<(data: Buffer) => Promise<void>> {
  await mkdir(folder, { recursive: true });
  let n = 0;
  const file = async (name: string, data: Buffer) => {
    const fd = await open(join(folder, name), "wx", 0o444);
    await write(fd, data);
    await fdatasync(fd);
    await close(fd);
  };
  const move = (from: string, to: string) => rename(join(folder, from), join(folder, to));
  return async (data) => {
    const i = n++;
    await Promise.all([file(`tmp-pack-${i}`, data), file(`tmp-idx-${i}`, data)]);
    await move(`tmp-pack-${i}`, `pack-${i}`);
    await move(`tmp-idx-${i}`, `idx-${i}`);
    const fd = await open(folder, "r");
    await fsync(fd);
    await close(fd);
    const oid = data.subarray(0, 41);
    await Promise.all([file(`main-${i}`, oid), file(`head-${i}`, oid)]);
    await Promise.all([move(`main-${i}`, "main"), move(`head-${i}`, "head")]);
  };
}

/** One version by four native processes: hash-object, mktree, commit-tree, update-ref. */
export async function nativePlumbing(folder: string): Promise<(data: Buffer) => Promise<void>> {
  await git(["init", "-q", "--bare", folder]);
  const at = (...args: string[]) => ["--git-dir", folder, ...args];
  let parent: string | undefined;
  return async (data) => {
    const blob = await git(at("hash-object", "-w", "--stdin"), [data]);
    const tree = await git(at("mktree"), [Buffer.from(`100644 blob ${blob}\tSKILL.md\n`)]);
    const commit = await git(at("commit-tree", tree, ...(parent === undefined ? [] : ["-p", parent])), [
      Buffer.from("m"),
    ]);
    await git(at("update-ref", "refs/heads/main", commit));
    parent = commit;
  };
}

export async function nativeFastImport(folder: string, files: readonly TreeFile[]): Promise<void> {
  await git(["init", "-q", "--bare", folder]);
  const stream = function* () {
    yield Buffer.from("commit refs/heads/main\ncommitter b <b@b> 1700000000 +0000\ndata 1\nm\n");
    for (const { path, mode, data } of files) {
      yield Buffer.from(`M ${mode} inline ${path}\ndata ${data.length}\n`);
      yield data;
      yield Buffer.from("\n");
    }
  };
  await git(["--git-dir", folder, "-c", "core.fsync=all", "fast-import", "--quiet"], stream());
}

/** `git add` and `git commit`, with the working tree they need. */
export async function nativeAdd(folder: string, files: readonly TreeFile[]): Promise<void> {
  await git(["init", "-q", folder]);
  for (const parent of new Set(files.map((file) => dirname(join(folder, file.path)))))
    await mkdir(parent, { recursive: true });
  for (const { path, data } of files) await writeFile(join(folder, path), data);
  await git(["-C", folder, "add", "-A"]);
  await git(["-C", folder, "commit", "-q", "-m", "m"]);
}

export async function readThroughCatFile(folder: string, names: readonly string[]): Promise<void> {
  const input = [Buffer.from(names.map((name) => `${name}\n`).join(""))];
  await git(["--git-dir", folder, "cat-file", "--batch"], input, false);
}
