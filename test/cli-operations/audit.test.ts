/** `svc audit` against the real service. */
import assert from "node:assert/strict";
import { Writable } from "node:stream";
import { describe, it } from "node:test";
import { run } from "../../cli/run.ts";
import { dataOf } from "../cli/fixture.ts";
import { type Ran, answer, startServer, svc, temporaryFolder } from "../cli/harness.ts";
import { keepContract } from "../support/cli-contract.ts";
import { newMember } from "../support/organization.ts";
import type { TestUser } from "../support/service.ts";
import { setUpOrganization } from "../support/set-up.ts";

let home: string;

const { service, owner, org } = await setUpOrganization();

interface Entry {
  id: string;
  action: string;
  actor: { name: string };
  resourceId: string;
  metadata: Record<string, unknown>;
  createdAt: string;
}

interface Log {
  organization?: { slug: string };
  entries: Entry[];
  more: boolean;
}

const envOf = (user: TestUser) => ({ SVC_API_URL: service.url, SVC_TOKEN: user.token });

const failureOf = ({ code, stdout, error }: Ran) => [code, stdout, error.code, error.details?.["flag"]];

async function publish(user: TestUser, name: string): Promise<string> {
  const { data } = await service.call<{ skill: { id: string } }>("POST", "/api/skills", {
    token: user.token,
    body: { tenantId: org.slug, name, content: `# ${name}\n` },
  });
  await service.settled();
  return data.skill.id;
}

describe("svc audit", () => {
  it("lists the log of an organization by its filters, and the caller's own", async (t) => {
    home = await temporaryFolder(t);
    const json = (...argv: string[]) => svc(["audit", ...argv, "-o", "json"], { home, env: envOf(owner) });
    const member = await newMember(service, org, "admin");
    const first = await publish(owner, "First");
    await publish(member, "Second");
    const events = async (...argv: string[]) => {
      const { entries } = dataOf<Log>(await json("--org", org.slug, ...argv));
      return entries.map(({ action, actor }) => `${action} ${actor.name}`);
    };

    const all = dataOf<Log>(await json("--org", org.slug));
    const own = dataOf<Log>(await json());
    const text = await svc(["audit", "--org", org.id], { home, env: envOf(owner) });

    assert.deepEqual([all.organization?.slug, all.more], [org.slug, false]);
    assert.ok(all.entries.length >= 3);
    assert.deepEqual(
      all.entries.map(({ createdAt }) => createdAt),
      all.entries
        .map(({ createdAt }) => createdAt)
        .toSorted()
        .toReversed(),
    );
    assert.equal(own.organization, undefined);
    assert.ok(own.entries.every(({ actor }) => actor.name === owner.username));
    assert.match(text.stdout, /^TIME +EVENT +ACTOR +RESOURCE +DETAILS\n/);
    assert.deepEqual(await events("--event", "skill.created"), [
      `skill.created ${member.username}`,
      `skill.created ${owner.username}`,
    ]);
    assert.deepEqual(await events("--event", "skill.created,team.*", "--actor", member.username), [
      `skill.created ${member.username}`,
    ]);
    assert.deepEqual(await events("--event", "skill.created", "--resource", first), [
      `skill.created ${owner.username}`,
    ]);
    assert.deepEqual(await events("--until", "2020-01-01"), []);
    assert.deepEqual(await events("--since", "2999-01-01"), []);
    const limited = dataOf<Log>(await json("--org", org.slug, "--limit", "1"));
    assert.deepEqual([limited.entries[0]?.id, limited.more], [all.entries[0]?.id, true]);
  });

  it("rejects invalid times and events, and readers without the permission", async (t) => {
    home = await temporaryFolder(t);
    const json = (user: TestUser, ...argv: string[]) =>
      svc(["audit", ...argv, "-o", "json"], { home, env: envOf(user) });
    for (const [argv, flag] of [
      [["--since", "yesterday"], "--since"],
      [["--until", "2026-13-01"], "--until"],
      [["--limit", "0"], "--limit"],
      [["--follow", "--until", "2026-01-01"], "--until"],
    ] as const)
      assert.deepEqual(failureOf(await json(owner, ...argv)), [1, "", "E_INVALID_ARGUMENT", flag]);
    assert.equal((await json(owner, "--event", "skill.nonsense")).error.code, "E_API");
    const member = await newMember(service, org, "member");
    assert.equal((await json(member, "--org", org.slug)).error.code, "E_FORBIDDEN");
    const stranger = await service.newUser();
    assert.equal((await json(stranger, "--org", org.slug)).error.code, "E_NOT_FOUND");
    assert.deepEqual(failureOf(await json(member, "--org", org.slug, "-f")).slice(0, 3), [
      1,
      "",
      "E_FORBIDDEN",
    ]);
  });

  it("reads all pages up to the limit, each entry once while the log grows", async (t) => {
    home = await temporaryFolder(t);
    let total = 450;
    const url = await startServer(t, (_request, response, { searchParams }) => {
      const [page, limit] = [Number(searchParams.get("page")), Number(searchParams.get("limit"))];
      const entries = Array.from({ length: Math.min(limit, total - (page - 1) * limit) }, (_, i) =>
        entryOf(total - (page - 1) * limit - i),
      );
      answer(response, 200, { success: true, data: { entries, total, totalIsExact: true, page } });
      total += 3;
    });
    const list = async (limit: string) =>
      dataOf<Log>(
        await svc(["audit", "--limit", limit, "-o", "json"], {
          home,
          env: { SVC_API_URL: url, SVC_TOKEN: owner.token },
        }),
      );

    const all = await list("10000");
    const some = await list("300");

    assert.deepEqual(
      all.entries.map(({ id }) => Number(id)),
      Array.from({ length: 450 }, (_, i) => 450 - i),
    );
    assert.deepEqual([all.more, some.entries.length, some.more], [false, 300, true]);
  });
});

