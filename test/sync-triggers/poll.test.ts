/** Changes without a webhook: a branch that is reset or deleted is found by polling, over real smart HTTP. */
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it } from "node:test";
import { runGit } from "../support/git-host.ts";
import { edited, hourMs, startHosted, type Connected, type Hosted } from "../support/sync/hosted.ts";

const pollMs = 6 * 60_000;

let hosted: Hosted;
before(async () => {
  hosted = await startHosted();
});
beforeEach(() => hosted.host.calm());
after(() => hosted.close());

/** A connection in sync, with one skill in the branch. */
async function inStep(): Promise<Connected> {
  const side = await hosted.connected();
  await hosted.publish(side, "Kept", "at first");
  await hosted.run(side);
  await hosted.wait(side, pollMs);
  return side;
}

const headOf = ({ repository }: Connected) => runGit(repository.directory, "rev-parse", "main");
const resetTo = ({ repository }: Connected, commit: string) =>
  runGit(repository.directory, "update-ref", "refs/heads/main", commit);

describe("a polled branch", () => {
  it("is synced if it is reset to the state before our push", async () => {
    const side = await inStep();
    const earlier = headOf(side);
    await hosted.publish(side, "Late", "pushed");
    await hosted.run(side);
    assert.notEqual(headOf(side), earlier);

    resetTo(side, earlier);
    await hosted.wait(side, pollMs);

    const { connection } = await hosted.state(side);
    assert.equal(connection.lastCommit, headOf(side));
    await hosted.assertInStep(side);
  });

  it("requests no sync as long as it is where the last one left it", async () => {
    const side = await inStep();
    const wanted = async () => (await hosted.service.app.storage.connections.find(side.id))!.wanted;
    const first = await wanted();

    for (let i = 0; i < 3; i++) await hosted.wait(side, pollMs);

    assert.equal(await wanted(), first);
  });

  it("does not shorten the delay after a failed sync if it is unchanged", async () => {
    const side = await inStep();
    side.repository.pull();
    side.repository.commit({ "skills/kept/SKILL.md": edited("kept", "there") });
    await hosted.host.trouble({ on: "fetch", answer: { status: 502 } });
    for (let i = 0; i < 2; i++) await hosted.wait(side, pollMs);
    const wanted = async () => (await hosted.service.app.storage.connections.find(side.id))!.wanted;
    const first = await wanted();

    await hosted.wait(side, pollMs);

    assert.equal(await wanted(), first);
  });

  it("is reported as missing once it is deleted", async () => {
    const side = await inStep();
    runGit(side.repository.directory, "branch", "other", "main");
    runGit(side.repository.directory, "update-ref", "-d", "refs/heads/main");

    await hosted.wait(side, pollMs);

    await hosted.assertTold(side, "blocked", "branch_missing");
  });
});

describe("a sync by hand that is blocked", () => {
  it("restores everything once its cause is gone, without another request", async () => {
    const side = await inStep();
    await hosted.publish(side, "Gone", "there at first");
    await hosted.run(side);
    side.repository.pull();
    side.repository.commit({ "skills/gone/SKILL.md": null, "skills/gone/.svc.json": null });
    await hosted.host.trouble({ on: "fetch-refs", answer: { status: 401 } });
    await hosted.service.call("POST", `${side.base}/run`, { token: side.owner.token });
    await hosted.run(side);
    for (let i = 0; i < 2; i++) await hosted.wait(side, 2 * hourMs);
    await hosted.assertTold(side, "blocked", "auth_failed");
    const history = await hosted.service.call<{ outcome: string }[]>("GET", `${side.base}/history`, {
      token: side.owner.token,
    });
    assert.equal(history.data.filter(({ outcome }) => outcome === "blocked").length, 1);

    await hosted.host.calm();
    await hosted.wait(side, 2 * hourMs);

    await hosted.assertInStep(side);
    assert.ok(side.repository.paths().includes("skills/gone/SKILL.md"));
  });

  it("runs once: what is deleted there afterwards stays deleted", async () => {
    const side = await inStep();
    side.repository.pull();
    side.repository.commit({ "skills/kept/SKILL.md": null, "skills/kept/.svc.json": null });

    await hosted.wait(side, pollMs);

    await hosted.assertInStep(side);
    assert.ok(!side.repository.paths().includes("skills/kept/SKILL.md"));
  });
});
