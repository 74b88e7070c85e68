/**
 * Serving a bare repository to git clients: `git upload-pack` in its stateless form, as a process of its own for each
 * request. Who may read is decided before; nothing here looks at names, and the directory comes from ids alone.
 *
 * The repository is the boundary: with protocol 2 a client that knows an object's id gets any object of it, hidden refs
 * or not.
 */
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { availableParallelism } from "node:os";
import { type Readable, Transform, type Writable, pipeline } from "node:stream";
import { RepoError } from "../errors.ts";
import { openSlots } from "./slots.ts";

/** Without a word from the client for so long, git gives up. */
const silenceSeconds = 60;
const longestMs = 15 * 60_000;
/** A client that has taken less than that in so long, with more there for it, is left. */
const leastBytes = 60 * 1024;
const leastBytesMs = 60_000;
/** Requests that wait for a process, and how long. */
const mostWaiting = 256;
const longestWaitMs = 30_000;
/** How long a program that was not found stays not found. */
const lookAgainMs = 60_000;

/**
 * Settings of no file are read, and these leave the client nothing to choose that costs memory. No deltas are searched for
 * a client: those of the nightly repack are sent as they are, and what is newer goes whole, which is a sixth of the work.
 */
const settings = [
  "core.hooksPath=/dev/null",
  "transfer.hideRefs=refs/svc",
  "uploadpack.allowFilter=true",
  "uploadpack.allowReachableSHA1InWant=true",
  "pack.threads=1",
  "pack.window=0",
  "core.packedGitLimit=256m",
  "core.bigFileThreshold=16m",
];

/** Who asks. */
export interface UploadPackClient {
  /** The `Git-Protocol` header. */
  protocol: string;
  /** What tells callers apart: one has half of the processes at most. */
  caller: string;
}

export interface UploadPack {
  /** Refs and capabilities: the body of `info/refs?service=git-upload-pack`. */
  advertise(directory: string, client: UploadPackClient): Promise<Readable>;
  /** The answer to one request body, as it comes. */
  answer(directory: string, client: UploadPackClient, request: Buffer): Promise<Readable>;
  /** Ends what still runs. */
  close(): void;
}

type GitProcess = ChildProcessByStdio<Writable, Readable, Readable>;

export interface UploadPackOptions {
  log: (entry: { level: "warn"; msg: string; detail?: string }) => void;
  /** The program: a name that is looked for on `searchPath`, or an absolute path. */
  program: string;
  searchPath: string | undefined;
  /** Processes at a time; default is twice the number of processors. */
  atOnce?: number;
  /** How long a client may be too slow; default is a minute. */
  slowMs?: number;
}

/**
 * Throws `git_missing` where there is no git program, `server_busy` when too many wait already. The streams that come
 * back are the client's: ending one ends its process.
 */
