/** Generated sequences of changes of versions, after each of which every pin agrees with a model. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { promisify } from "node:util";
import semver from "semver";
import { skillActs } from "../../contract/dashboard/lists.ts";
import type { ChannelPayload } from "../../contract/payloads/skills/channels.ts";
import type { VersionPayload } from "../../contract/payloads/skills/skills.ts";
import type { VersionState } from "../../contract/vocabulary.ts";
import { changeState } from "../../src/skills/marks/change-state.ts";
import { holdVersion, releaseVersion } from "../support/holds.ts";
import { plainGitEnv } from "../support/native-git.ts";
import { newMember } from "../support/organization.ts";
import { openRandom } from "../support/random.ts";
import { setUpOrganization } from "../support/set-up.ts";
import { newVersionedSkill } from "../support/versioned-skill.ts";

interface Version {
  number: number;
  semver: string;
  state: VersionState;
  /** Whether a publish, a release or a revert points to it. */
  pointed: boolean;
}

/** A skill as the documentation describes it, without any of the service's code. */
class Model {
  readonly versions: Version[] = [];
  readonly channels = new Map<string, Version>();

  get releases(): Version[] {
    return this.versions.filter((one) => semver.prerelease(one.semver) === null);
  }

  /** The version, if a channel or a range may select it. */
  able(one: Version | undefined): Version | undefined {
    return one?.state === "published" || one?.state === "deprecated" ? one : undefined;
  }

  get current(): Version | undefined {
    const able = this.releases.filter((one) => this.able(one));
    return highest(able.filter(({ pointed }) => pointed)) ?? highest(able);
  }

  publish(next: string): void {
    this.versions.push({ number: this.versions.length + 1, semver: next, state: "published", pointed: true });
  }

  revert(to: Version): void {
    for (const one of this.releases) one.pointed = semver.lte(one.semver, to.semver);
  }

  release(one: Version): void {
    const before = this.current;
    one.state = "published";
    if (before && semver.prerelease(one.semver) === null && semver.gt(one.semver, before.semver))
      for (const other of this.releases) if (semver.lte(other.semver, one.semver)) other.pointed = true;
  }

  /** Removes the channels that point to a version. */
  cut(target: Version): void {
    for (const [name, one] of this.channels) if (one === target) this.channels.delete(name);
  }

  /** The semver that a reader gets for a pin. */
  resolve(pin: string): string | undefined {
    const { current } = this;
    if (pin === "latest") return current?.semver;
    if (channels.includes(pin)) return this.able(this.channels.get(pin))?.semver;
    const exact = this.versions.find((one) => one.semver === pin || String(one.number) === pin);
    if (exact) return exact.state === "held" || exact.state === "rejected" ? undefined : exact.semver;
    if (current && semver.satisfies(current.semver, pin)) return current.semver;
    const able = this.versions.filter((one) => this.able(one));
    return highest(able.filter((one) => semver.satisfies(one.semver, pin)))?.semver;
  }
}

function highest(versions: Version[]): Version | undefined {
  return versions.toSorted((a, b) => semver.rcompare(a.semver, b.semver))[0];
}

const channels = ["stable", "beta", "next"];
const pins = [
  ...channels,
  "latest",
  "1",
  "2",
  "5",
  "1.0.0",
  "1.0.1",
  "1.1.0",
  "^1.0.0",
  "~1.0.0",
  ">1.0.0",
  "2.x",
  ">=1.0.0 <1.1.0",
  "^1.0.1-0",
];

const { service, owner, org } = await setUpOrganization();
const reader = await newMember(service, org, "viewer");

async function assertAgrees(
  skill: Awaited<ReturnType<typeof newVersionedSkill>>,
  model: Model,
  told: string,
): Promise<void> {
  const get = (path: string) => service.call<never>("GET", path, { token: reader.token });
  for (const pin of pins) {
    const answer = await service.call<{ version: VersionPayload }>(
      "GET",
      `/api/skills/resolve?ref=${org.slug}/${skill.slug}&version=${encodeURIComponent(pin)}`,
      { token: reader.token },
    );
    assert.equal(answer.data?.version.semver, model.resolve(pin), `${pin} after ${told}`);
  }
  const { current } = model;
  const shown = await service.call<VersionPayload[]>(
    "GET",
    `/api/skills/${skill.id}/versions?prerelease=true&limit=100`,
    { token: reader.token },
  );
  const seen = model.versions.filter(({ state }) => state !== "held" && state !== "rejected");
  assert.deepEqual(
    shown.data.map((one) => [one.semver, one.state, one.current]),
    seen.map((one) => [one.semver, one.state, one === current]).toReversed(),
    told,
  );
  const named = await service.call<ChannelPayload[]>("GET", `/api/skills/${skill.id}/channels`, {
    token: reader.token,
  });
  assert.deepEqual(
    named.data.map(({ name, semver: at }) => [name, at]),
    [...model.channels]
      .map(([name, one]) => [name, model.able(one)?.semver ?? null])
      .toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1)),
    told,
  );
  const detail = await get(`/api/skills/${skill.id}`);
  assert.equal(detail.status, 200);
  const text = await get(`/api/skills/${skill.id}/content`);
  assert.equal(text.status, current ? 200 : 404, told);
}

