/**
 * Serving a bare repository to git clients: `git upload-pack` in its stateless form, as a process of its own for each
 * request. Who may read is decided before; nothing here looks at names, and the directory comes from ids alone.
 *
 * The repository is the boundary: with protocol 2, a client can fetch any object of it by its id, with or without
 * hidden refs.
 */
import { availableParallelism } from "node:os";
import { type Readable, Transform, pipeline } from "node:stream";
import { RepoError } from "../errors.ts";
import { type GitProcess, plainGitEnvironment, startGit } from "../git-process.ts";
import { openSlots } from "../../contract/concurrency/slots.ts";

/** Without a word from the client for so long, git gives up. */
const silenceSeconds = 60;
const longestMs = 15 * 60_000;
/** A client that has taken less than that in so long, with more there for it, is left. */
const leastBytes = 60 * 1024;
const leastBytesMs = 60_000;
/** Requests that wait for a process, and how long. */
const mostWaiting = 256;
const longestWaitMs = 30_000;
/** CPU time limit of each process: far above that of the largest clone, which needs no search for deltas. */
const cpuSeconds = 120;

/** The filters of `fetch-request.ts`, enforced by git as well. */
const filterSettings = [
  "uploadpack.allowFilter=true",
  "uploadpackfilter.allow=false",
  "uploadpackfilter.blob:none.allow=true",
  "uploadpackfilter.blob:limit.allow=true",
  "uploadpackfilter.tree.allow=true",
  "uploadpackfilter.tree.maxDepth=0",
];

/**
 * Settings of no file are read, and these leave the client nothing to choose that costs memory. No deltas are searched
 * for a client: those of the nightly repack are sent as they are, and what is newer goes whole, which is a sixth of the
 * work.
 */
const settings = [
  "core.hooksPath=/dev/null",
  "transfer.hideRefs=refs/svc",
  ...filterSettings,
  "uploadpack.allowReachableSHA1InWant=true",
  "pack.threads=1",
  "pack.window=0",
  "core.packedGitLimit=256m",
  "core.bigFileThreshold=16m",
];

/** The client of a request. */
export interface UploadPackClient {
  /** The `Git-Protocol` header. */
  protocol: string;
  /** Identifies the caller: one caller has at most half of the processes. */
  caller: string;
}

export interface UploadPack {
  /** Refs and capabilities: the body of `info/refs?service=git-upload-pack`. */
  advertise(directory: string, client: UploadPackClient): Promise<Readable>;
  /** The answer to one request body, as it comes. */
  answer(directory: string, client: UploadPackClient, request: Buffer): Promise<Readable>;
  /** Ends the running processes and waits for them. */
  close(): Promise<void>;
}

export interface UploadPackOptions {
  log: (entry: { level: "warn"; msg: string; detail?: string }) => void;
  /** The program: a name that is looked for on `searchPath`, or an absolute path. */
  program: string;
  searchPath: string | undefined;
  /** Maximum number of concurrent processes; default: twice the number of processors. */
  atOnce?: number;
  /** Time for which a client may be too slow; default: a minute. */
  slowMs?: number;
  /** Time limit of a request; default: 15 minutes. */
  requestMs?: number;
}

/**
 * Throws `git_missing` without a git program, and `server_busy` if too many requests are waiting. The caller owns the
 * returned streams: destroying one ends its process.
 */
export function openUploadPack(options: UploadPackOptions): UploadPack {
  const { log, program, searchPath, atOnce, slowMs, requestMs = longestMs } = options;
  const slots = openSlots({
    count: atOnce ?? 2 * availableParallelism(),
    waiting: mostWaiting,
    waitMs: longestWaitMs,
  });
  const running = new Set<GitProcess>();
  let isClosed = false;

  async function start(
    directory: string,
    { protocol, caller }: UploadPackClient,
    args: readonly string[],
  ): Promise<GitProcess> {
    const release = await slots.take(caller);
    if (release === undefined) throw new RepoError("server_busy", "too many clones at once");
    let started: GitProcess;
    try {
      if (isClosed) throw new RepoError("store_closed", "git is no longer served");
      started = await startGit({ program, searchPath }, argumentsFor(directory, args), {
        env: gitEnvironment(searchPath, protocol),
        cpuSeconds,
      });
    } catch (error) {
      release();
      throw error;
    }
    running.add(started);
    const timer = setTimeout(() => started.kill(), requestMs);
    started.child.once("close", () => {
      running.delete(started);
      clearTimeout(timer);
      release();
    });
    if (isClosed) started.end();
    watch(started.child);
    return started;
  }

  /** A refusal by git is part of the response itself. */
  function watch(child: GitProcess["child"]): void {
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
      const started = await start(directory, client, ["--http-backend-info-refs"]);
      started.child.stdin.end();
      // gitprotocol-http, "Smart Server Response"; protocol 2 leaves the line out.
      const ahead = client.protocol === "version=2" ? "" : "001e# service=git-upload-pack\n0000";
      return fed(started, { ahead, slowMs });
    },
    async answer(directory, client, request) {
      const started = await start(directory, client, []);
      started.child.stdin.end(request);
      return fed(started, { slowMs });
    },
    async close() {
      isClosed = true;
      await Promise.all(
        [...running].map(async (started) => {
          started.end();
          await started.ended;
        }),
      );
    },
  };
}

const argumentsFor = (directory: string, args: readonly string[]) => [
  ...[...settings, `safe.directory=${directory}`].flatMap((setting) => ["-c", setting]),
  "upload-pack",
  "--strict",
  `--timeout=${silenceSeconds}`,
  "--stateless-rpc",
  ...args,
  directory,
];

/**
 * The output as a separate stream that is filled from now on: the output of a process that ends before it is read would
 * be lost. Destroying the stream ends the process, and so does reading too slowly: git's own timeout covers only
 * silence.
 */
function fed(
  { child, end }: GitProcess,
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
    // Without buffered output, the client waits for git.
    if (passed < leastBytes && answer.readableLength > 0) answer.destroy(tooSlow());
    passed = 0;
  }, slowMs);
  child.once("close", () => clearInterval(timer));
  pipeline(child.stdout, answer, (error) => {
    if (error) end();
  });
  return answer;
}

const tooSlow = () =>
  Object.assign(new Error("the client takes its clone too slowly"), { code: "ECANCELED" });

/** Nothing of ours: no home, no configuration, no credentials. */
export function gitEnvironment(searchPath: string | undefined, protocol: string): NodeJS.ProcessEnv {
  return {
    ...plainGitEnvironment(searchPath),
    ...(/^version=[012]$/.test(protocol) ? { GIT_PROTOCOL: protocol } : {}),
  };
}
