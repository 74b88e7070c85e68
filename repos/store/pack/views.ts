/**
 * This process's view of each repository's packs. A view may be out of date in both directions: a lookup that
 * misses lists the folder again, and a pack that is gone is dropped when its reader finds out.
 */
import { LRUCache } from "lru-cache";
import { Coalescer } from "../../../contract/concurrency/coalescer.ts";
import { RepoError } from "../../errors.ts";
import type { PackStore } from "../driver.ts";
import type { StoredId, StoreOptions } from "../types.ts";
import { PackIndex } from "./format.ts";

const viewBytes = 64 * 1024 * 1024;
/** Listings of a folder before an object in it is reported as missing. */
const maxLooks = 4;

/** One copy of an object. */
export interface PackLocation {
  pack: string;
  index: PackIndex;
  /** In the index. */
  position: number;
  offset: number;
  end: number;
}

interface KnownPack {
  index: PackIndex;
  /** Size of the pack itself, once asked. */
  bytes: number | undefined;
  /** Too large, damaged or full of deltas: no merge will take it. */
  final: boolean;
}

interface View {
  packs: Map<string, KnownPack>;
  /** Packs that another one covers, still on disk for their grace. */
  covered: Set<string>;
  /** Packs that could not be searched, named in the error of an object that is found nowhere else. */
  broken: Set<string>;
}

export function repoKey(repo: StoredId): string {
  return `${repo.tenantId}/${"skillId" in repo ? repo.skillId : `mirror/${repo.connectionId}`}`;
}

