/**
 * A bare repository on this machine, behind the same requests as one behind HTTP: native git answers them, as it does
 * for `git http-backend`, in a private view of the repository (`directory-view.ts`).
 */
import { dirname, isAbsolute, join } from "node:path";
import { RepoError } from "../errors.ts";
import { type GitProcess, type NativeGit, startGit } from "../git-process.ts";
import type { Remote } from "../mirror/types.ts";
import { gitEnvironment } from "../serve/upload-pack.ts";
import { openDirectoryView } from "./directory-view.ts";
import type { Limits, Wire, WireRequest, WireResponse } from "./wire.ts";

/** Placeholder for the directory in requests; never resolved. */
export const directoryUrl = "http://directory.invalid/repository";

const advertisement = /\/info\/refs\?service=(git-(?:upload|receive)-pack)$/;
const exchange = /\/(git-(?:upload|receive)-pack)$/;

/** No hooks or maintenance run, and a push is stored as the pack that was received. */
const settingFlags = [
  "core.hooksPath=/dev/null",
  "core.fsmonitor=false",
  "gc.auto=0",
  "receive.autogc=false",
  "receive.unpackLimit=1",
].flatMap((setting) => ["-c", setting]);

export async function openDirectoryWire(
  { path, guard, views = join(dirname(path), ".svc-views") }: Remote & { kind: "directory" },
  git: NativeGit,
  limits: Limits,
): Promise<Wire> {
  if (!isAbsolute(path))
    throw new RepoError("invalid_remote", "the repository's directory is not an absolute path");
  const view = await openDirectoryView(path, git, views);
  const running = new Set<GitProcess>();

  const run = async (service: string, args: readonly string[], body: unknown) => {
    const command = [
      ...settingFlags,
      service.slice("git-".length),
      "--stateless-rpc",
      ...args,
      view.directory,
    ];
    const started = await startGit(git, command, {
      cwd: view.directory,
      env: { ...gitEnvironment(git.searchPath, "version=0"), GIT_NO_REPLACE_OBJECTS: "1" },
      cpuSeconds: Math.ceil(limits.requestMs / 1000),
    });
    running.add(started);
    return outputOf(started, body, limits, () => running.delete(started));
  };

  async function request({ url, method = "GET", body }: WireRequest): Promise<WireResponse> {
    const asked = (method === "GET" ? advertisement : exchange).exec(url)?.[1];
    if (asked === undefined) throw new RepoError("invalid_remote", "a directory has no such address");
    await guard?.check();
    const answer =
      method === "GET"
        ? withService(asked, await run(asked, ["--http-backend-info-refs"], undefined))
        : await run(asked, [], body);
    const kind = method === "GET" ? "advertisement" : "result";
    return {
      url,
      method,
      statusCode: 200,
      statusMessage: "OK",
      headers: { "content-type": `application/x-${asked}-${kind}` },
      body: answer,
    };
  }

  return {
    request,
    async close() {
      for (const started of running) started.kill();
      await Promise.all([...running].map(({ ended }) => ended));
      await view.close();
    },
  };
}

/** The output of a git process, which is ended when it exceeds a limit. `done` is called after its end. */
function outputOf(
  started: GitProcess,
  body: unknown,
  { maxBytes, requestMs, signal }: Limits,
  done: () => void,
): AsyncGenerator<Uint8Array> {
  const { child } = started;
  let failure: RepoError | undefined;
  const end = (message: string) => {
    failure ??= new RepoError("remote_unreachable", message);
    started.kill();
  };
  const late = setTimeout(() => end("git took too long over the repository"), requestMs);
  const abort = () => end("the request was given up");
  signal?.addEventListener("abort", abort, { once: true });
  if (signal?.aborted) abort();
  // `exit`, not `close`: it also fires if the output is not read.
  child.once("exit", () => clearTimeout(late));
  const closed = new Promise<number | null>((resolve) => child.once("close", resolve));
  child.stderr.resume();
  child.stdin.on("error", () => undefined);
  feed(child.stdin, body).catch(() => child.stdin.destroy());

  return (async function* () {
    let bytes = 0;
    try {
      for await (const piece of child.stdout as AsyncIterable<Buffer>) {
        bytes += piece.length;
        if (bytes > maxBytes)
          throw new RepoError("remote_too_large", `the repository has more than ${maxBytes} bytes`);
        yield piece;
      }
      const code = await closed;
      if (failure !== undefined) throw failure;
      if (code !== 0) throw new RepoError("remote_failed", `git ended with ${code ?? "a signal"}`);
    } finally {
      clearTimeout(late);
      signal?.removeEventListener("abort", abort);
      started.kill();
      await started.ended;
      done();
    }
  })();
}

async function* withService(service: string, answer: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const line = `# service=${service}\n`;
  yield Buffer.from(`${(line.length + 4).toString(16).padStart(4, "0")}${line}0000`);
  yield* answer;
}

async function feed(stdin: NodeJS.WritableStream, body: unknown): Promise<void> {
  if (body !== undefined)
    for await (const piece of body as AsyncIterable<Uint8Array>)
      if (!stdin.write(piece))
        await new Promise<void>((resolve) => {
          const settle = () => {
            stdin.off("drain", settle).off("close", settle);
            resolve();
          };
          stdin.on("drain", settle).on("close", settle);
        });
  stdin.end();
}
