/**
 * Five machines with three projects and the user level, used at random: installs, pulls, restores, uninstalls, edits by
 * hand, new versions and kills. Two projects have an svc.json, whose files machines pass on to each other, as git does.
 * A failure names its seed: `SVC_CLIENT_SEED=<seed> npm test -- cli-projects/mixed-use`.
 */
import assert from "node:assert/strict";
import {
  copyFileSync,
  existsSync,
  readFileSync,
  readdirSync,
  realpathSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, describe, it } from "node:test";
import semver from "semver";
import { inspectRecord } from "../../cli/install/records/record.ts";
import type { Config, InstallationRecord } from "../../cli/state/config.ts";
import { type StubSkill, startRegistry, svc, temporaryFolder } from "../cli/harness.ts";
import { bundleClient, runKilled } from "../cli/killed.ts";
import { type Random, openRandom } from "../support/random.ts";
import { isLong, runCount } from "../support/run-count.ts";

const machineCount = 5;
const steps = isLong ? 100 : 60;
const histories = runCount(1, 30);
const firstSeed = Number(process.env["SVC_CLIENT_SEED"] ?? 13);

const targets = ["claude", "cursor", "codex", "cline", "windsurf"];
/** With an svc.json from the start: `a` and `b`. */
const projects = ["a", "b", "c"] as const;
type Project = (typeof projects)[number];
const managed: readonly Project[] = ["a", "b"];

interface Machine {
  name: string;
  home: string;
  folders: Record<Project, string>;
  /** Files that a person edited, and that svc has not written since. */
  edited: Set<string>;
}

interface Step {
  machine: Machine;
  argv: string[];
  /** The folder that the command runs in; undefined for a folder without a project. */
  at: Project | undefined;
}

bundleClient();

const content = (slug: string, version: string) => `${slug} in version ${version}\n`;

function stubs(): StubSkill[] {
  return [
    { slug: "review", publicId: "aaaaaaaaaa", name: "Review", versions: [] },
    { slug: "house", publicId: "bbbbbbbbbb", name: "House", type: "rule", versions: [] },
    { slug: "kit", publicId: "cccccccccc", name: "Kit", versions: [] },
  ];
}

function publish(skill: StubSkill, version: string): void {
  const text = content(skill.slug, version);
  skill.versions.push(
    skill.slug === "kit"
      ? {
          semver: version,
          files: {
            "SKILL.md": { data: `---\nname: kit\ndescription: d\n---\n${text}` },
            "part.txt": { data: text },
          },
        }
      : { semver: version, body: text },
  );
}

async function makeMachine(t: TestContext, name: string): Promise<Machine> {
  const home = realpathSync(await temporaryFolder(t));
  const folders = { a: join(home, "work/a"), b: join(home, "work/b"), c: join(home, "work/c") };
  for (const folder of Object.values(folders)) await mkdir(folder, { recursive: true });
  for (const project of managed) await writeFile(join(folders[project], "svc.json"), "{}\n");
  return { name, home, folders, edited: new Set() };
}

/** The bytes below a folder, by path, with links followed. */
function bytesOf(folder: string, prefix = ""): Map<string, string> {
  const found = new Map<string, string>();
  for (const name of existsSync(folder) ? readdirSync(folder).sort() : []) {
    const path = join(folder, name);
    const info = statSync(path, { throwIfNoEntry: false });
    if (info?.isDirectory()) for (const entry of bytesOf(path, `${prefix}${name}/`)) found.set(...entry);
    else found.set(prefix + name, info === undefined ? "dangling link" : readFileSync(path, "utf8"));
  }
  return found;
}

/** Everything that a command in `at` must not change on its machine. */
function foreignBytes({ home, folders }: Machine, { at, argv }: Step): Map<string, Map<string, string>> {
  const isNarrow = argv.includes("-p") || argv.includes("-g") || argv[0] === "restore";
  const kept = new Map<string, Map<string, string>>();
  for (const project of projects)
    if ((project !== at || argv.includes("-g")) && (isNarrow || managed.includes(project)))
      kept.set(project, bytesOf(folders[project]));
  if (isNarrow && !argv.includes("-g"))
    for (const folder of [".claude", ".cursor", ".codex", ".agents", ".cline", ".codeium"])
      kept.set(folder, bytesOf(join(home, folder)));
  return kept;
}