export class PackViews {
  readonly #packs: PackStore;
  readonly #log: NonNullable<StoreOptions["log"]>;
  readonly #listings = new Coalescer<void>();
  readonly #views = new LRUCache<string, View>({
    maxSize: viewBytes,
    sizeCalculation: (view) => {
      let bytes = 500;
      for (const { index } of view.packs.values()) bytes += index.bytes + 400;
      return bytes;
    },
  });

  constructor(packs: PackStore, log: NonNullable<StoreOptions["log"]>) {
    this.#packs = packs;
    this.#log = log;
  }

  /** A copy of the object in a pack that was read from before, without waiting; undefined if there is none. */
  peek(repo: StoredId, oid: string): PackLocation | undefined {
    for (const [pack, { index, bytes }] of this.#view(repo).packs) {
      const position = bytes === undefined ? -1 : index.find(oid);
      if (position === -1 || bytes === undefined) continue;
      const offset = index.offsetAt(position);
      const end = index.entryEnd(offset, bytes);
      if (end > offset) return { pack, index, position, offset, end };
    }
    return undefined;
  }

  /**
   * Every known copy of the object, after fresh looks at the folder if there seemed to be none. A folder is not listed
   * at one instant: while packs are being replaced a listing may show neither the old nor the new one. So an object
   * counts as missing only once two listings in a row agree.
   */
  async locate(repo: StoredId, oid: string): Promise<PackLocation[]> {
    let known = await this.#search(repo, this.#view(repo), oid);
    for (let look = 0, before = ""; known.length === 0 && look < maxLooks; look++) {
      await this.refresh(repo);
      const view = this.#view(repo);
      known = await this.#search(repo, view, oid);
      const now = [...view.packs.keys(), ...view.covered].sort().join();
      if (look > 0 && now === before) break;
      before = now;
    }
    return known;
  }

  missing(repo: StoredId, oid: string): RepoError {
    const broken = [...(this.#views.get(repoKey(repo))?.broken ?? [])];
    if (broken.length === 0) return new RepoError("object_missing", `there is no object ${oid}`);
    return new RepoError("object_corrupt", `object ${oid} may be in a damaged pack: ${broken.join(", ")}`);
  }

  /** Lists the folder again. Callers share a listing only if it begins after they asked. */
  async refresh(repo: StoredId): Promise<void> {
    // One that is under way may have passed the place where what we look for was put since.
    await this.#listings.run(repoKey(repo), () => this.#list(repo, this.#view(repo)));
  }

  /** A pack this process has just written. */
  add(repo: StoredId, pack: string, index: PackIndex, bytes: number): void {
    const view = this.#view(repo);
    view.packs.set(pack, { index, bytes, final: false });
    this.#views.set(repoKey(repo), view);
  }

  /** Packs that another one now covers: no reason to look into them again. */
  cover(repo: StoredId, packs: Iterable<string>): void {
    const view = this.#view(repo);
    for (const pack of packs) {
      view.packs.delete(pack);
      view.covered.add(pack);
    }
    this.#views.set(repoKey(repo), view);
  }

  forget(repo: StoredId): void {
    this.#views.delete(repoKey(repo));
  }

  /** Object counts of the packs a merge might take, known without looking: what decides whether one is due. */
  counts(repo: StoredId): number[] {
    const view = this.#views.get(repoKey(repo));
    if (view === undefined) return [];
    return [...view.packs.values()].filter((known) => !known.final).map(({ index }) => index.count);
  }

  /** No merge will take this pack; it does not count towards the next one. */
  leave(repo: StoredId, pack: string): void {
    const known = this.#views.get(repoKey(repo))?.packs.get(pack);
    if (known !== undefined) known.final = true;
  }

  /** Index of one pack, known or read now. */
  async index(repo: StoredId, pack: string): Promise<PackIndex> {
    const known = this.#views.get(repoKey(repo))?.packs.get(pack);
    return known?.index ?? (await this.#read(repo, pack));
  }

  blame(repo: StoredId, pack: string, error: RepoError): void {
    this.#log({ level: "error", msg: "a pack is damaged", ...repo, pack, error: error.message });
  }

  #view(repo: StoredId): View {
    const key = repoKey(repo);
    let view = this.#views.get(key);
    if (view === undefined) {
      view = { packs: new Map(), covered: new Set(), broken: new Set() };
      this.#views.set(key, view);
    }
    return view;
  }

  async #search(repo: StoredId, view: View, oid: string): Promise<PackLocation[]> {
    const places: PackLocation[] = [];
    for (const [pack, known] of view.packs) {
      const position = known.index.find(oid);
      if (position === -1) continue;
      try {
        known.bytes ??= await this.#packs.size(repo, pack);
        const offset = known.index.offsetAt(position);
        const end = known.index.entryEnd(offset, known.bytes);
        if (end <= offset) throw new RepoError("object_corrupt", `pack ${pack} is shorter than its index`);
        places.push({ pack, index: known.index, position, offset, end });
      } catch (error) {
        if (!(error instanceof RepoError)) throw error;
        if (error.code === "pack_vanished") view.packs.delete(pack);
        else if (error.code !== "object_corrupt") throw error;
        else {
          view.broken.add(pack);
          this.blame(repo, pack, error);
          known.bytes = undefined;
          await this.#packs.recheck(repo, pack);
        }
      }
    }
    return places;
  }

  async #list(repo: StoredId, view: View): Promise<void> {
    const present = new Set((await this.#packs.list(repo)).packs);
    for (const known of [view.packs, view.covered])
      for (const pack of known.keys()) if (!present.has(pack)) known.delete(pack);
    view.broken.clear();
    const fresh = [...present].filter((pack) => !view.packs.has(pack) && !view.covered.has(pack));
    await Promise.all(fresh.map((pack) => this.#load(repo, view, pack)));
    this.#views.set(repoKey(repo), view);
  }

  async #read(repo: StoredId, pack: string): Promise<PackIndex> {
    const read = async () => new PackIndex(await this.#packs.readIndex(repo, pack));
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof RepoError) || error.code !== "object_corrupt") throw error;
      await this.#packs.recheck(repo, pack);
      return read();
    }
  }

  async #load(repo: StoredId, view: View, pack: string): Promise<void> {
    try {
      view.packs.set(pack, { index: await this.#read(repo, pack), bytes: undefined, final: false });
    } catch (error) {
      if (!(error instanceof RepoError)) throw error;
      if (error.code === "pack_vanished") return;
      if (error.code !== "object_corrupt") throw error;
      view.broken.add(pack);
      this.blame(repo, pack, error);
    }
  }
}
