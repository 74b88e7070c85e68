/**
 * A bare repository on this machine, behind the same requests as one behind HTTP: native git answers them, as it does
 * for `git http-backend`.
 */
import { spawn } from "node:child_process";
import { stat } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import { RepoError } from "../errors.ts";
import { gitEnvironment } from "../serve/upload-pack.ts";
import type { Limits, Wire, WireRequest, WireResponse } from "./http.ts";

/** What stands for the directory in the requests; it is never resolved. */
export const directoryUrl = "http://directory.invalid/repository";

const advertisement = /\/info\/refs\?service=(git-(?:upload|receive)-pack)$/;
const exchange = /\/(git-(?:upload|receive)-pack)$/;

export interface GitProgram {
  program: string;
  searchPath: string | undefined;
}

export async function openDirectoryWire(path: string, git: GitProgram, limits: Limits): Promise<Wire> {
  if (!isAbsolute(path)) throw new RepoError("invalid_remote", "the repository's directory is no full path");
  // Bare ones only: a working copy's branch would move under the feet of whoever works there.
  const [head, objects] = await Promise.all([
    stat(join(path, "HEAD")).catch(() => undefined),
    stat(join(path, "objects")).catch(() => undefined),
  ]);
  if (head?.isFile() !== true || objects?.isDirectory() !== true)
    throw new RepoError("remote_missing", "there is no bare repository in that directory");
  const running = new Set<() => void>();

  function run(service: string, args: readonly string[], body: unknown): AsyncGenerator<Uint8Array> {
    const child = spawn(
      git.program,
      [
        "-c",
        // Whoever can write to the directory could otherwise run programs as this service.
        "core.hooksPath=/dev/null",
        "-c",
        `safe.directory=${path}`,
        ...(service === "git-receive-pack" ? ["-c", "receive.autogc=false"] : []),
        service.slice("git-".length),
        "--stateless-rpc",
        ...args,
        path,
      ],
      {
        stdio: ["pipe", "pipe", "pipe"],
        env: gitEnvironment(git.searchPath, "version=0"),
        windowsHide: true,
      },
    );
    const kill = () => child.kill("SIGKILL");
    running.add(kill);
    let failure: RepoError | undefined;
    const end = (error: RepoError) => {
      failure ??= error;
      kill();
    };
    const late = setTimeout(
      () => end(new RepoError("remote_unreachable", "git took too long over the repository")),
      limits.requestMs,
    );
    const abort = () => end(new RepoError("remote_unreachable", "the request was given up"));
    limits.signal?.addEventListener("abort", abort, { once: true });
    child.once("error", (error: NodeJS.ErrnoException) => {
      failure ??=
        error.code === "ENOENT"
          ? new RepoError("git_missing", "there is no git program on this machine")
          : new RepoError("storage_unavailable", `git: ${error.code ?? "failed"}`, { cause: error });
    });
    // Also where nobody reads what it says.
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
          if (bytes > limits.maxBytes)
            throw new RepoError("remote_too_large", `the repository has more than ${limits.maxBytes} bytes`);
          yield piece;
        }
        const code = await closed;
        if (failure !== undefined) throw failure;
        if (code !== 0) throw new RepoError("remote_failed", `git ended with ${code ?? "a signal"}`);
      } finally {
        clearTimeout(late);
        limits.signal?.removeEventListener("abort", abort);
        running.delete(kill);
        kill();
      }
    })();
  }

  async function request({ url, method = "GET", body }: WireRequest): Promise<WireResponse> {
    const asked = (method === "GET" ? advertisement : exchange).exec(url)?.[1];
    if (asked === undefined) throw new RepoError("invalid_remote", "a directory has no such address");
    const answer =
      method === "GET"
        ? withService(asked, run(asked, ["--http-backend-info-refs"], undefined))
        : run(asked, [], body);
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
    close() {
      for (const kill of running) kill();
    },
  };
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
