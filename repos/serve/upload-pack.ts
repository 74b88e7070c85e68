/**
 * Serving a bare repository to git clients: `git upload-pack` in its stateless form, as a process of its own for each
 * request. Who may read is decided before; nothing here looks at names, and the directory comes from ids alone.
 *
 * The repository is the boundary: with protocol 2, a client can fetch any object of it by its id, with or without
 * hidden refs.
 */
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { openSlots } from "../../contract/concurrency/slots.ts";
import { RepoError } from "../errors.ts";
import { type GitProcess, plainGitEnvironment, startGit } from "../git-process.ts";
import { openSpool, type SpooledStream } from "./spool.ts";

/** Without a word from the client for so long, git gives up. */
const silenceSeconds = 60;
const maxDurationMs = 15 * 60_000;
/** A client that takes less in such a period, with more there for it since the start, is disconnected. */
const leastBytes = 60 * 1024;
const periodMs = 60_000;
/** Number of periods in which a client must read its whole response, at an even pace. */
const periods = 15;
/** Answers that clients are taking, and those of one caller or network. */
const maxAnswers = 128;
const maxAnswersEach = 16;
/** Bytes on disk that clients have not taken, and those of one caller or network. */
const maxSpoolBytes = 2 * 1024 ** 3;
const maxSpoolBytesEach = 512 * 1024 ** 2;
/** Requests that wait for a process, and how long. */
const maxWaiting = 256;
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
  /** Identifies the network that the request comes from, with the same limit. */
  network?: string;
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
  /** Folder of bytes that clients have not taken; default: a temporary one. */
  spoolFolder?: string;
  /** Limit of those bytes; default: 2 GiB. */
  spoolBytes?: number;
}

/**
 * Throws `git_missing` without a git program, and `server_busy` if too many requests are waiting. The caller owns the
 * returned streams: destroying one ends its process.
 */
export function openUploadPack(options: UploadPackOptions): UploadPack {
  const { log, program, searchPath, spoolBytes = maxSpoolBytes } = options;
  const count = options.atOnce ?? 2 * availableParallelism();
  const queue = { waiting: maxWaiting, waitMs: longestWaitMs };
  const kept = Math.floor(count / 4);
  const processes = openSlots({
    count,
    kept,
    perSubject: Math.ceil((3 * count) / 4),
    ...queue,
  });
  const answers = openSlots({
    count: maxAnswers,
    perCaller: maxAnswersEach,
    kept: maxAnswersEach,
    ...queue,
  });
  const spool = openSpool({
    folder: options.spoolFolder ?? join(tmpdir(), "svc-spool"),
    maxBytes: spoolBytes,
    maxBytesEach: Math.min(spoolBytes, maxSpoolBytesEach),
  });
  const running = new Set<GitProcess>();
  let isClosed = false;

  async function start(
    directory: string,
    { protocol, caller, network }: UploadPackClient,
    args: readonly string[],
  ): Promise<GitProcess> {
    const release = await processes.take(caller, {
      group: network,
      subject: directory,
    });
    if (release === undefined) throw tooBusy();
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
    const timer = setTimeout(() => started.kill(), maxDurationMs);
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
        log({
          level: "warn",
          msg: "git refused a client",
          detail: words.trim(),
        });
    });
  }

  /** Runs git, and returns its output as the client takes it. */
  async function run(
    directory: string,
    client: UploadPackClient,
    { args, request, ahead }: { args: readonly string[]; request?: Buffer; ahead?: string },
  ): Promise<Readable> {
    const release = await answers.take(client.caller, {
      group: client.network,
    });
    if (release === undefined) throw tooBusy();
    try {
      const started = await start(directory, client, args);
      started.child.stdin.end(request);
      const output = spool.buffer(started.child.stdout, ownersOf(client), ahead);
      endWithClient(started, output);
      return output.once("close", release);
    } catch (error) {
      release();
      throw error;
    }
  }

  return {
    advertise(directory, client) {
      // gitprotocol-http, "Smart Server Response"; protocol 2 leaves the line out.
      const ahead = client.protocol === "version=2" ? "" : "001e# service=git-upload-pack\n0000";
      return run(directory, client, {
        args: ["--http-backend-info-refs"],
        ahead,
      });
    },
    answer: (directory, client, request) => run(directory, client, { args: [], request }),
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
 * Ends the process when its output is destroyed, and both when the client takes it too slowly: git's own timeout covers
 * only silence.
 */
function endWithClient({ end }: GitProcess, output: SpooledStream): void {
  let before = { written: 0, taken: 0 };
  const timer = setInterval(() => {
    const { written, taken } = output;
    const share = Math.max(leastBytes, before.written / periods);
    // Bytes that were not there during the whole period are not expected.
    const expected = Math.min(share, before.written - before.taken);
    if (taken - before.taken < expected) output.destroy(tooSlow());
    before = { written, taken };
  }, periodMs);
  output.once("close", () => {
    clearInterval(timer);
    end();
  });
}

const ownersOf = ({ caller, network }: UploadPackClient) =>
  network === undefined ? [`caller ${caller}`] : [`caller ${caller}`, `network ${network}`];

const tooBusy = () => new RepoError("server_busy", "too many clones at once");

const tooSlow = () =>
  Object.assign(new Error("the client takes its clone too slowly"), {
    code: "ECANCELED",
  });

/** Nothing of ours: no home, no configuration, no credentials. */
export function gitEnvironment(searchPath: string | undefined, protocol: string): NodeJS.ProcessEnv {
  return {
    ...plainGitEnvironment(searchPath),
    ...(/^version=[012]$/.test(protocol) ? { GIT_PROTOCOL: protocol } : {}),
  };
}