const configOf = ({ home }: Machine): Config =>
  existsSync(join(home, ".svc/config.json"))
    ? (JSON.parse(readFileSync(join(home, ".svc/config.json"), "utf8")) as Config)
    : { version: 2, activeProfile: "default", profiles: {} };

function recordsOf(machine: Machine): [installName: string, record: InstallationRecord][] {
  return Object.entries(configOf(machine).profiles["default"]?.installed ?? {}).flatMap(
    ([name, { installs }]) => installs.map((record): [string, InstallationRecord] => [name, record]),
  );
}

/** The file of a location that has the skill's text. */
function textFile({ path }: InstallationRecord): string {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true ? join(path, "SKILL.md") : path;
}

/** Every location has its own version, which its pin allows, and the bytes of no other one. */
async function checkLocations(machine: Machine, context: string): Promise<void> {
  for (const [name, record] of recordsOf(machine)) {
    const where = `${context}: ${record.path}`;
    const pinned = record.range === "latest" || semver.satisfies(record.semver, record.range);
    assert.ok(
      pinned || record.outdated === true,
      `${where}: ${record.semver} does not satisfy ${record.range}`,
    );
    const file = textFile(record);
    const state = await inspectRecord(record, name, join(machine.home, ".svc/cache", name));
    if (machine.edited.has(file)) continue;
    assert.equal(state, "intact", where);
    assert.ok(
      readFileSync(file, "utf8").includes(content(name, record.semver)),
      `${where}: not ${record.semver}`,
    );
  }
}

/** Passes a project's svc.json and svc.lock on to another machine. */
function passOn(from: Machine, to: Machine, project: Project): void {
  for (const name of ["svc.json", "svc.lock"]) {
    const file = join(from.folders[project], name);
    if (existsSync(file)) copyFileSync(file, join(to.folders[project], name));
  }
}

function chooseStep(random: Random, machines: readonly Machine[], skills: readonly StubSkill[]): Step {
  const machine = random.pick(machines);
  const at = random.pick([...projects, undefined]);
  const { slug } = random.pick(skills);
  const pin = random.pick(["", "", "@1.0.0", "@^1", "@latest"]);
  const chosen = [...new Set([random.pick(targets), random.pick(targets)])].join(",");
  const narrow = at === undefined ? random.pick([[], ["-g"]]) : random.pick([[], ["-p"], ["-g"]]);
  const force = random.once(3) ? ["--force"] : [];
  const choice = random.below(10);
  if (choice < 4) {
    const method = random.pick([[], [], ["--copy"], ["--symlink"]]);
    const argv = ["install", slug + pin, "-t", chosen, at === undefined ? "-g" : "-p", ...method, ...force];
    return { machine, at, argv };
  }
  if (choice < 7)
    return { machine, at, argv: ["pull", ...(random.once(2) ? [slug] : []), ...narrow, ...force] };
  if (choice < 8) return { machine, at, argv: ["uninstall", slug, ...narrow, ...force] };
  return { machine, at: random.pick(managed), argv: ["restore", ...force] };
}