/** Compares the branch and the tags that a stranger's clone offers. */
async function assertRefsAgree(slug: string, model: Model, told: string): Promise<void> {
  await service.settled();
  const path = `/${org.slug}/${slug}.git/info/refs?service=git-upload-pack`;
  const text = await (await service.raw("GET", path)).text();
  const refs = new Map(
    [...text.matchAll(/([0-9a-f]{40}) (refs\/[^\s\0]+)/g)].map(([, oid, name]) => [name!, oid!]),
  );
  const seen = model.versions.filter(({ state }) => state !== "held" && state !== "rejected");
  assert.deepEqual(
    [...refs.keys()].filter((name) => name.startsWith("refs/tags/")).toSorted(),
    seen.map((one) => `refs/tags/v${one.semver}`).toSorted(),
    told,
  );
  const { current } = model;
  assert.equal(refs.get("refs/heads/main"), current && refs.get(`refs/tags/v${current.semver}`), told);
}

const acts = "publish prerelease revert deprecate yank hold release reject channel channel delete".split(" ");

describe("the states of versions", () => {
  for (const seed of [1, 2, 3, 4])
    it(`agree with the model after each of many changes (${seed})`, async () => {
      const random = openRandom(seed);
      const skill = await newVersionedSkill({ service, user: owner, org, name: `States ${seed}` });
      await service.call("PUT", `/api/skills/${skill.id}`, {
        token: owner.token,
        body: { visibility: "public" },
      });
      const model = new Model();
      model.publish("1.0.0");
      const mark = (one: Version, body: object) =>
        service.call("PATCH", `/api/skills/${skill.id}/versions/${one.semver}`, { token: owner.token, body });
      const hidden = ({ state }: Version) => state === "held" || state === "rejected";
      const told: string[] = [];
      for (let step = 0; step < 36; step++) {
        const one = random.pick(model.versions);
        const act = random.pick(acts);
        const channel = random.pick(channels);
        const path = `/api/skills/${skill.id}/channels/${channel}`;
        let status = 200;
        if (act === "publish" || act === "prerelease") {
          const body = act === "publish" ? { bump: random.pick(["patch", "minor"]) } : { prerelease: "rc" };
          const made = await skill.push(body);
          assert.equal(made.status, 201, JSON.stringify(made.body));
          model.publish(made.data.semver);
        } else if (act === "revert") {
          ({ status } = await skill.revert(one.semver));
          const may = !semver.prerelease(one.semver) && !hidden(one) && one.state !== "yanked";
          assert.equal(status, may ? 200 : 422, `revert to ${one.semver}`);
          // A revert to the current version changes nothing.
          if (may && one !== model.current) model.revert(one);
        } else if (act === "deprecate" || act === "yank") {
          const isOn = act === "deprecate" ? one.state !== "deprecated" : one.state !== "yanked";
          if (act === "deprecate" && one.state === "yanked") continue;
          if (act === "yank" && one.state === "deprecated") await mark(one, { deprecated: null });
          if (act === "yank" && one.state === "deprecated") one.state = "published";
          const force = random.once(2) || undefined;
          const isKept = act === "yank" && isOn && !force && [...model.channels.values()].includes(one);
          ({ status } = await mark(
            one,
            act === "yank"
              ? { yanked: isOn, force: isOn ? force : undefined }
              : { deprecated: isOn ? "Old" : null },
          ));
          assert.equal(status, hidden(one) || isKept ? 422 : 200);
          if (!hidden(one) && !isKept) {
            one.state = isOn ? (act === "yank" ? "yanked" : "deprecated") : "published";
            if (one.state === "yanked") model.cut(one);
          }
        } else if (act === "channel") {
          ({ status } = await service.call("PUT", path, {
            token: owner.token,
            body: { version: one.semver },
          }));
          assert.equal(status, model.able(one) ? 200 : 422);
          if (model.able(one)) model.channels.set(channel, one);
        } else if (act === "delete") {
          ({ status } = await service.call("DELETE", path, { token: owner.token }));
          assert.equal(status, model.channels.delete(channel) ? 200 : 404);
        } else if (act === "reject" && one.state === "held") {
          await changeState(service.app, "service", skill.id, one.semver, {
            load: async () => ({ ...(await service.app.storage.skills.find(skill.id))!, can: skillActs }),
            change: () => ({ rejected: "Harmful" }),
          });
          one.state = "rejected";
          model.cut(one);
        } else if (act === "hold" && one.state === "published") {
          await holdVersion(service.app, skill.id, one.number, "scan");
          one.state = "held";
        } else if (act === "release" && one.state === "held") {
          await releaseVersion(service.app, skill.id, one.number, "scan");
          model.release(one);
        }
        told.push(`${act} ${one.semver}`);
        await assertAgrees(skill, model, told.join(", "));
        if (step % 10 === 9) await assertRefsAgree(skill.slug, model, told.join(", "));
      }
    });

  it("decide what a clone gets, by names and by ids", async () => {
    const skill = await newVersionedSkill({ service, user: owner, org, name: "Cloned" });
    await service.call("PUT", `/api/skills/${skill.id}`, {
      token: owner.token,
      body: { visibility: "public" },
    });
    const second = (await skill.push()).data;
    await holdVersion(service.app, skill.id, 2, "scan");
    const third = (await skill.push()).data;
    await service.settled();
    const folder = await mkdtemp(join(tmpdir(), "states-"));
    // Asynchronous, since the service runs in this process.
    const git = async (cwd: string, ...args: string[]) =>
      (await promisify(execFile)("git", args, { cwd, env: plainGitEnv })).stdout;
    const url = `${service.url}/${org.slug}/${skill.slug}.git`;
    try {
      await git(folder, "clone", "--quiet", url, "copy");
      const copy = join(folder, "copy");

      assert.equal((await git(copy, "rev-parse", "HEAD")).trim(), third.commit);
      assert.equal((await git(copy, "log", "--format=%H")).includes(second.commit), false);
      await assert.rejects(git(copy, "fetch", "--quiet", "origin", second.commit), /400|not our ref/);
      await releaseVersion(service.app, skill.id, 2, "scan");
      await service.settled();
      await git(copy, "fetch", "--quiet", "--tags", "origin");
      assert.equal((await git(copy, "rev-parse", "v1.0.1")).trim(), second.commit);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it("agree with each other after changes by several callers at once", async () => {
    const random = openRandom(9);
    const skill = await newVersionedSkill({ service, user: owner, org, name: "States at once" });
    for (let round = 0; round < 12; round++) {
      await Promise.all(
        Array.from({ length: 4 }, async () => {
          const number = 1 + random.below(round + 1);
          const act = random.below(7);
          const path = `/api/skills/${skill.id}/channels/${random.pick(channels)}`;
          if (act === 0) await skill.push();
          else if (act === 1) await skill.revert(number);
          else if (act === 2) await holdVersion(service.app, skill.id, number, "scan").catch(() => undefined);
          else if (act === 3)
            await releaseVersion(service.app, skill.id, number, "scan").catch(() => undefined);
          else if (act === 4)
            await service.call("PATCH", `/api/skills/${skill.id}/versions/${number}`, {
              token: owner.token,
              body: random.pick([{ yanked: true }, { yanked: true, force: true }, { yanked: false }]),
            });
          else if (act === 5)
            await service.call("PUT", path, { token: owner.token, body: { version: number } });
          else await service.call("DELETE", path, { token: owner.token });
        }),
      );
      const listed = await service.call<VersionPayload[]>(
        "GET",
        `/api/skills/${skill.id}/versions?limit=100`,
        { token: owner.token },
      );
      const able = listed.data.filter(({ state }) => state === "published");
      const current = listed.data.filter((one) => one.current);
      assert.equal(current.length, able.length > 0 ? 1 : 0);
      assert.ok(current.every((one) => able.includes(one)));
      assert.equal(await skill.pin("latest"), current[0]?.semver ?? "not_found");
      assert.equal(await skill.read(), current[0]?.semver ?? "not_found");
      for (const name of channels) {
        const target = listed.data.find((one) => one.channels?.includes(name));
        assert.ok(target?.state !== "yanked" && target?.state !== "rejected", `${name} ${target?.state}`);
        assert.equal(await skill.pin(name), target?.state === "published" ? target.semver : "not_found");
      }
    }
  });
});
