/**
 * Clients that publish as fast as they can while the service is being killed, and record every response; and the check
 * of these responses afterwards.
 */
import assert from "node:assert/strict";
import { createHash, randomBytes, randomInt } from "node:crypto";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { writeZip } from "../../repos/archive/index.ts";
import { type ApiAnswer, answered, callApi, newAccount, newOrganization } from "./http-client.ts";
import { assertSound, git, repositoryOf } from "./native-git.ts";
import type { Server } from "./server.ts";

/** One attempt to publish, and its response. */
export interface Attempt {
  skillId: string;
  /** Unique, and part of the published bytes. */
  mark: string;
  /** `cut`: no complete response was received (`answer` has the reason), so the version may or may not exist. */
  outcome: "acknowledged" | "refused" | "unavailable" | "cut";
  version?: VersionRow;
  answer?: string;
}

interface VersionRow {
  skillId: string;
  version: number;
  semver: string;
  commit: string;
  hash: string;
  prerelease: boolean;
  current: boolean;
}

export interface Skill {
  id: string;
  format: "markdown" | "package";
}

export interface Publishers {
  readonly attempts: readonly Attempt[];
  count(outcome: Attempt["outcome"]): number;
  /** Waits for a number of further acknowledged publishes; false if they did not happen in time. */
  acknowledged(more: number, withinMs: number): Promise<boolean>;
  /** Ends the clients; resolves when their last request is complete. */
  stop(): Promise<void>;
}

const textOf = (mark: string) => `# Version ${mark}\n\n${mark.repeat(200)}\n`;
const packageSkillFile = "---\nname: killed\ndescription: A package under fire\n---\n\n# Package\n";

/** An account with skills to publish to, three texts and a package; their first versions are in no ledger. */
export async function makeSkills({ url, setupLink }: Pick<Server, "url" | "setupLink">) {
  const account = await newAccount(url, "killjoy", setupLink);
  const tenantId = await newOrganization(url, account, "acme");
  const skills: Skill[] = [];
  for (const format of ["markdown", "markdown", "markdown", "package"] as const)
    skills.push(await makeSkill(url, account.token, tenantId, format));
  return { account, token: account.token, tenantId, skills };
}

async function makeSkill(
  url: string,
  token: string,
  tenantId: string,
  format: Skill["format"],
): Promise<Skill> {
  const name = `Skill ${randomBytes(6).toString("hex")}`;
  const content =
    format === "markdown" ? { content: textOf("first") } : { uploadId: await upload(url, token, "first") };
  const made = await callApi<{ skill: { id: string } }>(url, "POST", "/api/skills", {
    token,
    body: { mode: "create", tenantId, name, ...content },
  });
  assert.equal(made.status, 201, made.error);
  return { id: made.data.skill.id, format };
}

async function upload(url: string, token: string, mark: string): Promise<string> {
  const members = [
    { path: "SKILL.md", text: packageSkillFile },
    { path: "data/mark.txt", text: textOf(mark) },
  ].map(({ path: name, text }) => ({
    path: name,
    mode: "100644" as const,
    size: Buffer.byteLength(text),
    open: async () => Buffer.from(text),
  }));
  const chunks: Buffer[] = [];
  for await (const chunk of writeZip(members) as AsyncIterable<Buffer>) chunks.push(chunk);
  return uploadZip(url, token, Buffer.concat(chunks));
}

/** Stages a zip and returns its upload id. */
export async function uploadZip(url: string, token: string, zip: Buffer): Promise<string> {
  const sha256 = createHash("sha256").update(zip).digest("hex");
  const announced = await callApi<{ uploadId: string; url: string }>(url, "POST", "/api/uploads", {
    token,
    body: { size: zip.length, sha256 },
  });
  if (announced.status !== 201) throw new NotStaged(announced);
  const stored = await fetch(new URL(announced.data.url, url), {
    method: "PUT",
    headers: { authorization: `Bearer ${token}` },
    body: new Uint8Array(zip),
    signal: answered(),
  });
  const answer = (await stored.json()) as ApiAnswer<unknown>;
  if (stored.status !== 200) throw new NotStaged({ ...answer, status: stored.status });
  return announced.data.uploadId;
}

