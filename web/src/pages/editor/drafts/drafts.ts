/**
 * Unpublished edits, kept in this browser. Each tab writes a draft of its own, so that two tabs that edit one skill
 * never overwrite each other's; a draft names its account, since a browser may be shared.
 */
import { draftOf, listCopies, removeCopy, writeCopy } from "./copies.ts";
import type { Draft } from "./draft.ts";

const storeName = "drafts";

let opened: Promise<IDBDatabase> | undefined;

/** Kept open, so that a write can begin at once: a page that is left has no time to open the database. */
function openStore(): Promise<IDBDatabase> {
  opened ??= openDatabase().catch((error: unknown) => {
    opened = undefined;
    throw error;
  });
  return opened;
}

function openDatabase(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open("svc-editor", 1);
    opening.addEventListener("upgradeneeded", () => {
      opening.result.createObjectStore(storeName, { keyPath: "id" }).createIndex("skill", ["owner", "skill"]);
    });
    opening.addEventListener("success", () => {
      const database = opening.result;
      // The browser or another tab removes it.
      database.addEventListener("close", () => (opened = undefined));
      database.addEventListener("versionchange", () => {
        opened = undefined;
        database.close();
      });
      resolve(database);
    });
    opening.addEventListener("error", () => reject(opening.error ?? new Error("no storage")));
    opening.addEventListener("blocked", () => reject(new Error("the storage is in use")));
  });
}

async function withStore<T>(
  mode: IDBTransactionMode,
  work: (store: IDBObjectStore) => IDBRequest<T>,
): Promise<T> {
  const database = await openStore();
  return new Promise<T>((resolve, reject) => {
    const transaction = database.transaction(storeName, mode);
    const request = work(transaction.objectStore(storeName));
    transaction.addEventListener("complete", () => resolve(request.result));
    transaction.addEventListener("abort", () =>
      reject(transaction.error ?? new Error("the storage is full")),
    );
    // Otherwise it waits for the response to the request, and is given up where the page is left before.
    transaction.commit();
  });
}

/** Accounts that have signed out, in this tab or another. */
const signedOut = new Set<string>();
const signOuts = new BroadcastChannel("svc-drafts");
signOuts.addEventListener("message", ({ data }: MessageEvent<string>) => signedOut.add(data));

/** Removes the drafts of an account that signs out, which the next user of the browser must not find. */
export async function endDrafts(owner: string): Promise<void> {
  signedOut.add(owner);
  signOuts.postMessage(owner);
  for (const { id } of listCopies(owner)) removeCopy(id);
  try {
    const all = IDBKeyRange.bound([owner], [owner, []]);
    const ids = await withStore("readonly", (store) => store.index("skill").getAllKeys(all));
    for (const id of ids) await withStore("readwrite", (store) => store.delete(id));
  } catch {
    // The browser stores nothing.
  }
}

/** Keeps drafts again, of an account that has signed in over the page. */
export function beginDrafts(owner: string): void {
  signedOut.delete(owner);
}

/** Throws if the browser can't store it, or its account has signed out. */
export async function saveDraft(draft: Draft): Promise<void> {
  if (signedOut.has(draft.owner)) throw new Error("signed out");
  await withStore("readwrite", (store) => store.put(draft));
  removeCopy(draft.id, draft.savedAt);
}

/** Stores a draft while the page is left, before `saveDraft`, which may not be completed then. */
export function copyDraft(draft: Draft): void {
  if (!signedOut.has(draft.owner)) writeCopy(draft);
}

export async function removeDraft(id: string): Promise<void> {
  removeCopy(id);
  await withStore("readwrite", (store) => store.delete(id));
}

export interface FoundDrafts {
  /** Latest first. */
  free: Draft[];
  /** Ids of those that an open tab is writing, this one included. */
  held: string[];
}

/** The drafts of a skill; those that were copied only, where the database can't be used. */
export async function findDrafts(owner: string, skill: string): Promise<FoundDrafts> {
  const key = IDBKeyRange.only([owner, skill]);
  const stored = await withStore<Draft[]>("readonly", (store) => store.index("skill").getAll(key)).catch(
    () => [],
  );
  const found = new Map(stored.map((draft) => [draft.id, draft]));
  for (const copy of listCopies(owner)) {
    if (copy.skill !== skill) continue;
    const draft = found.get(copy.id);
    if (!draft || draft.savedAt < copy.savedAt) found.set(copy.id, draftOf(copy, draft));
  }
  const locked = await lockedIds();
  const drafts = [...found.values()];
  return {
    free: drafts.filter(({ id }) => !locked.has(id)).toSorted((a, b) => b.savedAt - a.savedAt),
    held: drafts.map(({ id }) => id).filter((id) => locked.has(id)),
  };
}

const lockPrefix = "svc-draft-";

/** Absent on plain http, where a draft of another open tab is offered too. */
const locks = (): LockManager | undefined => (navigator as { locks?: LockManager }).locks;

async function lockedIds(): Promise<Set<string>> {
  const { held = [] } = (await locks()?.query()) ?? {};
  return new Set(held.map(({ name = "" }) => name.replace(lockPrefix, "")));
}

/** Whether no open tab writes a draft. Unknown on plain http: then it is continued as a copy. */
export async function isDraftFree(id: string): Promise<boolean> {
  return locks() !== undefined && !(await lockedIds()).has(id);
}

/** Marks a draft as open in this tab until the signal, or the tab, ends. */
export function holdDraft(id: string, signal: AbortSignal): void {
  const ended = new Promise<void>((resolve) => {
    signal.addEventListener("abort", () => resolve());
  });
  void locks()?.request(lockPrefix + id, () => ended);
}

/** Resolves when no tab holds the draft any more; never if the signal comes first. */
export function whenDraftFree(id: string, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    // Rejected by the signal.
    locks()
      ?.request(lockPrefix + id, { signal }, () => resolve())
      .catch(() => undefined);
  });
}

/** A random id; `crypto.randomUUID` exists only on https and localhost. */
export function newDraftId(): string {
  return [...crypto.getRandomValues(new Uint8Array(12))]
    .map((byte) => byte.toString(16).padStart(2, "0"))
    .join("");
}
