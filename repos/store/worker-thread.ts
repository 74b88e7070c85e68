/** Entry of a worker thread: one job, its answer, the end. It opens the repository itself, so no bytes are sent. */
import { parentPort, workerData } from "node:worker_threads";
import { makeArtifact } from "./artifacts.ts";
import { ObjectReader } from "./object-reader.ts";
import { openPosixDriver } from "./posix.ts";
import { sendError, type WorkerAnswer, type WorkerJob, type WorkerResults } from "./worker-jobs.ts";
import { writeVersion } from "./write-version.ts";

const readHandles = 16;
const cacheBytes = 4 * 1024 * 1024;

async function work(job: WorkerJob): Promise<WorkerResults[keyof WorkerResults]> {
  const { packs } = openPosixDriver({ root: job.root, readHandles, staleLockMs: Infinity });
  try {
    if (job.kind === "version")
      return await writeVersion(packs, job.repo, job.draft, job.known, job.committer);
    const objects = new ObjectReader(packs, cacheBytes, () => undefined);
    return await makeArtifact(objects, job.repo, job.files, job.digest, job.path);
  } finally {
    await packs.close();
  }
}

let answer: WorkerAnswer;
try {
  answer = { result: await work(workerData as WorkerJob) };
} catch (error) {
  answer = { error: sendError(error) };
}
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread's port, not a window
parentPort?.postMessage(answer);
