/**
 * Edits at random on both sides, with stops in the middle of a sync, lost bookkeeping and pushes squeezed in: nobody's
 * edit is lost, the repository's is current, a second sync changes nothing, what is not ours stays as it is, and a full sync
 * makes both sides the same. `SVC_SYNC_SEED` repeats a run, `SVC_SYNC_WORLDS` sets its length.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { after, before, it } from "node:test";
import type { Mirror, Mirrors } from "../../repos/mirror/types.ts";
import { startService, type TestService } from "../support/service.ts";
import { connectedWorld, listSkills, publish, skillDirectories, textOf, versionsOf } from "./world.ts";

const worlds = Number(process.env["SVC_SYNC_WORLDS"] ?? 1);
const roundsEach = 10;
const firstSeed = Number(process.env["SVC_SYNC_SEED"] ?? Date.now() % 1_000_000);

let service: TestService;
before(async () => {
  service = await startService();
});
after(() => service.close());

class Stopped extends Error {}

type Point = "fetched" | "built" | "pushed";

/** What happens inside the next sync. */
interface Trouble {
  stopAt?: Point;
  /** Runs between our build and our push. */
  squeeze?: () => void | Promise<void>;
}

/** Small and repeatable (mulberry32). */
function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

function troubled(mirrors: Mirrors, trouble: () => Trouble): Mirrors {
  const stop = (at: Point) => {
    if (trouble().stopAt === at) throw new Stopped(at);
  };
  const wrap = (mirror: Mirror): Mirror => ({
    ...mirror,
    async fetch(...args) {
      const result = await mirror.fetch(...args);
      stop("fetched");
      return result;
    },
    async build(...args) {
      const result = await mirror.build(...args);
      stop("built");
      return result;
    },
    async push(...args) {
      const { squeeze } = trouble();
      trouble().squeeze = undefined;
      await squeeze?.();
      const result = await mirror.push(...args);
      stop("pushed");
      return result;
    },
  });
  return { ...mirrors, open: (id) => wrap(mirrors.open(id)) };
}

