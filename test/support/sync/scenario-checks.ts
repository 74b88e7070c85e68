/** Conditions that hold whenever the sync has come to rest, after any changes and crashes. */
import assert from "node:assert/strict";
import { runGit } from "../host/git-host.ts";
import {
  readDirectories,
  readOutside,
  readPlatform,
  type Ledger,
  type SeenSkill,
  type SeenVersion,
} from "./ledger.ts";
import type { Scenario } from "./scenario.ts";

/** Throws an error that names what was lost; `checked` are versions that were checked before. */
export async function checkScenario(scenario: Scenario, ledger: Ledger, checked: Set<string>): Promise<void> {
  const skills = await readPlatform(scenario);
  scenario.copy.update();
  checkSkills(ledger, skills);
  checkExpected(ledger, skills);
  await checkImports(scenario, ledger, skills, checked);
  checkBranch(scenario, ledger, skills);
  await checkStillness(scenario, ledger, skills);
  ledger.expected.clear();
  ledger.hasLostState = false;
  ledger.hasHistory = true;
}

const isImport = ({ row }: SeenVersion) => row.source === "import";

/** Nothing was removed or made visible except by a change in the ledger, and every version is kept. */
function checkSkills(ledger: Ledger, skills: ReadonlyMap<string, SeenSkill>): void {
  for (const id of ledger.visibility.keys())
    assert.ok(skills.has(id) || ledger.deleted.has(id), `skill ${id} is gone`);
  for (const [id, { doc, versions }] of skills) {
    const isDeleted = ledger.deleted.has(id);
    assert.equal(doc.deletedAt !== undefined, isDeleted, `skill ${doc.slug} was deleted by no one`);
    if (isDeleted) continue;
    const isMade = ledger.visibility.has(id);
    assert.ok(isMade || isImport(versions[0]!), `skill ${doc.slug} was created by no one`);
    const visibility = ledger.visibility.get(id) ?? "private";
    assert.equal(doc.visibility, visibility, `skill ${doc.slug} is in sight of others`);
    assert.deepEqual(
      versions.map(({ row }) => row.version),
      versions.map((_, index) => index + 1),
      `skill ${doc.slug} lacks a version`,
    );
    for (const { key, version } of ledger.acts.get(id) ?? [])
      if (version !== undefined)
        assert.equal(versions[version - 1]?.key, key, `lost: version ${version} of ${doc.slug}`);
    const [newest] = versions.slice(-1);
    const lastAct = ledger.acts.get(id)?.at(-1);
    assert.ok(
      [newest!.key, lastAct?.key].includes(
        doc.current.version === newest!.row.version ? newest!.key : lastAct?.key,
      ),
      `skill ${doc.slug} has a current version that was never made current`,
    );
  }
}

/** Each pushed directory is a skill's current version, unless the skill was changed in the service after that. */
function checkExpected(ledger: Ledger, skills: ReadonlyMap<string, SeenSkill>): void {
  const wanted = new Map<string, number>();
  for (const { path: place, key, owner, at } of ledger.expected.values()) {
    wanted.set(key, (wanted.get(key) ?? 0) + 1);
    const own = owner === undefined ? undefined : skills.get(owner);
    const deletedAt = owner === undefined ? undefined : ledger.deleted.get(owner);
    const isOwn = own !== undefined && deletedAt === undefined;
    // Content that a skill has had before can't be distinguished from our own export once the sync state is lost.
    if (isOwn && ledger.hasLostState && ledger.hasRewound) continue;
    const candidates = isOwn ? [own] : [...skills.values()];
    const isKept = candidates.some((skill) => isCurrentOf(ledger, skill, key, at));
    assert.ok(
      isKept,
      `lost: ${place} as it was pushed is not current ${isOwn ? `in ${describe(ledger, own, key, at)}` : "anywhere"}`,
    );
  }
  for (const [key, times] of wanted) {
    const holders = [...skills.values()].filter(({ versions }) => versions.some((one) => one.key === key));
    assert.ok(holders.length >= times, `lost: one of ${times} directories with the same content`);
  }
}

/** Versions and acts of a skill, for the analysis of a failure. */
function describe(ledger: Ledger, { doc, versions, current }: SeenSkill, key: string, at: number): string {
  const named = versions.map(({ row, key: own }) => {
    const marks = [own === key ? "pushed" : "", own === current ? "current" : ""].filter(Boolean);
    return [row.version, row.source, ...marks, JSON.stringify(own.slice(-60))].join(" ");
  });
  const acts = (ledger.acts.get(doc._id) ?? []).map((act) => `${act.at}: ${act.version ?? "revert"}`);
  return [
    `${doc.slug}, pushed at ${at}`,
    `versions: ${named.join("; ")}`,
    `acts: ${acts.join("; ")}`,
    `pushed: ${JSON.stringify(key.slice(-60))}`,
  ].join("\n");
}

