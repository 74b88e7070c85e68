/**
 * Changes by the remote actor in a clone of the repository, with plain git: the actor pushes, and the host reports it
 * or not.
 */
import { chmodSync, cpSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Random } from "../random.ts";
import {
  brokenMark,
  readDirectories,
  readOutside,
  type Expected,
  type Ledger,
  type SeenDirectory,
} from "./ledger.ts";
import type { Scenario } from "./scenario.ts";

export interface RemoteActor {
  /** Updates, edits, commits and pushes; synchronously, so that it may happen in the middle of a request. */
  push(): void;
  /** Sends the pending deliveries of the host: in any order, some twice, some never. */
  tell(): Promise<void>;
}

export interface Habits {
  /** Sometimes pushes an older state of the branch over the newer one. */
  rewinds: boolean;
}

export function remoteActor(
  scenario: Scenario,
  ledger: Ledger,
  random: Random,
  token: () => string,
  habits: Habits,
): RemoteActor {
  const { copy } = scenario;
  let count = 0;
  const owed: { after: string; id: string }[] = [];

  const at = (place: string) => path.join(copy.folder, place);
  const rootOf = (place: string) => `${place}/${copy.has(`${place}/SKILL.md`) ? "SKILL.md" : "RULE.md"}`;
  const append = (place: string) => {
    const root = rootOf(place);
    const text = copy.read(root);
    copy.write(root, `${text.endsWith("\n") ? text : `${text}\n`}${token()}\n`);
  };

  const edits: ((directories: string[]) => void)[] = [
    (directories) => append(random.pick(directories)),
    (directories) => append(random.pick(directories)),
    (directories) => append(random.pick(directories)),
    () => makeText(),
    () => makeText(),
    () => makePackage(),
    (directories) => addFile(random.pick(directories)),
    (directories) => removeFile(random.pick(directories)),
    (directories) => {
      if (directories.length > 2) remove(random.pick(directories));
    },
    (directories) => move(random.pick(directories)),
    (directories) => duplicate(random.pick(directories)),
    (directories) => breakOrMend(random.pick(directories)),
    () => copy.write(random.pick(["README.md", "src/a.c", "skills/notes.txt", "docs/b.md"]), `${token()}\n`),
  ];

  function makeText(): void {
    const place = `skills/${random.pick(["", "red/", "new/", "New Room/"])}made-${++count}`;
    const [file, head] = random.pick([
      ["SKILL.md", ""],
      ["SKILL.md", `---\nname: made-${count}\ndescription: Made by hand.\n---\n\n`],
      ["RULE.md", ""],
    ] as const);
    copy.write(`${place}/${file}`, `${head}# Made ${count}\n\n${token()}\n`);
  }

  function makePackage(): void {
    const place = `skills/${random.pick(["", "blue/"])}kit-${++count}`;
    copy.write(
      `${place}/SKILL.md`,
      `---\nname: kit-${count}\ndescription: A kit.\n---\n\n# Kit\n\n${token()}\n`,
    );
    copy.write(`${place}/scripts/run.sh`, "#!/bin/sh\n");
    chmodSync(at(`${place}/scripts/run.sh`), 0o755);
    writeFileSync(at(`${place}/scripts/é 漢.bin`), Buffer.from([0, 200, 13, 10, ...Buffer.from(token())]));
  }

  /** Turns a text into a package. */
  function addFile(place: string): void {
    if (rootOf(place).endsWith("RULE.md")) return append(place);
    const name = `${place}/added/ünicode ${++count}.sh`;
    copy.write(name, `${token()}\n`);
    if (random.chance(0.5)) chmodSync(at(name), 0o755);
  }

  function removeFile(place: string): void {
    const own = readdirSync(at(place), { recursive: true, withFileTypes: true }).filter(
      (entry) => entry.isFile() && !["SKILL.md", "RULE.md", ".svc.json"].includes(entry.name),
    );
    const [entry] = own;
    if (!entry) return append(place);
    rmSync(path.join(entry.parentPath, entry.name));
    append(place);
  }

  function remove(place: string): void {
    if (isClaimedTwice((one) => one !== place)) append(place);
    else rmSync(at(place), { recursive: true });
  }

  function move(place: string): void {
    const to = newPlace();
    renameSync(at(place), at(to));
    if (isClaimedTwice()) renameSync(at(to), at(place));
    if (random.chance(0.4)) append(copy.has(to) ? to : place);
  }

  function duplicate(place: string): void {
    const to = newPlace();
    cpSync(at(place), at(to), { recursive: true });
    if (isClaimedTwice()) rmSync(at(to), { recursive: true });
    if (random.chance(0.4)) append(copy.has(to) ? to : place);
  }

  function newPlace(): string {
    const to = `skills/${random.pick(["", "red/", "moved/"])}went-${++count}`;
    mkdirSync(path.dirname(at(to)), { recursive: true });
    return to;
  }

  /**
   * Whether several directories, of those that are counted, have the `.svc.json` of one skill whose own directory is
   * gone. The sync leaves them as they are until someone deletes it from all but one, so this actor never makes any.
   */
  function isClaimedTwice(isCounted = (_place: string) => true): boolean {
    const claimants = new Map<string, string[]>();
    for (const { path: place, claims } of readDirectories(copy.folder).values())
      if (claims !== undefined && isCounted(place))
        claimants.set(claims, [...(claimants.get(claims) ?? []), place]);
    return [...claimants].some(
      ([skillId, places]) => places.length > 1 && !places.includes(ledger.places.get(skillId) ?? ""),
    );
  }

  /** Writes a frontmatter that is no YAML, until the actor repairs it. */
  function breakOrMend(place: string): void {
    const broken = [...readDirectories(copy.folder).values()].filter(({ isBroken }) => isBroken);
    const [first] = broken;
    if (first && random.chance(0.6)) {
      // A package needs it, also one that has lost its other files.
      const head = `---\nname: mended-${++count}\ndescription: Mended by hand.\n---\n\n`;
      copy.write(rootOf(first.path), `${head}# Mended ${count}\n\n${token()}\n`);
      return;
    }
    copy.write(rootOf(place), `---\n${brokenMark}\n---\n\n${token()}\n`);
  }

  function rewind(): boolean {
    const commits = Number(copy.git("rev-list", "--count", "HEAD"));
    if (commits < 4) return false;
    copy.git("reset", "-q", "--hard", `HEAD~${1 + random.below(Math.min(3, commits - 2))}`);
    ledger.hasRewound = true;
    return true;
  }

  return {
    push() {
      const oid = pushEdits(scenario, ledger, () => {
        const isRewound = habits.rewinds && random.chance(0.08) && rewind();
        for (let many = 1 + random.below(3); many > 0; many--) {
          const directories = [...readDirectories(copy.folder).keys()];
          const edit = directories.length === 0 ? makeText : random.pick(edits);
          edit(directories);
        }
        return isRewound ? "forced" : "plain";
      });
      owed.push({ after: oid, id: `delivery-${scenario.connectionId}-${ledger.clock}` });
    },
    async tell() {
      const all = owed.splice(0);
      if (random.chance(0.3)) all.reverse();
      for (const one of all) {
        const fate = random.pick(["sent", "sent", "sent", "twice", "lost", "late"]);
        if (fate === "late") owed.push(one);
        if (fate === "sent" || fate === "twice") await scenario.tell(one.after, one.id);
        // By the host's own button with the id it had, or as a new one.
        if (fate === "twice") await scenario.tell(one.after, random.chance(0.5) ? one.id : `${one.id}-again`);
      }
    },
  };
}