/** The publish itself was not requested yet, so it must have no effect. */
class NotStaged extends Error {
  readonly status: number;
  /** A kill between the steps leaves an upload open, until the account has reached its limit of uploads. */
  readonly isLimit: boolean;

  constructor({ status, code, error }: Pick<ApiAnswer<unknown>, "status" | "code" | "error">) {
    super(`staging was answered with ${status} ${code}: ${error}`);
    this.status = status;
    this.isLimit = code === "limit_reached";
  }
}

/** Starts one client per skill, and another one for the first, so that two compete for its next version. */
export function startPublishers(options: {
  skills: readonly Skill[];
  token: string;
  /** A process to call, or undefined while none is up. */
  url: () => string | undefined;
  /** Between two publishes of a client. */
  pauseMs?: number;
}): Publishers {
  const attempts: Attempt[] = [];
  const ending = new AbortController();

  /** Undefined if the account has reached its limit of uploads. */
  const publish = async (url: string, skill: Skill): Promise<Attempt | undefined> => {
    const mark = randomBytes(8).toString("hex");
    const attempt = { skillId: skill.id, mark };
    try {
      const content =
        skill.format === "markdown"
          ? { content: textOf(mark) }
          : { uploadId: await upload(url, options.token, mark) };
      const body = { ...content, prerelease: randomInt(5) === 0 ? true : undefined };
      const answer = await callApi<VersionRow>(url, "POST", `/api/skills/${skill.id}/versions`, {
        token: options.token,
        body,
      });
      const message = `${answer.status} ${answer.code}: ${answer.error}`;
      if (answer.status === 201) return { ...attempt, outcome: "acknowledged", version: answer.data };
      return { ...attempt, outcome: answer.status === 503 ? "unavailable" : "refused", answer: message };
    } catch (error) {
      if (!(error instanceof NotStaged)) return { ...attempt, outcome: "cut", answer: String(error) };
      if (error.isLimit) return undefined;
      const outcome = error.status === 503 ? "unavailable" : "refused";
      return { ...attempt, outcome, answer: error.message };
    }
  };
  const client = async (skill: Skill): Promise<void> => {
    while (!ending.signal.aborted) {
      const url = options.url();
      if (url === undefined) {
        await sleep(10);
        continue;
      }
      const attempt = await publish(url, skill);
      if (attempt === undefined) return;
      attempts.push(attempt);
      const pauseMs = options.pauseMs ?? 0;
      if (attempt.outcome !== "acknowledged" || pauseMs > 0) await sleep(Math.max(20, pauseMs));
    }
  };
  const clients = [...options.skills, ...options.skills.slice(0, 1)].map(client);
  const count = (outcome: Attempt["outcome"]) =>
    attempts.filter((attempt) => attempt.outcome === outcome).length;
  return {
    attempts,
    count,
    async acknowledged(more, withinMs) {
      const enough = count("acknowledged") + more;
      for (const deadline = performance.now() + withinMs; performance.now() < deadline; await sleep(5))
        if (count("acknowledged") >= enough) return true;
      return false;
    },
    async stop() {
      ending.abort();
      await Promise.all(clients);
    },
  };
}

/**
 * Verifies every response of the service: acknowledged versions exist under their numbers, with their bytes and
 * digests; rejected ones do not; numbers have no gaps; nothing is duplicated or unexpected; refs and tags agree with
 * the records; native git reports no errors.
 */
