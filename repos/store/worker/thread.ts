/** Program of the store's threads. Each job opens the repository itself, so no bytes are sent. */
import { servePieces } from "../../threads/serve-pieces.ts";
import { makeArtifact } from "../artifacts.ts";
import { assembleCommit } from "../assemble.ts";
import { ObjectReader } from "../object-reader.ts";
import { openDriver } from "../open-driver.ts";
import type { AssembledDraft, SmallFile } from "../types.ts";
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
    if (job.kind === "assembly")
      return await assembleCommit(packs, objects, job.repo, withBuffers(job.draft), job.committer);
    return await makeArtifact(objects, job.repo, job.files, job, job.path);
  } finally {
    await packs.close();
  }
});

/** Buffers arrive in a thread as plain byte arrays. */
function withBuffers({ files, folders, ...draft }: AssembledDraft): AssembledDraft {
  const inBuffers = (some: readonly SmallFile[]) =>
    some.map(({ path, data }) => ({
      path,
      data: Buffer.from(data.buffer, data.byteOffset, data.byteLength),
    }));
  return {
    ...draft,
    files: inBuffers(files),
    folders: folders.map((folder) =>
      "treeOid" in folder ? folder : { ...folder, files: inBuffers(folder.files) },
    ),
  };
}
