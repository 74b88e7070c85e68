import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { LintPayload } from "../../contract/payloads/skills/findings.ts";
import { openCompute } from "../../src/compute/compute.ts";
import { readText } from "../../src/compute/read-text.ts";
import { ServiceError } from "../../src/errors.ts";
import { costlyYaml, unlike, wideTable } from "../support/compute/costly-content.ts";
import { publishSkill } from "../support/organization.ts";
import { packageFiles, publishPackage, zipOf } from "../support/package-files.ts";
import { setUpOrganization } from "../support/set-up.ts";

const { service, owner, org } = await setUpOrganization();

const publishText = (name: string, content: string) =>
  publishSkill(service, org, owner, { name, content, visibility: "public" });

const lint = (content: string, { token = owner.token } = {}) =>
  service.call<LintPayload>("POST", "/api/lint", { token, body: { content } });

/** Number of other requests that are answered before the costly ones are. */
async function answersDuring(costly: Promise<unknown>[]): Promise<number> {
  const over = new AbortController();
  const all = Promise.all(costly).finally(() => over.abort());
  let count = 0;
  for (; !over.signal.aborted; count++) assert.equal((await service.raw("GET", "/healthz")).status, 200);
  await all;
  return count;
}

/** A process that worked on the content itself would answer one or two. */
const enough = 30;

describe("costly content", () => {
  it("is rendered while other requests are answered, and its source is linked if it is too costly", async () => {
    const skills = await Promise.all(
      Array.from({ length: 6 }, (_, n) => publishText(`Wide ${n}`, `${wideTable}\n${n}\n`)),
    );
    await lint("warm\n");
    const pages = skills.map(({ publicId }) => service.raw("GET", `/s/${publicId}`));

    assert.ok((await answersDuring(pages)) >= enough);
    for (const page of await Promise.all(pages)) {
      assert.equal(page.status, 200);
      const text = await page.text();
      assert.match(text, /takes too long to render: <a href="\/s\/\w+\?raw">see the source<\/a>/);
      assert.ok(text.length < 50_000);
    }
    // Known from now on.
    const again = await service.raw("GET", `/s/${skills[0]!.publicId}`);
    assert.match(await again.text(), /takes too long to render/);
    const source = await service.raw("GET", `/s/${skills[0]!.publicId}?raw`);
    assert.ok((await source.text()).startsWith("|a|a"));
    const dashboard = await service.raw("GET", `/${org.slug}/${skills[1]!.slug}`);
    assert.doesNotMatch(await dashboard.text(), /<td>/);
  });

  it("is checked while other requests are answered", async () => {
    await lint(costlyYaml);
    const checks = Array.from({ length: 8 }, () => lint(costlyYaml));

    assert.ok((await answersDuring(checks)) >= enough);
    for (const { status, data } of await Promise.all(checks)) {
      assert.equal(status, 200);
      assert.equal(data.findings[0]?.rule, "frontmatter_yaml");
    }
  });

  it("is compared while other requests are answered", async () => {
    const tree = (salt: number) => ({ ...packageFiles, "n.txt": Buffer.from(unlike(salt)) });
    const { skill } = await publishPackage(service, owner, org, {}, tree(1));
    await service.call("POST", `/api/skills/${skill.id}/versions`, {
      token: owner.token,
      body: { uploadId: await service.upload(owner, zipOf(tree(2))) },
    });
    const differences = [1, 2].map(() =>
      service.call("GET", `/api/skills/${skill.id}/diff?from=1&to=2`, { token: owner.token }),
    );

    assert.ok((await answersDuring(differences)) >= enough);
  });

  it("of one caller is refused when there is too much, and that of others is processed", async () => {
    const other = await service.newUser();

    const mine = Array.from({ length: 30 }, () => lint(costlyYaml));
    const theirs = await lint(costlyYaml, { token: other.token });
    const statuses = (await Promise.all(mine)).map(({ status }) => status);

    assert.equal(theirs.status, 200);
    assert.deepEqual(new Set(statuses), new Set([200, 429]));
    assert.ok(statuses.filter((status) => status === 200).length >= 10);
  });

  it("that exceeds a limit is refused by name, and ends no thread for others", async () => {
    const compute = openCompute({ timeMs: 1 });
    const isTooCostly = (error: unknown) => error instanceof ServiceError && error.code === "too_costly";
    try {
      for (let n = 0; n < 3; n++)
        await assert.rejects(readText(compute.by("a"), costlyYaml, "markdown"), isTooCostly);
      assert.equal((await readText(compute.by("a"), "cheap\n", "markdown")).body, "cheap\n");
    } finally {
      await compute.close();
    }
  });
});
