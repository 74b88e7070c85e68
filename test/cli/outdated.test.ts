import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { dataOf, kit, makeFixture } from "./fixture.ts";
import { svc } from "./harness.ts";

interface Outdated {
  skills: {
    installName: string;
    pin: string;
    installed: { version: number; semver: string };
    wanted: { version: number; semver: string };
    latest: { version: number; semver: string };
    outdated: boolean;
  }[];
  failed: { installName: string; error: string }[];
}

describe("svc outdated", () => {
  const rows = ({ skills }: Outdated) =>
    skills.map(({ installName, pin, installed, wanted, latest, outdated }) =>
      [installName, pin, installed.semver, wanted.semver, latest.semver, outdated].join(" "),
    );

  it("lists what pull would update, and with --all what a pin excludes", async (t) => {
    const made = await makeFixture(t);
    for (const ref of ["review", "kit@^1", "house"]) await made.run("install", ref, "-t", "claude", "-g");
    assert.deepEqual(dataOf(await made.run("outdated")), { skills: [], failed: [] });
    made.skills[0]!.versions.push({ semver: "1.1.0", body: "two\n" });
    made.skills[2]!.versions.push({ semver: "2.0.0", files: kit("two") });
    const before = await made.config();

    const listed = await made.run("outdated");
    const all = await made.run("outdated", "--all");
    const text = await svc(["outdated"], { home: made.home, env: { SVC_API_URL: made.apiUrl } });

    assert.equal(listed.code, 0);
    assert.deepEqual(rows(dataOf(listed)), ["review latest 1.0.0 1.1.0 1.1.0 true"]);
    assert.deepEqual(rows(dataOf(all)), [
      "review latest 1.0.0 1.1.0 1.1.0 true",
      "kit ^1 1.0.0 1.0.0 2.0.0 false",
    ]);
    assert.match(
      text.stdout,
      /^NAME +INSTALLED +WANTED +LATEST +PIN +SKILL +PROJECT\nreview +1\.0\.0 +1\.1\.0/,
    );
    assert.match(text.stderr, /excludes the latest version of 1 more\. List them with svc outdated --all/);
    assert.deepEqual(await made.config(), before);
    await made.run("pull");
    assert.deepEqual(dataOf(await made.run("outdated")), { skills: [], failed: [] });
  });

  it("names skills that can't be resolved, with exit code 0", async (t) => {
    const made = await makeFixture(t);
    for (const ref of ["review", "house"]) await made.run("install", ref, "-t", "claude", "-g");
    made.skills.splice(0, 1);

    const listed = await made.run("outdated");

    assert.equal(listed.code, 0);
    assert.deepEqual(dataOf<Outdated>(listed), {
      skills: [],
      failed: [{ installName: "review", error: 'No skill "aaaaaaaaaa".' }],
    });
  });

  it("fails if the service can't be reached, and reports that nothing is installed", async (t) => {
    const made = await makeFixture(t);
    const text = await svc(["outdated"], { home: made.home, env: { SVC_API_URL: made.apiUrl } });
    assert.equal(text.stdout, "Nothing is installed. Try svc install.\n");
    await made.run("install", "review", "-t", "claude", "-g");

    const env = { SVC_API_URL: "http://127.0.0.1:1" };
    const { code, error } = await svc(["outdated", "-o", "json"], { home: made.home, env });

    assert.deepEqual([code, error.code], [1, "E_NETWORK"]);
  });
});
