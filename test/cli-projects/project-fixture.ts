/** A project in a home of its own, and the commands that inspect it. */
import assert from "node:assert/strict";
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { parseLock } from "../../cli/project/lock.ts";
import { makeFixture, type Fixture } from "../cli/fixture.ts";
import { keepContract } from "../support/cli-contract.ts";

export const lockOf = async (w: Fixture) => parseLock(await w.read(w.project, "svc.lock"), "svc.lock");
export const manifestOf = async (w: Fixture) => JSON.parse(await w.read(w.project, "svc.json")) as unknown;
export const install = (w: Fixture, ref: string, target: string, ...more: string[]) =>
  w.run("install", ref, "-t", target, "-p", ...more);

/** Kind, skill and tool of every drift. */
export async function verify(w: Fixture, ...more: string[]): Promise<string[][]> {
  const ran = await w.run("verify", ...more);
  assert.equal(ran.stderr, "");
  const report = keepContract("verify", ran.data);
  assert.equal(ran.code, report.ok ? 0 : 1);
  return report.drift.map(({ kind, skill, platform }) => [
    kind,
    skill,
    ...(platform === undefined ? [] : [platform]),
  ]);
}

export async function restore(w: Fixture, ...more: string[]) {
  const ran = await w.run("restore", ...more);
  assert.equal(ran.stderr, "");
  return keepContract("restore", ran.data);
}

/** The cached content of the only version that projects have of a skill. */
export async function contentOf(w: Fixture, installName: string): Promise<string> {
  const versions = join(w.home, ".svc/cache", installName, "versions");
  const names = await readdir(versions);
  assert.equal(names.length, 1);
  return join(versions, names[0]!);
}

/** A project that has a text skill pinned to `^1`, for two tools. */
export async function saved(t: TestContext): Promise<Fixture> {
  const w = await makeFixture(t);
  await install(w, "review@^1", "claude,codex", "--save");
  return w;
}

/** The same project in another home, like a fresh clone. */
export async function cloned(t: TestContext, w: Fixture): Promise<Fixture> {
  const other = await makeFixture(t);
  other.skills.splice(0, other.skills.length, ...structuredClone(w.skills));
  for (const name of ["svc.json", "svc.lock"])
    await writeFile(join(other.project, name), await w.read(w.project, name));
  return other;
}