export function openUploadPack({ log, program, searchPath, atOnce, slowMs }: UploadPackOptions): UploadPack {
  const slots = openSlots({
    count: atOnce ?? 2 * availableParallelism(),
    waiting: mostWaiting,
    waitMs: longestWaitMs,
  });
  const running = new Set<GitProcess>();
  let missingSince: number | undefined;
  let closed = false;

  async function start(
    directory: string,
    { protocol, caller }: UploadPackClient,
    args: readonly string[],
  ): Promise<GitProcess> {
    if (missingSince !== undefined && performance.now() - missingSince < lookAgainMs) throw noGit();
    const release = await slots.take(caller);
    if (release === undefined) throw new RepoError("server_busy", "too many clones at once");
    let child: GitProcess;
    try {
      if (closed) throw new RepoError("store_closed", "git is no longer served");
      child = spawnGit(directory, protocol, args);
    } catch (error) {
      release();
      throw error;
    }
    running.add(child);
    const timer = setTimeout(() => child.kill("SIGKILL"), longestMs);
    child.once("close", () => {
      running.delete(child);
      clearTimeout(timer);
      release();
    });
    await new Promise<void>((resolve, reject) => {
      child.once("spawn", resolve);
      child.once("error", (error: NodeJS.ErrnoException) => {
        child.emit("close");
        if (error.code !== "ENOENT")
          return reject(new RepoError("storage_unavailable", `git: ${error.message}`, { cause: error }));
        missingSince = performance.now();
        reject(noGit());
      });
    });
    missingSince = undefined;
    watch(child);
    return child;
  }

  /** Throws at once where the system has no room for a process. */
  function spawnGit(directory: string, protocol: string, args: readonly string[]): GitProcess {
    try {
      return spawn(
        program,
        [
          ...[...settings, `safe.directory=${directory}`].flatMap((setting) => ["-c", setting]),
          "upload-pack",
          "--strict",
          `--timeout=${silenceSeconds}`,
          "--stateless-rpc",
          ...args,
          directory,
        ],
        { stdio: ["pipe", "pipe", "pipe"], env: gitEnvironment(searchPath, protocol), windowsHide: true },
      );
    } catch (error) {
      throw new RepoError("storage_unavailable", `git: ${(error as Error).message}`, { cause: error });
    }
  }

  /** A client that git refuses was told so in the answer itself. */
  function watch(child: GitProcess): void {
    let words = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      if (words.length < 2000) words += text;
    });
    // A client that sends more than git wants to hear, or leaves.
    child.stdin.on("error", () => undefined);
    child.once("close", (code, signal) => {
      if (code !== 0 && signal === null)
        log({ level: "warn", msg: "git refused a client", detail: words.trim() });
    });
  }

  return {
    async advertise(directory, client) {
      const child = await start(directory, client, ["--http-backend-info-refs"]);
      child.stdin.end();
      // gitprotocol-http, "Smart Server Response"; protocol 2 leaves the line out.
      const ahead = client.protocol === "version=2" ? "" : "001e# service=git-upload-pack\n0000";
      return fed(child, { ahead, slowMs });
    },
    async answer(directory, client, request) {
      const child = await start(directory, client, []);
      child.stdin.end(request);
      return fed(child, { slowMs });
    },
    close() {
      closed = true;
      for (const child of running) child.kill("SIGTERM");
    },
  };
}

/**
 * The answer as a stream of its own, fed from now on: what a process has written is thrown away when it ends before
 * anybody reads. Whoever leaves the stream ends the process, and so does whoever reads too slowly: git's own timeout
 * is of silence only.
 */
function fed(
  child: GitProcess,
  { ahead = "", slowMs = leastBytesMs }: { ahead?: string; slowMs?: number | undefined },
): Readable {
  let passed = 0;
  const answer = new Transform({
    transform(piece: Buffer, _encoding, done) {
      passed += piece.length;
      done(null, piece);
    },
  });
  if (ahead !== "") answer.write(ahead);
  const timer = setInterval(() => {
    // Where nothing waits for the client, it waits for git.
    if (passed < leastBytes && answer.readableLength > 0) answer.destroy(tooSlow());
    passed = 0;
  }, slowMs);
  child.once("close", () => clearInterval(timer));
  pipeline(child.stdout, answer, (error) => {
    if (error && child.exitCode === null && child.signalCode === null) child.kill("SIGTERM");
  });
  return answer;
}

const tooSlow = () =>
  Object.assign(new Error("the client takes its clone too slowly"), { code: "ECANCELED" });

const noGit = () => new RepoError("git_missing", "there is no git program on this machine");

/** Nothing of ours: no home, no configuration, no credentials. */
export function gitEnvironment(searchPath: string | undefined, protocol: string): NodeJS.ProcessEnv {
  return {
    ...(searchPath === undefined ? {} : { PATH: searchPath }),
    HOME: "/nonexistent",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    ...(/^version=[012]$/.test(protocol) ? { GIT_PROTOCOL: protocol } : {}),
  };
}
