import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { BSON, MongoClient, type CommandStartedEvent, type Document } from "mongodb";
import type { PublishResult } from "../../contract/payloads.ts";
import { purge } from "../../workers/upkeep/purge.ts";
import { reconcile } from "../../workers/upkeep/reconcile.ts";
import { startService, type TestOrg, type TestService, type TestUser } from "../support/service.ts";

const { EJSON } = BSON;
const skillCount = 400;

let service: TestService;
let user: TestUser;
let org: TestOrg;
let skill: PublishResult["skill"];

before(async () => {
  const connect = Object.getOwnPropertyDescriptor(MongoClient.prototype, "connect")!;
  MongoClient.prototype.connect = function (this: MongoClient) {
    // A setter that the types leave out.
    Object.assign(this, { monitorCommands: true });
    return (connect.value as MongoClient["connect"]).call(this);
  };
  service = await startService();
  Object.defineProperty(MongoClient.prototype, "connect", connect);
  user = await service.newUser();
  org = await service.newOrg(user);
  const made = await service.call<PublishResult>("POST", "/api/skills", {
    token: user.token,
    body: { tenantId: org.slug, name: "Planned", content: "text\n", visibility: "public" },
  });
  skill = made.data.skill;
  for (let i = 0; i < 3; i++)
    await service.call("POST", `/api/skills/${skill.id}/versions`, {
      token: user.token,
      body: { content: `text ${i}\n` },
    });
  await service.settled();
  await multiply();
});
after(() => service.close());

/** Many skills and versions of a few organizations, made of the one that was published. */
async function multiply(): Promise<void> {
  const { raw } = service.app.storage.database;
  const [template] = await raw.collection("skills").find().toArray();
  const versions = await raw.collection("versions").find().toArray();
  const skills: Document[] = [];
  const rows: Document[] = [];
  for (let i = 0; i < skillCount; i++) {
    const _id = service.app.newId();
    const tenantId = i % 4 === 0 ? org.id : `other${i % 8}`;
    const time = new Date(Date.parse("2026-01-01") + i * 60_000);
    skills.push({
      ...template,
      _id,
      tenantId,
      publicId: _id.slice(-10),
      slug: `copy-${i}`,
      name: `Copy ${i}`,
      nameKey: `copy ${i}`,
      tags: i % 5 === 0 ? ["fifth"] : [],
      listed: i % 2 === 0,
      createdAt: time,
      updatedAt: time,
      downloads: i % 7,
    });
    for (const row of versions) rows.push({ ...row, _id: service.app.newId(), skillId: _id, tenantId });
  }
  await raw.collection("skills").insertMany(skills);
  await raw.collection("versions").insertMany(rows);
}

interface Plan {
  command: Document;
  stages: string[];
  examined: number;
}

const explainable = new Set(["find", "aggregate", "count", "distinct", "update", "delete", "findAndModify"]);

/** Runs the calls, and asks the engine how it runs each of the commands that they sent. */
async function planned(run: () => Promise<unknown>): Promise<Plan[]> {
  const { raw } = service.app.storage.database;
  const commands = new Map<string, Document>();
  const note = ({ commandName, command }: CommandStartedEvent) => {
    if (!explainable.has(commandName)) return;
    for (const one of singleOf(command)) commands.set(EJSON.stringify(one), one);
  };
  raw.client.on("commandStarted", note);
  try {
    await run();
    await service.settled();
  } finally {
    raw.client.off("commandStarted", note);
  }
  const plans: Plan[] = [];
  for (const command of commands.values()) {
    const explained = await raw.command({ explain: command, verbosity: "executionStats" });
    const text = JSON.stringify(explained, (key, value: unknown) => (isUsed(key) ? value : undefined));
    const stages = [...text.matchAll(/"stage":"(\w+)"/g)].map((match) => match[1]!);
    const examined = [...text.matchAll(/"totalDocsExamined":(\d+)/g)].map((match) => Number(match[1]));
    plans.push({ command, stages, examined: Math.max(0, ...examined) });
  }
  return plans;
}

/** Plans that were weighed and not taken are told too. */
const isUsed = (key: string) => key !== "rejectedPlans" && key !== "allPlansExecution";