function isCurrentOf(ledger: Ledger, skill: SeenSkill, key: string, at: number): boolean {
  if (!skill.versions.some((version) => version.key === key)) return false;
  if (skill.current === key) return true;
  const lastAct = ledger.acts.get(skill.doc._id)?.at(-1);
  return lastAct !== undefined && lastAct.at > at && lastAct.key === skill.current;
}

/** Nothing is imported that was not pushed, nor twice; each import names its author and what it overrides. */
async function checkImports(
  scenario: Scenario,
  ledger: Ledger,
  skills: ReadonlyMap<string, SeenSkill>,
  checked: Set<string>,
): Promise<void> {
  const { storage } = scenario.service.app;
  const times = new Map<string, number>();
  const conflicts = await storage.syncConflicts.list({ connectionId: scenario.connectionId, limit: 10_000 });
  const events = await storage.auditEvents.list(
    {
      log: { tenantId: scenario.org.id },
      from: new Date(0),
      names: ["skill.version_imported", "skill.created_via_import"],
    },
    0,
    10_000,
  );
  const audited = new Set(events.map(({ metadata }) => String(metadata?.["commit"])));
  for (const skill of skills.values()) {
    for (const version of skill.versions.filter(isImport)) {
      const { row, key } = version;
      const name = `version ${row.version} of ${skill.doc.slug}`;
      const count = (times.get(key) ?? 0) + 1;
      times.set(key, count);
      const most = ledger.timesPushed.get(key) ?? 0;
      assert.ok(count <= most, `${name} was imported ${count} times and pushed ${most} times`);
      if (checked.has(row._id)) continue;
      checked.add(row._id);
      assert.equal(row.author?.username, scenario.owner.username, `${name} has another author`);
      checkMessage(scenario, ledger, row.message, name);
      assert.ok(audited.has(row.oid), `${name} has no audit entry`);
      if (skill.doc.deletedAt === undefined) checkConflict(ledger, skill, version, conflicts);
    }
  }
}

function checkMessage(scenario: Scenario, ledger: Ledger, message: string, name: string): void {
  const taken = /^Taken from main at ([0-9a-f]{7})$/.exec(message);
  if (taken) {
    // Only if the mirror was fetched again is no author known: at its start, after a skill's end or for a rewritten
    // history.
    const isAfresh = !ledger.hasHistory || ledger.hasRewound || ledger.deleted.size > 0;
    assert.ok(isAfresh, `${name} says ${message}`);
    runGit(scenario.repo.directory, "cat-file", "-e", `${taken[1]}^{commit}`);
    return;
  }
  const found = /^(.*) \(([0-9a-f]{7}) by (.+)\)$/.exec(message);
  assert.ok(found, `${name} says ${message}`);
  const [, subject, short, author] = found;
  if (ledger.hasRewound || ledger.hasLostState) return;
  const commit = ledger.pushed.find(({ oid }) => oid.startsWith(short!));
  assert.deepEqual([commit?.subject, "Remote Author"], [subject, author], `${name} says ${message}`);
}

/** A conflict is reported if the version that was overridden is not one that the remote actor had. */
function checkConflict(
  ledger: Ledger,
  { doc, versions }: SeenSkill,
  { row, key }: SeenVersion,
  conflicts: readonly { skillId: string; winning: number; losing: number }[],
): void {
  const expected = [...ledger.expected.values()].find((one) => one.owner === doc._id && one.key === key);
  const wentBack = ledger.acts.get(doc._id)?.some(({ version }) => version === undefined);
  if (!expected || row.version === 1 || wentBack) return;
  const before = versions[row.version - 2]!;
  const conflict = conflicts.find(({ skillId, winning }) => skillId === doc._id && winning === row.version);
  if (!expected.basedOn.has(before.key) && before.row.source !== "import")
    assert.equal(
      conflict?.losing,
      before.row.version,
      `no conflict of version ${row.version} of ${doc.slug} is reported`,
    );
  if (expected.basedOn.size === 1 && expected.basedOn.has(before.key) && !ledger.hasLostState)
    assert.equal(conflict, undefined, `a conflict of version ${row.version} of ${doc.slug} is reported`);
}

