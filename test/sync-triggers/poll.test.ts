/** Changes without a webhook: a branch that is reset or deleted is found by polling, over real smart HTTP. */
import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import { runGit } from "../support/host/git-host.ts";
import { closedAfter } from "../support/set-up.ts";
import { edited, hourMs, startHosted, type Connected } from "../support/sync/hosted.ts";

const pollMs = 6 * 60_000;

const hosted = await closedAfter(startHosted());

beforeEach(() => hosted.host.calm());

/** A connection in sync, with one skill in the branch. */
async function inStep(): Promise<Connected> {
  const customer = await hosted.connected();
  await hosted.publish(customer, "Kept", "at first");
  await hosted.run(customer);
  await hosted.wait(customer, pollMs);
  return customer;
}

const headOf = ({ repository }: Connected) => runGit(repository.directory, "rev-parse", "main");
const resetTo = ({ repository }: Connected, commit: string) =>
  runGit(repository.directory, "update-ref", "refs/heads/main", commit);

describe("a polled branch", () => {
  it("is synced if it is reset to the state before our push", async () => {
    const customer = await inStep();
    const earlier = headOf(customer);
    await hosted.publish(customer, "Late", "pushed");
    await hosted.run(customer);
    assert.notEqual(headOf(customer), earlier);

    resetTo(customer, earlier);
    await hosted.wait(customer, pollMs);

    const { connection } = await hosted.state(customer);
    assert.equal(connection.lastCommit, headOf(customer));
    await hosted.assertInStep(customer);
  });

  it("requests no sync as long as it is where the last one left it", async () => {
    const customer = await inStep();
    const wanted = async () => (await hosted.service.app.storage.connections.find(customer.id))!.wanted;
    const first = await wanted();

    for (let i = 0; i < 3; i++) await hosted.wait(customer, pollMs);

    assert.equal(await wanted(), first);
  });

  it("does not shorten the delay after a failed sync if it is unchanged", async () => {
    const customer = await inStep();
    customer.repository.pull();
    customer.repository.commit({ "skills/kept/SKILL.md": edited("kept", "there") });
    await hosted.host.trouble({ on: "fetch", answer: { status: 502 } });
    for (let i = 0; i < 2; i++) await hosted.wait(customer, pollMs);
    const wanted = async () => (await hosted.service.app.storage.connections.find(customer.id))!.wanted;
    const first = await wanted();

    await hosted.wait(customer, pollMs);

    assert.equal(await wanted(), first);
  });

  it("is not read while its organization awaits erasure, and again once that is taken back", async () => {
    const [customer, other] = [await inStep(), await inStep()];
    const { tenants, connections } = hosted.service.app.storage;
    const { tenantId, headOid } = (await connections.find(customer.id))!;
    customer.repository.pull();
    customer.repository.commit({ "skills/kept/SKILL.md": edited("kept", "there") });
    const now = hosted.service.app.now();
    await tenants.change(tenantId, { set: { deletionAt: new Date(now.getTime() + 30 * 24 * hourMs) }, now });

    await hosted.wait(other, pollMs);

    const waiting = (await connections.find(customer.id))!;
    assert.deepEqual([waiting.headOid, waiting.wanted], [headOid, waiting.done]);
    await tenants.change(tenantId, { unset: ["deletionAt"], now });
    await hosted.wait(customer, pollMs);
    await hosted.assertInStep(customer);
  });

  it("gets what was published just before the deletion of its organization once that is taken back", async () => {
    const customer = await inStep();
    const path = `/api/tenants/${customer.org.slug}`;
    const call = { token: customer.owner.token };
    const files = () => runGit(customer.repository.directory, "ls-tree", "-r", "--name-only", "main");
    await hosted.publish(customer, "Unpushed", "text");
    assert.equal((await hosted.service.call("DELETE", path, call)).status, 200);
    await hosted.run(customer);
    assert.doesNotMatch(files(), /unpushed/);

    const restored = await hosted.service.call("POST", `${path}/restore`, { ...call, body: {} });
    assert.equal(restored.status, 200);
    await hosted.service.settled();
    await hosted.wait(customer, pollMs);

    assert.match(files(), /unpushed/);
  });

  it("is reported as missing once it is deleted", async () => {
    const customer = await inStep();
    runGit(customer.repository.directory, "branch", "other", "main");
    runGit(customer.repository.directory, "update-ref", "-d", "refs/heads/main");

    await hosted.wait(customer, pollMs);

    await hosted.assertReported(customer, "blocked", "branch_missing");
  });
});

describe("a sync by hand that is blocked", () => {
  it("restores everything once its cause is gone, without another request", async () => {
    const customer = await inStep();
    await hosted.publish(customer, "Gone", "there at first");
    await hosted.run(customer);
    customer.repository.pull();
    customer.repository.commit({ "skills/gone/SKILL.md": null, "skills/gone/.svc.json": null });
    await hosted.host.trouble({ on: "fetch-refs", answer: { status: 401 } });
    await hosted.service.call("POST", `${customer.base}/run`, { token: customer.owner.token });
    await hosted.run(customer);
    for (let i = 0; i < 2; i++) await hosted.wait(customer, 2 * hourMs);
    await hosted.assertReported(customer, "blocked", "auth_failed");
    const history = await hosted.service.call<{ outcome: string }[]>("GET", `${customer.base}/history`, {
      token: customer.owner.token,
    });
    assert.equal(history.data.filter(({ outcome }) => outcome === "blocked").length, 1);

    await hosted.host.calm();
    await hosted.wait(customer, 2 * hourMs);

    await hosted.assertInStep(customer);
    assert.ok(customer.repository.paths().includes("skills/gone/SKILL.md"));
  });

  it("runs once: what is deleted there afterwards stays deleted", async () => {
    const customer = await inStep();
    customer.repository.pull();
    customer.repository.commit({ "skills/kept/SKILL.md": null, "skills/kept/.svc.json": null });

    await hosted.wait(customer, pollMs);

    await hosted.assertInStep(customer);
    assert.ok(!customer.repository.paths().includes("skills/kept/SKILL.md"));
  });
});
