/** After an import: one commit that reports it, and then nothing, however often a sync runs. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { runGit } from "../support/host/git-host.ts";
import { closedAfter } from "../support/set-up.ts";
import { edited, startHosted, type Connected } from "../support/sync/hosted.ts";

const hosted = await closedAfter(startHosted());

const requests = (step: string) => hosted.host.asked.filter((asked) => asked.step === step).length;
const commitsOf = ({ repository }: Connected) =>
  Number(runGit(repository.directory, "rev-list", "--count", "main"));

async function versionsOf(customer: Connected, slug: string): Promise<number> {
  const { data } = await hosted.service.call<unknown[]>(
    "GET",
    `/api/skills/${customer.org.slug}~${slug}/versions`,
    { token: customer.owner.token },
  );
  return data.length;
}

/** Syncs as long as a sync is requested; returns the number of commits and pushes. */
async function untilStill(customer: Connected): Promise<{ commits: number; pushes: number; runs: number }> {
  const [commits, pushes] = [commitsOf(customer), requests("push")];
  let runs = 0;
  do {
    runs++;
    assert.ok(runs < 6, "it never rests");
    await hosted.run(customer);
    await hosted.service.settled();
  } while ((await hosted.state(customer)).connection.pending);
  await hosted.assertInStep(customer);
  return { commits: commitsOf(customer) - commits, pushes: requests("push") - pushes, runs };
}

async function askAgain(customer: Connected): Promise<void> {
  await hosted.service.call("POST", `${customer.base}/run`, { token: customer.owner.token });
}

describe("after an import", () => {
  const forms: [what: string, text: string, full: string][] = [
    ["in the service's own format", edited("fresh", "one"), edited("fresh", "two")],
    ["without frontmatter", "# Fresh\n\nThe first paragraph.\n", "# Fresh\n\nAnother first paragraph.\n"],
    [
      "without a description",
      "---\nname: fresh\n---\n# Fresh\n\nThe first paragraph.\n",
      "---\nname: fresh\n---\n# Fresh\n\nAnother one.\n",
    ],
    [
      "with more fields in its frontmatter, in another order",
      "---\nlicense: MIT\ntags: [a, b]\ndescription: >\n  Folded\n  text.\nname: other\n---\nbody\n",
      "---\nlicense: MIT\ntags: [b]\ndescription: >\n  Folded\n  text.\nname: other\n---\nbody two\n",
    ],
    ["with CRLF line ends", "# Fresh\r\n\r\none\r\n", "# Fresh\r\n\r\ntwo\r\n"],
  ];
  for (const [what, text, next] of forms)
    it(`of a text ${what} there is one commit, no second version, and then nothing`, async () => {
      const customer = await hosted.connected();
      await untilStill(customer);
      customer.repository.pull();
      customer.repository.commit({ "skills/fresh/SKILL.md": text });
      await askAgain(customer);

      const created = await untilStill(customer);

      assert.deepEqual([created.commits, created.pushes], [1, 1]);
      assert.ok(created.runs <= 2, `${created.runs} syncs`);
      assert.equal(await versionsOf(customer, "fresh"), 1);

      customer.repository.pull();
      customer.repository.commit({ "skills/fresh/SKILL.md": next });
      await askAgain(customer);
      const changed = await untilStill(customer);
      assert.deepEqual([changed.commits, changed.pushes], [1, 1]);
      assert.equal(await versionsOf(customer, "fresh"), 2);

      // The service's own content, with an edit in it.
      customer.repository.pull();
      const written = customer.repository.show("skills/fresh/SKILL.md");
      customer.repository.commit({ "skills/fresh/SKILL.md": `${written}\nmore\n` });
      await askAgain(customer);
      const again = await untilStill(customer);
      assert.deepEqual([again.commits, again.pushes], [1, 1]);
      assert.equal(await versionsOf(customer, "fresh"), 3);
    });

  it("a sync without changes sends nothing, and fetches nothing", async () => {
    const customer = await hosted.connected();
    await hosted.publish(customer, "Still", "one");
    await untilStill(customer);
    const sent = ["push", "push-refs", "fetch"].map(requests);
    const looked = requests("fetch-refs");
    await askAgain(customer);

    const nothing = await untilStill(customer);

    assert.deepEqual(nothing, { commits: 0, pushes: 0, runs: 1 });
    assert.deepEqual(["push", "push-refs", "fetch"].map(requests), sent);
    assert.equal(requests("fetch-refs"), looked + 1);
  });
});
