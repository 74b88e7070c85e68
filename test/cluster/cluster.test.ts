/**
 * Several processes of the service as one: what one begins another completes, limits and live updates are common, and
 * nothing acknowledged is lost, repeated or stale while any of them, Redis or the database is killed. `SVC_RUNS` sets
 * the number of rounds.
 */
import assert from "node:assert/strict";
import { randomInt } from "node:crypto";
import { after, before, describe, it } from "node:test";
import type { ChangePayload } from "../../contract/payloads/service/events.ts";
import { listen } from "../events/stream.ts";
import { type Account, callApi } from "../support/http-client.ts";
import { whyMissing } from "../support/proxies/program.ts";
import { checkAnswers, type Skill, startPublishers } from "../support/publishers.ts";
import { runCount } from "../support/run-count.ts";
import { until } from "../support/until.ts";
import { type Cluster, killsOf, startCluster } from "./cluster.ts";
import { during, startCreators, startReaders, watchAccess } from "./load.ts";
import { type Person, prepare } from "./people.ts";
import { signInAcross, uploadAcross, useOauthAcross } from "./steps.ts";
import { startSynced } from "./synced.ts";

const rounds = runCount(1, 20);
const restarts = runCount(1, 10);
/** Shorter than the default, which only waits for slower load balancers. */
/** Longer than nginx keeps an idle connection: it then sends nothing into one that closes. */
const drainSeconds = 2;

