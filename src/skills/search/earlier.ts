/** Entries that earlier versions of the service have written: found as they are, until a job has written them again. */
import type { App } from "../../app.ts";
import { perApp } from "../../per-app.ts";
import { putSearchEntries } from "../projection.ts";

const batch = 100;
const recheckMs = 30_000;

const stateOf = perApp(() => ({ checkedAt: -Infinity, isDone: false }));

/** Whether there are any. Once there are none, there will be none. */
export async function hasEarlierEntries(app: App): Promise<boolean> {
  const state = stateOf(app);
  const now = app.now().getTime();
  if (!state.isDone && now - state.checkedAt > recheckMs) {
    state.checkedAt = now;
    state.isDone = (await app.storage.searchEntries.listIdsOfEarlier(1)).length === 0;
  }
  return !state.isDone;
}

/** Writes them again. Called by the reconcile job. */
export async function renewEarlierEntries(app: App): Promise<void> {
  const { searchEntries, skills } = app.storage;
  for (let before = ""; ;) {
    const ids = await searchEntries.listIdsOfEarlier(batch);
    if (ids.length === 0 || ids.join() === before) return;
    before = ids.join();
    const found = await skills.listToIndex(ids);
    const alive = found.filter((skill) => !skill.deletedAt);
    const aliveIds = new Set(alive.map(({ _id }) => _id));
    await searchEntries.remove(ids.filter((id) => !aliveIds.has(id)));
    await putSearchEntries(app, alive, { isWhole: true });
  }
}
