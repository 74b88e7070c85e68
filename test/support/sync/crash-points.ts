/**
 * An application that crashes, or runs a concurrent change, at its n-th durable step: every write to the database, to a
 * skill's repository, to the mirror, and every push. After the crash it does nothing any more, like a killed process.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Mirror } from "../../../repos/mirror/types.ts";
import type { App } from "../../../src/app.ts";

export interface Interruption {
  /** The first durable step is 1; by name, the first of that name: `mirror.push`. */
  step: number | string;
  /** Before the step, or after it, but before its result is returned. */
  when: "before" | "after";
  /** `kill`, or a concurrent change. */
  what: "kill" | (() => unknown);
}

export interface Interrupted {
  app: App;
  /** Durable steps so far, by name. */
  steps: string[];
  /** Whether the step was reached. */
  isMet(): boolean;
  isDead(): boolean;
  /** From here on no change is injected; resolves when an injected one is done. */
  disarm(): Promise<void>;
}

/** If the change waits for this step, which waits for the change, the step continues concurrently after that time. */
const standStillMs = 1500;

class Killed extends Error {}

type Call = (...args: unknown[]) => unknown;

const isReading = /^(find|list|count|is[A-Z]|exists|holds|each|read|open|ping|scan|sum|lastChanges|verify)/;

export function interrupted(app: App, interruption?: Interruption): Interrupted {
  const steps: string[] = [];
  let isDead = false;
  let isMet = false;
  let isArmed = true;
  let meanwhile: Promise<unknown> = Promise.resolve();

  const live = () => {
    if (isDead) throw new Killed("nothing runs any more");
  };
  async function come(name: string, step: number, when: Interruption["when"]): Promise<void> {
    if (isMet || !isArmed || ![step, name].includes(interruption?.step ?? 0) || interruption?.when !== when)
      return;
    isMet = true;
    if (interruption.what !== "kill") {
      meanwhile = Promise.resolve(interruption.what());
      meanwhile.catch(() => undefined);
      return void (await Promise.race([meanwhile, sleep(standStillMs, undefined, { ref: false })]));
    }
    isDead = true;
    throw new Killed(`stopped ${when} ${name}`);
  }

  function guard<T extends object>(target: T, label: string, isStep: (name: string) => boolean): T {
    return new Proxy(target, {
      get(from, key) {
        const found: unknown = Reflect.get(from, key);
        if (typeof found !== "function") return found;
        const name = String(key);
        const call = found as Call;
        if (!isStep(name))
          return (...args: unknown[]) => {
            live();
            return call.apply(from, args);
          };
        return async (...args: unknown[]) => {
          live();
          const full = `${label}.${name}`;
          const step = steps.push(full);
          await come(full, step, "before");
          const result = await call.apply(from, args);
          await come(full, step, "after");
          live();
          return result;
        };
      },
    });
  }

  const writes = (name: string) => !isReading.test(name);
  const guarded = new Map<string | symbol, object>();
  const storage = new Proxy(app.storage, {
    get(from, key) {
      const collection: unknown = Reflect.get(from, key);
      if (typeof collection !== "object" || collection === null || key === "database") return collection;
      const known = guarded.get(key) ?? guard(collection, String(key), writes);
      guarded.set(key, known);
      return known;
    },
  });
  const inMirror = (name: string) => ["fetch", "build", "push", "drop"].includes(name);
  return {
    steps,
    isMet: () => isMet,
    isDead: () => isDead,
    async disarm() {
      isArmed = false;
      await meanwhile;
    },
    app: {
      ...app,
      storage,
      repos: guard(app.repos, "repos", (name) =>
        ["writeCommit", "recommit", "erase", "advanceRefs"].includes(name),
      ),
      mirrors: { ...app.mirrors, open: (id) => guard<Mirror>(app.mirrors.open(id), "mirror", inMirror) },
      background(name, work) {
        if (!isDead) app.background(name, work);
      },
    },
  };
}
