/** A pack in pieces from one storage to another, which computes its checksum. */
import { RepoError } from "../../errors.ts";
import type { PackStore, PackTarget } from "../driver.ts";
import type { StoredId } from "../types.ts";
import { packHeaderBytes, packTrailerBytes } from "./format.ts";

const pieceBytes = 8 * 1024 * 1024;

export interface PackSource {
  pack: string;
  /** Size of the pack, without its index. */
  size: number;
  index: Buffer;
  read: (offset: number, length: number) => Promise<Buffer>;
}

/** Throws `object_corrupt` if the bytes are not those of the pack of that name. */
export async function copyPack(
  to: PackStore,
  repo: StoredId,
  { pack, size, index, read }: PackSource,
  where: PackTarget,
): Promise<void> {
  const stage = await to.stage(repo, where);
  try {
    const end = size - packTrailerBytes;
    let header: Buffer | undefined;
    for (let at = 0; at < end; at += pieceBytes) {
      const piece = await read(at, Math.min(pieceBytes, end - at));
      header ??= Buffer.from(piece.subarray(0, packHeaderBytes));
      await stage.append([piece]);
    }
    // The stage computes the checksum of what is on disk.
    await stage.publish(header ?? Buffer.alloc(0), (checksum) => {
      if (checksum.toString("hex") !== pack)
        throw new RepoError("object_corrupt", `the checksum of pack ${pack} does not match its name`);
      return index;
    });
  } catch (error) {
    await stage.discard();
    throw error;
  }
}
