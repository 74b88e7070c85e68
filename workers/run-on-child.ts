/** Runs one job on a child process, within its limits of time and memory. */
import { traceparent } from "../contract/observation.ts";
import type { App } from "../src/app.ts";
import { ChildProcessError, cancelled, outOfMemory } from "./child-error.ts";
import type { ChildJobName, ChildPayloads, ChildResults } from "./child-jobs.ts";
import { type Child, kill, residentMbOf, send } from "./child-process.ts";
import { type FromChild, receive } from "./child-protocol.ts";

/** Interval of memory checks of a busy process. */
const memoryCheckMs = 500;

export interface ChildLimits {
  /** Limit of the process's JavaScript heap, which excludes buffers. */
  maxOldSpaceMb: number;
  /** Limit of resident memory, buffers included, on Linux. Default: `residentMb` of the heap limit. */
  maxResidentMb?: number;
  /** The process is killed after this time, and the job is retried by its policy. */
  timeoutMs: number;
  /** Kills the process earlier. */
  signal?: AbortSignal;
}

/** Twice the heap, for buffers, plus the memory of an idle process. */
const residentMb = (maxOldSpaceMb: number) => 2 * maxOldSpaceMb + 256;

/** Throws the error of the job, or a ChildProcessError. */
export async function runOn<K extends ChildJobName>(
  app: App,
  child: Child,
  name: K,
  payload: ChildPayloads[K],
  { timeoutMs, signal, maxOldSpaceMb, maxResidentMb = residentMb(maxOldSpaceMb) }: ChildLimits,
): Promise<ChildResults[K]> {
  const ended = new AbortController();
  const cancel = () => kill(child, cancelled(name));
  const timedOut = () =>
    new ChildProcessError("child_timeout", `${name} took longer than ${timeoutMs / 1000} s`);
  const timer = setTimeout(() => kill(child, timedOut()), timeoutMs);
  const checkMemory = async () => {
    const mb = await residentMbOf(child);
    if (mb > maxResidentMb / 2) child.isSwollen = true;
    if (mb > maxResidentMb && !ended.signal.aborted) kill(child, outOfMemory(name, maxResidentMb));
  };
  // A process that served jobs before may have too much from the start.
  void checkMemory();
  const memoryCheck = setInterval(() => void checkMemory(), memoryCheckMs);
  signal?.addEventListener("abort", cancel, { once: true });
  try {
    const outcome = outcomeOf(child, name, ended.signal);
    const services = { config: app.config, mongodbUrl: app.storage.database.url };
    send(child, { kind: "run", name, payload, services, traceparent: traceparent() });
    return await outcome;
  } finally {
    clearTimeout(timer);
    clearInterval(memoryCheck);
    signal?.removeEventListener("abort", cancel);
    ended.abort();
  }
}

/** Resolves to the result that the process sends, or rejects with its failure or end; listens until `ended`. */
function outcomeOf<K extends ChildJobName>(
  child: Child,
  name: K,
  ended: AbortSignal,
): Promise<ChildResults[K]> {
  return new Promise((resolve, reject) => {
    const onMessage = (message: FromChild) => {
      if (message.kind === "done") resolve(message.result as ChildResults[K]);
      else if (message.kind === "failed") reject(receive(message.error));
    };
    // Not `exit`: the last output may arrive after it.
    const onClose = (code: number | null, exitSignal: string | null) =>
      reject(child.reason ?? endOf(name, child, code, exitSignal));
    child.process.on("message", onMessage);
    child.process.once("close", onClose);
    ended.addEventListener("abort", () => {
      child.process.off("message", onMessage);
      child.process.off("close", onClose);
    });
  });
}

function endOf(name: string, child: Child, code: number | null, signal: string | null): ChildProcessError {
  if (child.isOutOfMemory) return outOfMemory(name, child.maxOldSpaceMb);
  const output = child.output.trim();
  const how = signal === null ? `exit code ${code}` : `signal ${signal}`;
  return new ChildProcessError(
    "child_ended",
    `The process of ${name} ended before its work (${how})${output === "" ? "" : `: ${output.slice(-500)}`}`,
  );
}
