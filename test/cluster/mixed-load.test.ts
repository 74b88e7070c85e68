/**
 * Half an hour of work of an organization with 5,000 skills and 300 people on a cluster of which something is killed
 * every minute. `SVC_MINUTES` sets the time, without which `npm run test:cluster` alone runs it.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { randomInt } from "node:crypto";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { mapLimit } from "../../contract/concurrency/map-limit.ts";
import { listen } from "../events/stream.ts";
import { type Account, callApi } from "../support/http-client.ts";
import { whyMissing } from "../support/proxies/program.ts";
import { checkAnswers, type Skill, startPublishers } from "../support/publishers.ts";
import { isLong } from "../support/run-count.ts";
import { plainEnv, removeFolder, temporaryFolder } from "../support/server.ts";
import { type Cluster, killsOf, startCluster } from "./cluster.ts";
import { during, repeat, startCreators, startReaders, watchAccess } from "./load.ts";
import { newPerson, type Person, prepare } from "./people.ts";
import { startSynced } from "./synced.ts";

const minutes = Number(process.env["SVC_MINUTES"] ?? (isLong ? 30 : 0));
const [skillCount, personCount] = [5000, 300];
const killEveryMs = 60_000;

const clone = promisify(execFile);
const missing = whyMissing("nginx", "redis-server");
const skip = missing ?? (minutes === 0 ? "set SVC_MINUTES, or run npm run test:cluster" : false);

describe("an organization at work on a cluster", { skip }, () => {
  const folder = temporaryFolder("mixed-load");
  let cluster: Cluster;
  let owner: Account;
  let tenantId: string;
  let skills: Skill[];
  let watched: { folderId: string; skillId: string };
  let people: Person[];
  const slugs: string[] = [];

  before(async () => {
    cluster = await startCluster({ drainSeconds: 1 });
    const prepared = await prepare(cluster);
    ({ owner, tenantId, skills, folder: watched } = prepared);
    const names = Array.from({ length: personCount - 2 }, (_, at) => `person-${at}`);
    people = [prepared.member, ...(await mapLimit(names, 8, (name) => newPerson(cluster, tenantId, name)))];
    const areas = Array.from({ length: skillCount }, (_, at) => at);
    await mapLimit(areas, 16, async (at) => {
      const name = `Review of area ${at}`;
      const content = `---\ndescription: Checks changes of area ${at}.\n---\n# ${name}\n\nRead the ${at % 97}th rule.\n`;
      const body = { mode: "create", tenantId, name, content };
      const made = await callApi<{ skill: { slug: string } }>(cluster.url, "POST", "/api/skills", {
        token: owner.token,
        body,
      });
      assert.equal(made.status, 201, made.error);
      slugs.push(made.data.skill.slug);
    });
  });
  after(async () => {
    await cluster?.close();
    removeFolder(folder);
  });

  it("loses no acknowledged write and makes no stale decision", async (t) => {
    const publishers = startPublishers({ skills, token: owner.token, url: () => cluster.url, pauseMs: 300 });
    const creators = startCreators(cluster, owner.token, tenantId, { pauseMs: 300 });
    const watch = watchAccess({ cluster, owner, member: people[0]!, ...watched, pauseMs: 200 });
    const synced = await startSynced(cluster, owner, "synced");
    const skill = () => `/api/skills/acme~${slugs[randomInt(slugs.length)]!}`;
    const readers = startReaders(cluster, {
      tokens: people.map(({ token }) => token),
      targets: () => {
        const kinds = [
          "/api/skills?limit=50",
          `/api/search?query=review+area+${randomInt(skillCount)}`,
          skill(),
          `${skill()}/content`,
          `${skill()}/versions`,
          `/api/tenants/${tenantId}/folders`,
          "/api/user/profile",
        ];
        return kinds[randomInt(kinds.length)]!;
      },
      clients: 12,
      pauseMs: 100,
    });
    let [streams, clones, failedClones] = [0, 0, 0];
    const listeners = people.slice(0, 20).map(({ token }) =>
      repeat(async () => {
        const stream = await listen({ url: cluster.url } as never, "/api/events", { token }).catch(
          () => undefined,
        );
        streams++;
        for (let waited = 0; waited < 300 && stream?.isEnded() === false; waited++) await sleep(100);
        stream?.close();
        await sleep(1000);
      }),
    );
    const cloner = repeat(async () => {
      const into = path.join(folder, String(clones + failedClones));
      const address = `${cluster.url.replace("//", `//x:${owner.token}@`)}/acme/${slugs[randomInt(slugs.length)]!}.git`;
      await clone("git", ["clone", "-q", address, into], {
        env: plainEnv({ GIT_TERMINAL_PROMPT: "0" }),
      }).then(
        () => clones++,
        () => failedClones++,
      );
      removeFolder(into);
      await sleep(2000);
    });

    const kills = Object.entries(killsOf(cluster));
    const killed: string[] = [];
    const all = [publishers, creators, watch, synced, readers, cloner, ...listeners];
    const endAt = performance.now() + minutes * 60_000;
    await during(all, async () => {
      for (let at = 0; performance.now() + killEveryMs < endAt; at++) {
        await sleep(killEveryMs / 2);
        const [kind, kill] = kills[at % kills.length]!;
        await kill();
        killed.push(kind);
        assert.ok(await publishers.acknowledged(3, 120_000), `no publish after the kill of ${kind}`);
        await sleep(killEveryMs / 2);
      }
    });

    const times = readers.times.toSorted((a, b) => a - b);
    const p = (share: number) => Math.round(times[Math.floor(times.length * share)] ?? 0);
    t.diagnostic(`${minutes} minutes; killed: ${killed.join(", ")}`);
    t.diagnostic(
      `reads: ${times.length}, of which ${readers.unavailable()} met a killed process; p50 ${p(0.5)} ms, p95 ${p(0.95)} ms, p99 ${p(0.99)} ms`,
    );
    t.diagnostic(
      `publishes: ${publishers.count("acknowledged")} acknowledged, ${publishers.count("cut")} cut off, ${publishers.count("unavailable")} unavailable`,
    );
    t.diagnostic(
      `creations: ${creators.acknowledged.length} acknowledged, ${creators.failed()} requests repeated; decisions: ${watch.asked()}; ` +
        `edits: ${synced.edits()}; clones: ${clones}, ${failedClones} failed; streams: ${streams}`,
    );
    const refused = publishers.attempts.filter(({ outcome }) => outcome === "refused");
    assert.deepEqual(
      refused.map(({ answer }) => answer),
      [],
    );
    assert.deepEqual(readers.failures, []);
    assert.deepEqual(watch.stale, []);
    const found = await cluster.storage.database.raw
      .collection("skills")
      .find({ tenantId, name: { $in: [...creators.acknowledged] } }, { projection: { name: 1 } })
      .toArray();
    assert.deepEqual(found.map(({ name }) => String(name)).toSorted(), creators.acknowledged.toSorted());
    const service = { url: cluster.url, token: owner.token, gitRoot: cluster.gitRoot };
    const { versions, uncertain } = await checkAnswers(service, skills, publishers.attempts);
    const checked = await synced.check();
    t.diagnostic(
      `versions: ${versions}, ${uncertain} of them unacknowledged; ${checked.versions} of the repository`,
    );
  });
});