/** The branch: files of others unchanged, history kept, one directory for a skill and one skill for a directory. */
function checkBranch(scenario: Scenario, ledger: Ledger, skills: ReadonlyMap<string, SeenSkill>): void {
  const directories = readDirectories(scenario.copy.folder);
  assert.deepEqual(readOutside(scenario, directories.keys()), ledger.outside, "what is not ours was changed");
  const last = ledger.pushed.at(-1);
  if (last) runGit(scenario.repo.directory, "merge-base", "--is-ancestor", last.oid, "main");
  for (const [place, key] of ledger.broken)
    assert.equal(directories.get(place)?.key, key, `${place} was overwritten although it was unreadable`);
  const claimed = new Set<string>();
  ledger.places.clear();
  const all = [...directories.values()];
  for (const { path: place, claims, isBroken } of all) {
    // If several can't be read, any of them may turn out to be it.
    const others = all.filter((other) => other.claims === claims && other.path !== place);
    if (claims !== undefined && (!isBroken || others.length === 0)) ledger.places.set(claims, place);
  }
  for (const { path: place, claims, key } of directories.values()) {
    if (ledger.broken.has(place)) continue;
    assert.ok(claims !== undefined, `${place} is no skill's`);
    const skill = skills.get(claims);
    assert.ok(skill && skill.doc.deletedAt === undefined, `${place} is of a skill that is gone`);
    assert.ok(!claimed.has(claims), `two directories are the skill ${skill.doc.slug}`);
    claimed.add(claims);
    ledger.agreed.set(claims, key);
    assert.equal(key, skill.current, `${place} is not what ${skill.doc.slug} is now`);
  }
}

/** A second sync changes nothing, and reports nothing. */
async function checkStillness(
  scenario: Scenario,
  ledger: Ledger,
  before: ReadonlyMap<string, SeenSkill>,
): Promise<void> {
  const { storage } = scenario.service.app;
  const lastRun = async () =>
    (await storage.syncRuns.list({ connectionId: scenario.connectionId, limit: 1 })).at(0)?._id;
  const [tip, run] = [scenario.tip(), await lastRun()];
  await storage.connections.request({ id: scenario.connectionId }, { now: scenario.service.app.now() });
  await scenario.settle();
  assert.equal((await scenario.connection()).status, "active");
  assert.equal(scenario.tip(), tip, "a second sync pushed");
  const numbers = (skills: ReadonlyMap<string, SeenSkill>) =>
    [...skills].map(([id, { versions }]) => `${id} ${versions.length}`);
  assert.deepEqual(numbers(await readPlatform(scenario)), numbers(before), "a second sync imported");
  if (ledger.broken.size === 0) assert.equal(await lastRun(), run, "a second sync reports something");
}

/** After a full sync, each skill is at its path, and nothing else is in its place. */
export async function checkRestored(scenario: Scenario, ledger: Ledger): Promise<void> {
  const asked = await scenario.api("POST", `/api/tenants/${scenario.org.id}/repo-sync/run`);
  assert.equal(asked.status, 200, JSON.stringify(asked.body));
  await scenario.settle();
  scenario.copy.update();
  const { data } = await scenario.api<{ id: string; path: string }[]>(
    "GET",
    `/api/tenants/${scenario.org.id}/folders`,
  );
  const paths = new Map(data.map(({ id, path }) => [id, path]));
  const skills = [...(await readPlatform(scenario)).values()].filter(
    ({ doc }) => doc.deletedAt === undefined,
  );
  const there = readDirectories(scenario.copy.folder);
  const held = new Set([...ledger.broken.keys()].flatMap((place) => there.get(place)?.claims ?? []));
  // A copy that can't be read blocks no other skill.
  for (const [place, { claims }] of there)
    if (claims !== undefined && !ledger.broken.has(place)) held.delete(claims);
  const belongs = skills
    .filter(({ doc }) => !held.has(doc._id))
    .map(({ doc, current }) => {
      const folder = doc.folderId === null ? "" : `${paths.get(doc.folderId)}/`;
      return [`skills/${folder}${doc.slug}`, doc._id, current] as const;
    })
    // If a directory became unreadable before it was written back once, it names no skill: it must not be overwritten
    // either.
    .filter(([place]) => !ledger.broken.has(place));
  const lies = [...there.values()]
    .filter(({ path: place }) => !ledger.broken.has(place))
    .map(({ path: place, claims, key }) => [place, claims, key]);
  const sorted = (rows: readonly (readonly (string | undefined)[])[]) =>
    rows.map((row) => row.join(" ")).toSorted();
  assert.deepEqual(sorted(lies), sorted(belongs), "a full sync does not make both sides the same");
  runGit(scenario.repo.directory, "fsck", "--full", "--strict");
}