/** Updates the clone, edits it, commits and pushes, and records the expected result. Returns the commit. */
export function pushEdits(scenario: Scenario, ledger: Ledger, edit: () => "forced" | "plain"): string {
  const { copy } = scenario;
  copy.update();
  const before = readDirectories(copy.folder);
  const how = edit();
  const subject = `edit ${++ledger.clock}`;
  const oid = copy.push(subject, how === "forced");
  ledger.pushed.push({ oid, subject });
  const now = readDirectories(copy.folder);
  notePush(ledger, before, now);
  ledger.outside = readOutside(scenario, now.keys());
  return oid;
}

/** The expected result of a push, by the rules: from the previous and the new state, however it was reached. */
function notePush(
  ledger: Ledger,
  before: ReadonlyMap<string, SeenDirectory>,
  now: ReadonlyMap<string, SeenDirectory>,
): void {
  const at = ++ledger.clock;
  const previous = new Map<string, SeenDirectory>();
  for (const directory of before.values()) {
    const { claims, path: place } = directory;
    if (claims !== undefined && ledger.places.get(claims) === place) previous.set(claims, directory);
  }
  for (const directory of before.values())
    if (directory.claims !== undefined && !previous.has(directory.claims))
      previous.set(directory.claims, directory);
  const claimants = new Map<string, SeenDirectory[]>();
  for (const directory of now.values())
    if (directory.claims !== undefined)
      claimants.set(directory.claims, [...(claimants.get(directory.claims) ?? []), directory]);

  const expected = new Map<string, Expected>();
  ledger.broken.clear();
  for (const directory of now.values()) {
    const { path: place, key, claims, isBroken } = directory;
    const own = claims === undefined ? [] : claimants.get(claims)!;
    const isAlone = own.length === 1;
    const stayed = claims !== undefined && ledger.places.get(claims) === place;
    const owner = isAlone || stayed ? claims : undefined;
    const was = before.get(place) ?? (isAlone && claims !== undefined ? previous.get(claims) : undefined);
    const earlier = ledger.expected.get(was?.path ?? place);
    if (isBroken) {
      ledger.broken.set(place, key);
      continue;
    }
    const isChanged = was?.key !== key;
    // The managed header comes back with an older state, and belongs to a package then.
    if (isChanged || ledger.hasRewound) ledger.timesPushed.set(key, (ledger.timesPushed.get(key) ?? 0) + 1);
    if (!isChanged && !earlier) continue;
    expected.set(place, {
      path: place,
      key,
      owner: owner ?? (was?.path === place && claims === undefined ? earlier?.owner : undefined),
      basedOn: new Set([
        ...(earlier?.basedOn ?? []),
        ...(was ? [was.key] : []),
        // Content that could not be read is not part of the last agreed state.
        ...(was?.isBroken ? [ledger.agreed.get(owner ?? "") ?? ""] : []),
      ]),
      at: isChanged ? at : earlier!.at,
    });
  }
  ledger.expected = expected;
}