describe("completion of svc audit", () => {
  it("offers events and their groups", async (t) => {
    home = await temporaryFolder(t);
    const { stdout } = await svc(["__complete", "fish", "--", "audit", "--event", "folder."], { home });
    const [offer, ...values] = stdout.trimEnd().split("\n");
    assert.equal(offer, "none");
    assert.deepEqual(
      values.map((line) => line.split("\t")[0]),
      ["folder.*", "folder.created", "folder.updated", "folder.deleted", "folder.acl_updated"],
    );
  });
});

const entryOf = (number: number) => ({
  id: String(number),
  action: "skill.created",
  actor: { type: "user", id: "u1", name: "a\u001B[2Jb" },
  resourceType: "skill",
  resourceId: "s1",
  metadata: { name: "x\nfake line" },
  createdAt: new Date(Date.UTC(2026, 0, 1) + number * 1000).toISOString(),
});

/** Runs `svc audit --follow`; `onWait` runs in each pause, and ends the run by returning false. */
async function follow(
  argv: readonly string[],
  options: { url: string; token: string; onWait: (pause: number) => Promise<boolean> | boolean },
) {
  const chunks: string[] = [];
  const writable = () =>
    new Writable({
      write(chunk: Buffer, _encoding, done) {
        chunks.push(chunk.toString());
        done();
      },
    });
  const [stdout, stderr] = [writable(), writable()];
  let pause = 0;
  const code = await run(["audit", "--follow", ...argv], {
    env: { SVC_API_URL: options.url, SVC_TOKEN: options.token },
    cwd: home,
    home,
    platform: "linux",
    isTyped: () => false,
    stdout,
    stderr,
    now: () => new Date(),
    async sleep() {
      if (!(await options.onWait(pause++))) stdout.destroy();
    },
  });
  return { code, lines: chunks.join("").split("\n").slice(0, -1) };
}

describe("svc audit --follow", () => {
  it("prints the newest entries, then each new one once, as a document per line", async (t) => {
    home = await temporaryFolder(t);
    await publish(owner, "Before");

    const { code, lines } = await follow(["--org", org.slug, "--limit", "1", "-o", "json"], {
      url: service.url,
      token: owner.token,
      async onWait(pause) {
        if (pause === 0) await publish(owner, "During");
        return pause < 3;
      },
    });

    assert.equal(code, 0);
    const entries = lines.map((line) => keepContract("auditFollow", JSON.parse(line)));
    const [, ...later] = entries;
    assert.ok(later.length > 0 && later.every(({ metadata }) => metadata["name"] !== "Before"));
    assert.equal(new Set(entries.map(({ id }) => id)).size, entries.length);
    assert.ok(later.some(({ action }) => action === "skill.created"));
  });

  it("escapes the text of entries, and bridges an outage but not a refusal", async (t) => {
    home = await temporaryFolder(t);
    let calls = 0;
    const url = await startServer(t, (_request, response, { searchParams }) => {
      calls++;
      if (calls === 3) return answer(response, 500, { success: false, error: "Broken.", code: "internal" });
      if (calls === 5) return answer(response, 403, { success: false, error: "No.", code: "forbidden" });
      const from = searchParams.get("from");
      const entries = (calls > 3 ? [2, 1] : [1])
        .map(entryOf)
        .filter(({ createdAt }) => from === null || createdAt >= from);
      answer(response, 200, {
        success: true,
        data: { entries, total: entries.length, totalIsExact: true, page: 1 },
      });
    });

    const { code, lines } = await follow([], { url, token: owner.token, onWait: () => true });

    assert.equal(code, 1);
    assert.deepEqual(lines, [
      "2026-01-01T00:00:01Z  skill.created  ab  skill s1  name=x fake line",
      "warning Broken. Trying again.",
      "2026-01-01T00:00:02Z  skill.created  ab  skill s1  name=x fake line",
      "error No.",
      "  E_FORBIDDEN",
    ]);
  });
});