async function play(t: TestContext, seed: number): Promise<void> {
  const random = openRandom(seed);
  const skills = stubs();
  for (const skill of skills) for (const version of ["1.0.0", "2.0.0"]) publish(skill, version);
  const env = { SVC_API_URL: await startRegistry(t, skills) };
  const machines = await Promise.all(
    Array.from({ length: machineCount }, (_, i) => makeMachine(t, `machine ${i}`)),
  );
  const run = ({ machine, at, argv }: Step) =>
    svc([...argv, "-o", "json"], { home: machine.home, cwd: cwdOf(machine, at), env });

  for (let step = 1; step <= steps; step++) {
    if (random.once(3)) {
      const skill = random.pick(skills);
      publish(skill, `${1 + skill.versions.length}.0.0`);
    }
    const chosen = chooseStep(random, machines, skills);
    const { machine, at, argv } = chosen;
    if (random.once(6)) editByHand(random, machine);
    if (argv[0] === "restore") passOn(random.pick(machines), machine, at!);
    const context = `seed ${seed}, step ${step}, ${machine.name}, ${at ?? "no project"}: svc ${argv.join(" ")}`;
    const before = foreignBytes(machine, chosen);

    if (random.once(4)) {
      const killBefore = 1 + random.below(40);
      const options = { home: machine.home, env, cwd: cwdOf(machine, at) };
      await runKilled(argv, killBefore, options);
      assert.deepEqual(
        foreignBytes(machine, chosen),
        before,
        `${context}, killed before change ${killBefore}`,
      );
    }
    const ran = await run(chosen);
    if (ran.code !== 0 && ran.stdout === "")
      assert.ok(
        ["E_NOT_FOUND", "E_NO_TARGETS", "E_ALREADY_EXISTS", "E_VERSION_CHANGED"].includes(ran.error.code),
        `${context}: ${ran.stderr}`,
      );
    assert.deepEqual(foreignBytes(machine, chosen), before, context);
    forgetRewritten(machine);
    // An interrupted run is completed by the next pull where it was made.
    await run({ ...chosen, argv: ["pull", at === undefined ? "-g" : "-p"] });
    await run({ ...chosen, argv: ["pull", "-g"] });
    await checkLocations(machine, context);
  }
  for (const machine of machines)
    for (const project of managed) await checkReproducible(t, machine, project, env);
}

const cwdOf = ({ home, folders }: Machine, at: Project | undefined) =>
  at === undefined ? home : folders[at];

/** Edits a copied file that svc wrote. */
function editByHand(random: Random, machine: Machine): void {
  const copies = recordsOf(machine).filter(
    ([, { method, outdated }]) => method === "copy" && outdated !== true,
  );
  if (copies.length === 0) return;
  const file = textFile(random.pick(copies)[1]);
  if (!existsSync(file)) return;
  writeFileSync(file, "mine\n");
  machine.edited.add(file);
}

/** Edits that svc has overwritten or removed. */
function forgetRewritten({ edited }: Machine): void {
  for (const file of edited)
    if (!existsSync(file) || readFileSync(file, "utf8") !== "mine\n") edited.delete(file);
}

/** Another machine restores the same bytes from the lock, which stays the same. */
async function checkReproducible(
  t: TestContext,
  machine: Machine,
  project: Project,
  env: NodeJS.ProcessEnv,
): Promise<void> {
  const folder = machine.folders[project];
  if (!existsSync(join(folder, "svc.lock"))) return;
  const lock = readFileSync(join(folder, "svc.lock"), "utf8");
  const [first, second] = [await makeMachine(t, "first"), await makeMachine(t, "second")];
  for (const other of [first, second]) {
    passOn(machine, other, project);
    const cwd = other.folders[project];
    const restored = await svc(["restore", "-o", "json"], { home: other.home, cwd, env });
    assert.equal(restored.code, 0, `${machine.name}, ${project}: ${restored.stdout}${restored.stderr}`);
    assert.equal(readFileSync(join(cwd, "svc.lock"), "utf8"), lock);
    await svc(["pull", "-p", "-o", "json"], { home: other.home, cwd, env });
  }
  assert.deepEqual(bytesOf(first.folders[project]), bytesOf(second.folders[project]));
  for (const other of [first, second]) await rm(other.home, { recursive: true });
}

describe("machines that use several projects and the user level", () => {
  for (let i = 0; i < histories; i++)
    it(`keep projects apart, and locks reproducible, with seed ${firstSeed + i}`, async (t) => {
      await play(t, firstSeed + i);
    });
});
