/** Program of the store's threads. Each job opens the repository itself, so no bytes are sent. */
import { servePieces } from "../../threads/serve-pieces.ts";
import { makeArtifact } from "../artifacts.ts";
import { ObjectReader } from "../object-reader.ts";
import { openDriver } from "../open-driver.ts";
import { writeVersion } from "../write-version.ts";
import type { WorkerJob, WorkerResults } from "./jobs.ts";

const readHandles = 16;
const cacheBytes = 4 * 1024 * 1024;

servePieces(async (job: WorkerJob): Promise<WorkerResults[keyof WorkerResults]> => {
  const { packs } = openDriver({ ...job.driver, readHandles }, () => undefined);
  try {
    if (job.kind === "version")
      return await writeVersion(packs, job.repo, job.draft, job.known, job.committer);
    const objects = new ObjectReader(packs, cacheBytes, () => undefined);
    return await makeArtifact(objects, job.repo, job.files, job.digest, job.path);
  } finally {
    await packs.close();
  }
});