export async function checkAnswers(
  service: { url: string; token: string; gitRoot: string },
  skills: readonly Skill[],
  attempts: readonly Attempt[],
): Promise<{ versions: number; uncertain: number }> {
  let versions = 0;
  let uncertain = 0;
  for (const skill of skills) {
    const mine = attempts.filter((attempt) => attempt.skillId === skill.id);
    const rows = await listVersions(service, skill);
    assert.deepEqual(
      rows.map((row) => row.version),
      rows.map((_, at) => at + 1),
      "the chain of versions has no gap",
    );
    const marks = new Map<string, VersionRow>();
    for (const row of rows.slice(1)) {
      const mark = await readMark(service, skill, row);
      assert.ok(!marks.has(mark), `${mark} is there twice`);
      marks.set(mark, row);
    }
    for (const { mark, outcome, version, answer } of mine) {
      const row = marks.get(mark);
      if (outcome === "acknowledged") {
        assert.ok(row, `version ${version!.version} (${mark}) was acknowledged and is lost`);
        for (const key of ["version", "semver", "commit", "hash", "prerelease"] as const)
          assert.equal(row[key], version![key], `${key} of ${mark}`);
      }
      if (outcome === "refused") assert.equal(row, undefined, `${mark} is there, yet was refused: ${answer}`);
      if ((outcome === "cut" || outcome === "unavailable") && row) uncertain++;
      marks.delete(mark);
    }
    assert.deepEqual([...marks.keys()], [], "unexpected versions");
    await checkRepository(service.gitRoot, skill, rows);
    versions += rows.length;
  }
  return { versions, uncertain };
}

/** All versions of a skill, the first one first. */
export async function listVersions(
  service: { url: string; token: string },
  skill: Pick<Skill, "id">,
): Promise<VersionRow[]> {
  const rows: VersionRow[] = [];
  let cursor = "";
  do {
    const target = `/api/skills/${skill.id}/versions?prerelease=true&limit=200${cursor}`;
    const response = await fetch(service.url + target, {
      headers: { authorization: `Bearer ${service.token}` },
      signal: answered(),
    });
    assert.equal(response.status, 200);
    const page = (await response.json()) as { data: VersionRow[]; nextCursor: string | null };
    rows.push(...page.data);
    cursor = page.nextCursor === null ? "" : `&cursor=${encodeURIComponent(page.nextCursor)}`;
  } while (cursor !== "");
  return rows.toReversed();
}

/** Reads a version back, checks its digest and returns the attempt that created it. */
async function readMark(
  service: { url: string; token: string },
  skill: Skill,
  row: VersionRow,
): Promise<string> {
  const read = (kind: string) =>
    fetch(`${service.url}/api/skills/${skill.id}/${kind}?version=${row.version}`, {
      headers: { authorization: `Bearer ${service.token}` },
      signal: answered(),
    });
  let text: string;
  if (skill.format === "markdown") {
    const answer = await read("content");
    assert.equal(answer.status, 200, `version ${row.version} is unreadable`);
    const { data } = (await answer.json()) as { data: { content: string; hash: string } };
    assert.equal(createHash("sha256").update(data.content).digest("hex"), row.hash);
    assert.equal(data.hash, row.hash);
    text = data.content;
  } else {
    const answer = await read("files/data/mark.txt");
    assert.equal(answer.status, 200, `version ${row.version} is unreadable`);
    text = await answer.text();
  }
  const mark = /^# Version ([0-9a-f]{16})\n/.exec(text)?.[1] ?? "";
  assert.equal(text, textOf(mark), "bytes are as they were published");
  return mark;
}

async function checkRepository(gitRoot: string, skill: Skill, rows: readonly VersionRow[]): Promise<void> {
  const repository = repositoryOf(gitRoot, skill.id);
  const wanted = [
    `refs/heads/main ${rows.find((row) => row.current)!.commit}`,
    `refs/svc/head ${rows.at(-1)!.commit}`,
    ...rows.map((row) => `refs/tags/v${row.semver} ${row.commit}`),
  ].sort();
  // Derived after the response; after a kill by the reconcile job, which looks a second time after 15 s.
  for (const deadline = Date.now() + 30_000; ; await sleep(200)) {
    const found = git(repository, "for-each-ref", "--format=%(refname) %(objectname)")
      .trim()
      .split("\n")
      .sort();
    if (Date.now() > deadline) assert.deepEqual(found, wanted, path.basename(repository));
    if (found.join("\n") === wanted.join("\n")) break;
  }
  assertSound(repository);
  const chain = git(repository, "rev-list", "--first-parent", "refs/svc/head").trim().split("\n");
  assert.deepEqual(
    chain.toReversed(),
    rows.map((row) => row.commit),
    "every version's parent is the one before",
  );
}