describe("a cluster", { skip: whyMissing("nginx", "redis-server") }, () => {
  let cluster: Cluster;
  let owner: Account;
  let member: Person;
  let tenantId: string;
  let skills: Skill[];
  let folder: { folderId: string; skillId: string };

  before(async () => {
    cluster = await startCluster({ drainSeconds, env: { SSO_PRIVATE_NETWORK: "true" } });
    ({ owner, member, tenantId, skills, folder } = await prepare(cluster));
  });
  after(() => cluster?.close());

  it("completes uploads that another process began", () => uploadAcross(cluster, owner, tenantId));

  it("completes the authorization of a program across processes", () =>
    useOauthAcross(cluster, owner, tenantId));

  it("completes sign-ins through a provider across processes", () => signInAcross(cluster, owner, tenantId));

  it("counts limits for all processes together", async () => {
    const nodes = await Promise.all(
      [1, 2].map(() => cluster.addApi({ RATE_LIMITS: "true", TRUST_PROXY: "false" })),
    );
    const statuses: number[] = [];
    for (let at = 0; at < 30; at++) {
      const body = { email: `stranger-${at}@example.com`, password: "wrong horse battery" };
      statuses.push((await callApi(nodes[at % 2]!.url, "POST", "/api/auth/sign-in", { body })).status);
    }
    assert.equal(statuses.filter((status) => status !== 429).length, 20, statuses.join(" "));
    await Promise.all(nodes.map((node) => node.kill()));
  });

  it("reports a change of any process to the listeners of every process", async () => {
    const streams = await Promise.all(
      cluster.apis.map(({ url }) =>
        listen<ChangePayload>({ url } as never, "/api/events", { token: owner.token }),
      ),
    );
    try {
      for (const { url } of cluster.apis) {
        const seen = streams.map((stream) => stream.of("change").length);
        const body = { content: `# Changed at ${url}\n` };
        const target = `/api/skills/${folder.skillId}/versions`;
        const changed = await callApi(url, "POST", target, { token: owner.token, body });
        assert.equal(changed.status, 201, changed.error);
        const changedAt = performance.now();
        await until("every listener", () => streams.every((one, at) => one.of("change").length > seen[at]!));
        assert.ok(performance.now() - changedAt < 4000, "within seconds");
      }
    } finally {
      for (const stream of streams) stream.close();
    }
  });

  it("loses, repeats and permits nothing while processes, Redis and the database are killed", async (t) => {
    const publishers = startPublishers({ skills, token: owner.token, url: () => cluster.url });
    const creators = startCreators(cluster, owner.token, tenantId);
    const watch = watchAccess({ cluster, owner, member, ...folder });
    const synced = await startSynced(cluster, owner, "synced");
    const kills = killsOf(cluster);
    const startedAt = performance.now();
    const tell = (text: string) =>
      t.diagnostic(`${Math.round((performance.now() - startedAt) / 1000)} s: ${text}`);
    const loops = [publishers, creators, watch, synced];
    await during(loops, async () => {
      for (let round = 0; round < rounds; round++)
        for (const [kind, kill] of Object.entries(kills)) {
          assert.ok(await publishers.acknowledged(3, 120_000), `no publish before the kill of ${kind}`);
          await kill();
          assert.ok(await publishers.acknowledged(3, 120_000), `no publish after the kill of ${kind}`);
          if (round === rounds - 1) tell(`${kind} killed for the last time`);
        }
    });

    const count = (outcome: Parameters<typeof publishers.count>[0]) => publishers.count(outcome);
    tell(
      `${count("acknowledged")} publishes acknowledged, ${count("cut")} cut off, ${count("unavailable")} unavailable; ` +
        `${creators.acknowledged.length} creations acknowledged, ${creators.failed()} repeated; ` +
        `${watch.asked()} decisions; ${synced.edits()} edits in the repository`,
    );
    const refused = publishers.attempts
      .filter(({ outcome }) => outcome === "refused")
      .map(({ answer }) => answer);
    assert.deepEqual(refused, []);
    assert.deepEqual(watch.stale, []);
    assert.ok(watch.asked() > 0 && creators.acknowledged.length > 0 && synced.edits() > 0);
    await assertMadeOnce(creators.acknowledged);
    const service = { url: cluster.url, token: owner.token, gitRoot: cluster.gitRoot };
    const { versions, uncertain } = await checkAnswers(service, skills, publishers.attempts);
    tell("publishes checked");
    const checked = await synced.check();
    tell(`${versions} versions, ${uncertain} of them unacknowledged; ${checked.versions} of the repository`);
  });

  /** Counts records, since a list could leave a second one out. */
  async function assertMadeOnce(names: readonly string[]): Promise<void> {
    const found = await cluster.storage.database.raw
      .collection("skills")
      .find({ tenantId, name: { $in: [...names] } }, { projection: { name: 1 } })
      .toArray();
    assert.deepEqual(found.map(({ name }) => String(name)).toSorted(), names.toSorted());
  }

  it("fails no request while all processes are restarted one after the other", async (t) => {
    const publishers = startPublishers({ skills, token: owner.token, url: () => cluster.url });
    const creators = startCreators(cluster, owner.token, tenantId);
    const watch = watchAccess({ cluster, owner, member, ...folder });
    const targets = [
      "/api/user/profile",
      `/api/tenants/${tenantId}/folders`,
      `/api/skills?limit=20`,
      `/api/skills/${skills[0]!.id}/content`,
      `/api/skills/${skills[0]!.id}/versions`,
      "/healthz",
    ];
    const readers = startReaders(cluster, {
      tokens: [owner.token],
      targets: () => targets[randomInt(targets.length)]!,
      clients: 3,
      pauseMs: 5,
    });
    await during([publishers, creators, watch, readers], async () => {
      for (let round = 0; round < restarts; round++)
        for (const node of [...cluster.apis, ...cluster.workers]) {
          await node.stop();
          await node.start();
        }
    });

    const failed = publishers.attempts.filter(({ outcome }) => outcome !== "acknowledged");
    t.diagnostic(
      `${publishers.count("acknowledged")} publishes, ${creators.acknowledged.length} creations, ` +
        `${failed.length} publishes cut, ${readers.times.length} reads, ${watch.asked()} decisions`,
    );
    // A proxy does not repeat a POST that it has sent: one that arrives in the moment in which a process closes its
    // listener is cut. Clients repeat those with an Idempotency-Key, which are the creations.
    const cut = failed.filter(({ outcome }) => outcome === "cut");
    assert.deepEqual(
      failed.filter((one) => !cut.includes(one)).map(({ outcome, answer }) => `${outcome}: ${answer}`),
      [],
    );
    const restarted = restarts * cluster.apis.length;
    assert.ok(cut.length <= restarted, `${cut.length} cut in ${restarted} restarts`);
    assert.deepEqual([readers.failures, readers.unavailable()], [[], 0]);
    assert.ok(creators.failed() <= restarted, `${creators.failed()} creations sent again`);
    assert.deepEqual(watch.stale, []);
    await assertMadeOnce(creators.acknowledged);
  });
});