async function play(seed: number): Promise<void> {
  const next = random(seed);
  const chance = (share: number) => next() < share;
  const pick = <T>(items: readonly T[]): T => items[Math.floor(next() * items.length)]!;
  /** An edit of something that is there, half of the time: so that both sides meet at one skill. */
  const pickEdit = <T>(edit: T, all: readonly T[]): T => (chance(0.5) ? edit : pick(all));
  const trouble: Trouble = {};
  const world = await connectedWorld(service, (mirrors) => troubled(mirrors, () => trouble));
  const { copy } = world;
  const outside = new Map<string, string>();
  /** Lines that somebody wrote: in the repository, and which skill got them here. */
  let theirs: string[] = [];
  const ours = new Map<string, string>();
  let count = 0;
  /** The first line of the round. */
  let fresh = 0;
  const token = () => `line-${seed}-${count++}`;
  const api = (method: string, target: string, body?: object) =>
    service.call(method, target, { token: world.owner.token, ...(body ? { body } : {}) });

  /** Takes lines away by right, so it is not squeezed in. */
  const deleting = 2;
  const here: (() => Promise<void>)[] = [
    async () => {
      const line = token();
      const folder = chance(0.5) ? { folder: pick(["red", "red/deep", "blue"]), createFolders: true } : {};
      ours.set(line, (await publish(world, `Skill ${count}`, line, folder)).id);
    },
    async () => {
      const skills = await listSkills(world);
      if (skills.length === 0) return;
      const skill = pick(skills);
      const line = token();
      const text = `${await textOf(world, skill.id)}\n${line}\n`;
      const answer = await api("POST", `/api/skills/${skill.id}/versions`, { content: text });
      assert.equal(answer.status, 201, JSON.stringify(answer.body));
      ours.set(line, skill.id);
    },
    async () => {
      const skills = await listSkills(world);
      if (skills.length < 3) return;
      const { id } = pick(skills);
      await api("DELETE", `/api/skills/${id}`);
      for (const [line, owner] of ours) if (owner === id) ours.delete(line);
    },
    async () => {
      const skills = await listSkills(world);
      if (skills.length === 0) return;
      await api("POST", `/api/skills/${pick(skills).id}/move`, {
        folder: pick(["/", "red", "green/far"]),
        createFolders: true,
      });
    },
    async () => {
      const { data } = await service.call<{ id: string }[]>("GET", `/api/tenants/${world.org.id}/folders`, {
        token: world.owner.token,
      });
      if (data.length > 0) await api("PATCH", `/api/folders/${pick(data).id}`, { name: `Folder ${count++}` });
    },
    async () => {
      const skills = await listSkills(world);
      if (skills.length > 0) await api("PUT", `/api/skills/${pick(skills).id}`, { tags: [`t${count++}`] });
    },
  ];

  const directories = () => skillDirectories(copy.folder);
  const rootOf = (path: string) => `${path}/${copy.has(`${path}/SKILL.md`) ? "SKILL.md" : "RULE.md"}`;
  const there: (() => void)[] = [
    () => {
      if (directories().length === 0) return;
      const root = rootOf(pick(directories()));
      const line = token();
      copy.write(root, `${copy.read(root)}\n${line}\n`);
    },
    () => {
      const line = token();
      copy.write(
        `skills/${pick(["", "red/", "new/"])}made-${count}/SKILL.md`,
        `# Made ${count}\n\n${line}\n`,
      );
    },
    () => {
      if (directories().length > 2) copy.git("rm", "-rqf", "--ignore-unmatch", pick(directories()));
    },
    () => {
      if (directories().length === 0) return;
      const from = pick(directories());
      const to = `skills/${pick(["", "red/", "moved/"])}went-${count++}`;
      execFileSync("sh", ["-c", 'mkdir -p "$(dirname "$2")" && mv "$1" "$2"', "sh", from, to], {
        cwd: copy.folder,
      });
    },
    () => {
      if (directories().length === 0) return;
      const [from, to] = [pick(directories()), `skills/copy-${count++}`];
      execFileSync("cp", ["-r", from, to], { cwd: copy.folder });
    },
    () => {
      const name = pick(["README.md", "src/a.c", "skills/notes.txt", "docs/b.md"]);
      copy.write(name, `${token()}\n`);
      outside.set(name, copy.read(name));
    },
  ];
  const editThere = () => {
    copy.update();
    const from = count;
    for (let edits = 1 + Math.floor(next() * 3); edits > 0; edits--) pickEdit(there[0]!, there)();
    theirs.push(...linesOf(copy.folder).filter((line) => Number(line.split("-").at(-1)) >= from));
    copy.push();
  };
  /** Lines of this run that skills in the working copy hold. */
  const linesOf = (folder: string) =>
    skillDirectories(folder).flatMap((path) => copy.read(rootOf(path)).match(/^line-\d+-\d+$/gm) ?? []);

  const syncDone = async (full = false) => {
    const end = await world.sync(full);
    const connection = await world.connection();
    assert.equal(end, "done", JSON.stringify(connection?.problem));
  };
  const texts = async () => Promise.all((await listSkills(world)).map(({ id }) => textOf(world, id)));

  const check = async (what: string) => {
    const told = (line: string) => `${what}: ${line} of seed ${seed}`;
    const current = await texts();
    for (const line of theirs)
      assert.ok(
        current.some((text) => text.includes(line)),
        told(`lost ${line}`),
      );
    for (const [line, id] of ours) {
      const [newest] = await versionsOf(world, id);
      // One that lost a conflict is in the history alone, from there on.
      const isTheirs = newest!.message.endsWith("by Gita)");
      const isOld = Number(line.split("-").at(-1)) < fresh;
      assert.ok(isOld || isTheirs || (await textOf(world, id)).includes(line), told(`overwrote our ${line}`));
      const kept = await Promise.all(
        (await versionsOf(world, id)).map(({ version }) => textOf(world, id, version)),
      );
      assert.ok(
        kept.some((text) => text.includes(line)),
        told(`lost our ${line}`),
      );
    }
    copy.update();
    const alive = new Set((await listSkills(world)).map(({ id }) => id));
    const claimed = directories().map(
      (path) => (JSON.parse(copy.read(`${path}/.svc.json`)) as { id: string }).id,
    );
    assert.equal(new Set(claimed).size, claimed.length, told("two directories are one skill"));
    assert.ok(
      claimed.every((id) => alive.has(id)),
      told("a directory is no skill's"),
    );
    for (const [name, text] of outside) assert.equal(copy.read(name), text, told(name));
    const held = [world.tip(), await texts()];
    await syncDone();
    assert.deepEqual([world.tip(), await texts()], held, told("a second sync changed something"));
  };

  try {
    for (let round = 0; round < roundsEach; round++) {
      fresh = count;
      for (let edits = Math.floor(next() * 3); edits > 0; edits--) await pickEdit(here[1]!, here)();
      if (chance(0.7)) editThere();
      let isOurs = false;
      if (chance(0.25)) trouble.squeeze = () => editThere();
      else if (chance(0.15)) {
        isOurs = true;
        trouble.squeeze = () => pick(here.filter((_, i) => i !== deleting))();
      }
      if (chance(0.3)) {
        trouble.stopAt = pick(["fetched", "built", "pushed"]);
        await world.sync();
        trouble.stopAt = undefined;
      }
      if (chance(0.05)) await service.app.storage.syncBases.removeOfConnection(world.connectionId);
      await syncDone();
      // What was published beside the push has asked for the next sync.
      if (isOurs) await syncDone();
      trouble.squeeze = undefined;
      await check(`round ${round}`);
      theirs = [];
    }
    await syncDone(true);
    await check("the end");
    copy.update();
    const bodies = directories().map((path) =>
      copy
        .read(rootOf(path))
        .replace(/^---\n[^]*?\n---\n\n/, "")
        .replace(/<!-- svc:managed[^\n]*\n\n/, ""),
    );
    assert.deepEqual(
      bodies.toSorted(),
      (await texts()).toSorted(),
      `seed ${seed}: both sides are not the same`,
    );
    execFileSync("git", ["-C", world.remote, "fsck", "--full", "--strict"], { stdio: "pipe" });
  } finally {
    await world.close();
  }
}

it(`keeps both sides through ${worlds * roundsEach} rounds, from seed ${firstSeed} on`, async () => {
  for (let seed = firstSeed; seed < firstSeed + worlds; seed++) await play(seed);
});