/** A command without what belongs to its connection; updates and deletes one by one, as they can be explained. */
function singleOf(command: Document): Document[] {
  const rest = Object.fromEntries(
    Object.entries(command).filter(([name]) => !/^(lsid|\$.*|txnNumber|ordered|bypass.*)$/.test(name)),
  );
  for (const list of ["updates", "deletes"]) {
    const entries = rest[list] as Document[] | undefined;
    if (entries) return entries.map((entry) => ({ ...rest, [list]: [entry] }));
  }
  return [rest];
}

function assertIndexed(plans: Plan[], mostExamined: number): void {
  assert.ok(plans.length > 0, "commands were seen");
  for (const { command, stages, examined } of plans) {
    const shown = `${stages.join(" ")} of ${JSON.stringify(command).slice(0, 500)}`;
    assert.ok(!stages.includes("COLLSCAN"), shown);
    assert.ok(examined <= mostExamined, `examines ${examined}: ${shown}`);
  }
}

const get = (target: string, token: string | undefined = user.token) =>
  service.call("GET", target, { token });

describe("the plans of queries at a few hundred documents", () => {
  it("read one skill and its versions by index alone", async () => {
    const entries = await planned(async () => {
      for (const ref of [skill.id, skill.publicId, `${org.slug}~${skill.slug}`]) {
        for (const part of [
          "",
          "/content",
          "/content?semver=1.0.1",
          "/content?range=%5E1.0.0",
          "/versions?limit=2",
          "/versions?spec=1.x&prerelease=true",
          "/manifest?version=2",
          "/diff?from=1",
          "/analytics",
        ])
          assert.equal((await get(`/api/skills/${ref}${part}`)).status, 200, part);
      }
      assert.equal((await get("/api/skills/resolve?ref=planned")).status, 200);
    });

    assertIndexed(entries, 10);
  });

  it("publish, push, change, revert and delete by index alone", async () => {
    const entries = await planned(async () => {
      const post = (target: string, body: object) =>
        service.call<PublishResult>("POST", target, { token: user.token, body });
      const made = await post("/api/skills", { tenantId: org.slug, name: "Copy, 8", content: "x\n" });
      assert.equal(made.status, 201);
      const { id } = made.data.skill;
      await post("/api/skills", { tenantId: org.slug, name: "Brand new", content: "x\n" });
      await post(`/api/skills/${id}/versions`, { content: "y\n" });
      await post(`/api/skills/${id}/revert`, { version: 1 });
      await service.call("PUT", `/api/skills/${id}`, { token: user.token, body: { tags: ["a"] } });
      await service.call("DELETE", `/api/skills/${id}`, { token: user.token });
      await post("/api/uploads", { size: 10, sha256: "0".repeat(64) });
    });

    assertIndexed(entries, 20);
  });

  it("list and explore by index alone, in sorted order where no words are searched", async () => {
    const cursors: Record<string, string> = {};
    const lists = [
      "/api/skills?limit=5",
      `/api/skills?tenant_id=${org.slug}&limit=5`,
      "/api/skills?tag=fifth&limit=5",
    ];
    const explored = ["updated", "newest", "downloads"].flatMap((sort) => [
      `/api/explore?sort=${sort}&limit=5`,
      ...(sort === "updated" ? [`/api/explore?sort=${sort}&tag=fifth&limit=5`] : []),
    ]);
    const first = await planned(async () => {
      for (const target of [...lists, ...explored]) cursors[target] = (await get(target)).nextCursor ?? "";
    });
    const second = await planned(async () => {
      for (const [target, cursor] of Object.entries(cursors)) {
        assert.notEqual(cursor, "", target);
        assert.equal((await get(`${target}&cursor=${cursor}`)).status, 200);
      }
    });

    assertIndexed([...first, ...second], 60);
    for (const { command, stages } of [...first, ...second].filter(
      (plan) => plan.command["find"] === "skills",
    ))
      assert.ok(!stages.includes("SORT"), `${stages.join(" ")} of ${EJSON.stringify(command)}`);
  });

  it("search by index alone", async () => {
    const entries = await planned(async () => {
      for (const text of ["planned", "copy 3", "copy-3", "text", "no such words", "%22", "%2B%2B"])
        for (const target of [
          "/api/explore?query=",
          "/api/skills?query=",
          `/api/skills?tenant_id=${org.slug}&query=`,
        ])
          assert.equal((await get(`${target}${text}`)).status, 200);
    });

    assertIndexed(entries, skillCount * 3);
  });

  it("sweep, purge and reconcile by index alone", async () => {
    const entries = await planned(async () => {
      await purge(service.app);
      await reconcile(service.app);
    });

    assertIndexed(entries, 400);
  });
});
