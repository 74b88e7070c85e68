/** A repository that an organization has connected, edited by plain git while the cluster is in use. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { mapLimit } from "../../contract/concurrency/map-limit.ts";
import { runGit } from "../support/host/git-host.ts";
import { type Account, callApi, newOrganization } from "../support/http-client.ts";
import { listVersions } from "../support/publishers.ts";
import { until } from "../support/until.ts";
import type { Cluster } from "./cluster.ts";
import { type Loop, repeat } from "./load.ts";

const patienceMs = 240_000;

export interface Synced extends Loop {
  /** Edits that were pushed to the branch. */
  edits(): number;
  /** Waits until both sides have the last edit, and fails if a side has an edit twice or lacks one of its own. */
  check(): Promise<{ versions: number }>;
}

/** Connects a new organization with one skill, and begins to edit it in the repository and in the service. */
export async function startSynced(cluster: Cluster, owner: Account, slug: string): Promise<Synced> {
  const { url } = cluster;
  const { token } = owner;
  const tenantId = await newOrganization(url, owner, slug);
  const remote = path.join(cluster.repositories, tenantId, "skills.git");
  mkdirSync(remote, { recursive: true });
  runGit(remote, "init", "-q", "--bare", "-b", "main");
  const create = (name: string) =>
    callApi<{ skill: { id: string } }>(url, "POST", "/api/skills", {
      token,
      body: { tenantId, name, content: `# ${name}\n` },
    });
  const [edited, published] = [await create("Edited"), await create("Published")];
  assert.deepEqual([edited.status, published.status], [201, 201]);
  const base = `/api/tenants/${tenantId}/repo-sync`;
  const body = { host: "local", url: "skills.git", branch: "main" };
  const made = await callApi(url, "POST", base, { token, body });
  assert.equal(made.status, 201, made.error);
  const inRemote = (name: string) => {
    try {
      return runGit(remote, "show", `main:skills/${name}/SKILL.md`);
    } catch {
      return undefined;
    }
  };
  const details = async () => (await callApi(url, "GET", base, { token })).data;
  const options = { timeoutMs: patienceMs, intervalMs: 100, details };
  await until("the first push", () => inRemote("edited") !== undefined, options);

  const copy = path.join(cluster.repositories, `${slug}-copy`);
  runGit(cluster.repositories, "clone", "-q", remote, copy);
  const marks: string[] = [];
  const publishedMarks: string[] = [];

  async function edit(): Promise<void> {
    const mark = randomBytes(6).toString("hex");
    const file = path.join(copy, "skills/edited/SKILL.md");
    runGit(copy, "pull", "-q", "--rebase", "origin", "main");
    writeFileSync(file, readFileSync(file, "utf8").replace(/\n# .*[^]*/, `\n# Edit\n\n${mark}\n`));
    runGit(copy, "commit", "-qam", mark);
    try {
      runGit(copy, "push", "-q", "origin", "HEAD:main");
    } catch {
      // The service pushed first.
      runGit(copy, "reset", "-q", "--hard", "origin/main");
      return;
    }
    marks.push(mark);
    await callApi(url, "POST", `${base}/run`, { token }).catch(() => undefined);
    const target = `/api/skills/${published.data.skill.id}/versions`;
    const own = randomBytes(6).toString("hex");
    const answer = await callApi(url, "POST", target, {
      token,
      body: { content: `# Published\n\n${own}\n` },
    }).catch(() => undefined);
    if (answer?.status === 201) publishedMarks.push(own);
    await sleep(500);
  }
  const loop = repeat(edit);

  const contentOf = async (skillId: string, selector = ""): Promise<string> => {
    const target = `/api/skills/${skillId}/content${selector}`;
    return (await callApi<{ content: string }>(url, "GET", target, { token })).data.content;
  };
  const contents = async (id: string): Promise<string[]> => {
    const versions = await listVersions({ url, token }, { id });
    return mapLimit(versions, 4, ({ version }) => contentOf(id, `?version=${version}`));
  };
  return {
    ...loop,
    edits: () => marks.length,
    async check() {
      await callApi(url, "POST", `${base}/run`, { token });
      const [last, lastPublished] = [marks.at(-1), publishedMarks.at(-1)];
      assert.ok(last !== undefined && lastPublished !== undefined, "there were edits");
      await until(
        "the last edit",
        async () => (await contentOf(edited.data.skill.id)).includes(last),
        options,
      );
      await until("the last publish", () => inRemote("published")?.includes(lastPublished), options);
      let versions = 0;
      for (const [skillId, own] of [
        [edited.data.skill.id, marks],
        [published.data.skill.id, publishedMarks],
      ] as const) {
        const found = await contents(skillId);
        versions += found.length;
        const withMarks = own.filter((mark) => found.some((text) => text.includes(mark)));
        for (const mark of own)
          assert.ok(found.filter((text) => text.includes(mark)).length <= 1, `${mark} is there twice`);
        assert.equal(new Set(found).size, found.length, "a version is there twice");
        // Several edits may be one import, and each acknowledged publish is a version.
        if (own === publishedMarks) assert.deepEqual(withMarks, own, "an acknowledged publish is lost");
      }
      assert.equal(runGit(remote, "fsck", "--strict", "--no-dangling"), "");
      return { versions };
    },
  };
}
