/**
 * Failures of a repository or its host, over real smart HTTP: each is reported at the connection, loses no edit of
 * either side, affects nothing else, and ends with its cause.
 */
import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import type { Trouble } from "../support/host/git-host.ts";
import { closedAfter } from "../support/set-up.ts";
import { hourMs, edited, startHosted } from "../support/sync/hosted.ts";

const hosted = await closedAfter(startHosted());

beforeEach(() => hosted.host.calm());

describe("a host", async () => {
  const cases: [what: string, trouble: Trouble, status: "blocked" | "failing", code: string][] = [
    ["that asks to wait", limited({ "retry-after": "1200" }), "failing", "rate_limited"],
    ["with too many requests", { on: "fetch", answer: { status: 429 } }, "failing", "rate_limited"],
    [
      "with a secondary limit on pushes",
      { on: "push", answer: { status: 403, body: "You have exceeded a secondary rate limit." } },
      "failing",
      "rate_limited",
    ],
    [
      "that answers with a page",
      {
        on: "fetch-refs",
        answer: { status: 200, headers: { "content-type": "text/html" }, body: "<html>Sign in</html>" },
      },
      "failing",
      "remote_protocol",
    ],
    [
      "that closes the connection in the middle",
      { on: "fetch", cutAfterBytes: 150 },
      "failing",
      "remote_unreachable",
    ],
    ["that fails", { on: "push", answer: { status: 502 } }, "failing", "remote_failed"],
    [
      "that no longer accepts the credentials",
      { on: "fetch-refs", answer: { status: 401 } },
      "blocked",
      "auth_failed",
    ],
    ["that allows only reads", { on: "push", answer: { status: 403 } }, "blocked", "auth_failed"],
    ["without the repository", { on: "fetch-refs", answer: { status: 404 } }, "blocked", "remote_missing"],
  ];
  function limited(headers: Record<string, string>): Trouble {
    return { on: "fetch-refs", answer: { status: 403, headers } };
  }

  const customer = await hosted.connected();
  for (const name of ["Here", "There"]) await hosted.publish(customer, name, "at first");
  await hosted.run(customer);
  await hosted.assertInStep(customer);

  for (const [what, trouble, status, code] of cases)
    it(`${what} is reported as ${code}, and edits of both sides arrive later`, async () => {
      customer.repository.pull();
      customer.repository.commit({ "skills/there/SKILL.md": edited("there", `there, ${what}`) });
      await hosted.publish(customer, "Here", `here, ${what}`);
      await hosted.host.trouble(trouble);

      await hosted.run(customer);

      await hosted.assertReported(customer, status, code);
      await hosted.host.calm();
      await hosted.wait(customer, 2 * hourMs);
      await hosted.assertInStep(customer);
      assert.ok(customer.repository.show("skills/here/SKILL.md").includes(`here, ${what}`));
      assert.ok((await hosted.contentOf(customer, "there")).includes(`there, ${what}`));
      assert.equal(customer.repository.show("a.txt"), "theirs");
    });

  it("whose response to a push is lost is asked for the result", async () => {
    await hosted.publish(customer, "Here", "pushed, and no answer");
    await hosted.host.trouble({ on: "push", loseAnswer: true, times: 1 });

    await hosted.run(customer);
    assert.ok(customer.repository.show("skills/here/SKILL.md").includes("pushed, and no answer"));
    const pushed = customer.repository.head();

    await hosted.wait(customer, 2 * hourMs);
    assert.equal(customer.repository.head(), pushed);
    await hosted.assertInStep(customer);
  });

  it("is not called before its Retry-After, whatever is published in the meantime", async () => {
    const other = await hosted.connected();
    await hosted.host.trouble(limited({ "retry-after": "1200" }));
    await hosted.run(other);
    const { connection } = await hosted.state(other);
    assert.ok(Date.parse(connection.retryAt!) >= hosted.service.app.now().getTime() + 1_190_000);
    const asked = hosted.host.asked.length;

    await hosted.publish(other, "Eager", "now");
    await hosted.run(other);
    await hosted.service.call("POST", `${other.base}/run`, { token: other.owner.token });
    await hosted.run(other);
    assert.equal(hosted.host.asked.length, asked);
    await hosted.wait(other, 15 * 60_000);
    assert.equal((await hosted.state(other)).connection.status, "failing");

    await hosted.host.calm();
    await hosted.wait(other, 10 * 60_000);
    await hosted.assertInStep(other);
    assert.ok(other.repository.paths().includes("skills/eager/SKILL.md"));
  });

  it("fills no history with the same failure", async () => {
    const other = await hosted.connected();
    await hosted.run(other);
    await hosted.host.trouble({ on: "fetch-refs", answer: { status: 401 } });
    for (let i = 0; i < 4; i++) {
      await hosted.publish(other, `Waiting ${i}`, "for access");
      await hosted.run(other);
    }

    const history = await hosted.service.call<{ outcome: string }[]>("GET", `${other.base}/history`, {
      token: other.owner.token,
    });

    assert.deepEqual(
      history.data.map(({ outcome }) => outcome),
      ["blocked", "done"],
    );
  });
});
