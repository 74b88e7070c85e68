import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { PublishResult } from "../../contract/payloads/skills/skills.ts";
import { newFolder } from "../support/organization.ts";
import { fewestSteps, watchRoundTrips, type RoundTrips } from "../support/round-trips.ts";
import { setUpService, newOrganization } from "../support/set-up.ts";

let made = 0;

const { service } = await setUpService({ reportsCommands: true });
const counter = watchRoundTrips(service);
const { owner, org } = await newOrganization(service);
await newFolder(service, org, owner, "open");

interface Call {
  visibility?: string;
  folder?: string;
  key?: string;
}

async function post<T>(path: string, { key, ...body }: Call & Record<string, unknown>): Promise<T> {
  const sent = { token: owner.token, body };
  const answer = await service.call<T>(
    "POST",
    path,
    key === undefined ? sent : { ...sent, headers: { "idempotency-key": key } },
  );
  assert.equal(answer.status, 201);
  return answer.data;
}

const create = (call: Call = {}) =>
  post<PublishResult>("/api/skills", {
    tenantId: org.id,
    name: `Skill ${++made}`,
    content: "one\n",
    ...call,
  });
await create();

const push = (skillId: string, call: Call = {}) =>
  post(`/api/skills/${skillId}/versions`, { content: `content ${++made}\n`, ...call });

/** Commands of a call, and of the work in the background that follows it. */
async function tripsOf(call: () => Promise<unknown>): Promise<RoundTrips> {
  await service.settled();
  return counter.during(async () => {
    await call();
    await service.settled();
  });
}

const cases: [name: string, call: Call, created: number, appended: number][] = [
  ["a private text", {}, 6, 2],
  ["a public text", { visibility: "public" }, 7, 3],
  ["a text in a folder", { folder: "open" }, 7, 3],
  ["a private text with an idempotency key", { key: "publish-round-trips" }, 8, 4],
];

describe("round trips to MongoDB before the response to a publish", () => {
  for (const [name, call, created, appended] of cases) {
    it(`are at most ${created} for ${name}, and ${appended} for its next version`, async () => {
      let skillId = "";
      const creating = await tripsOf(async () => (skillId = (await create(call)).skill.id));
      const { key } = call;
      const appending = await tripsOf(() => push(skillId, key === undefined ? {} : { key }));

      assert.ok(creating.commands.length <= created, creating.commands.join("\n"));
      assert.ok(appending.commands.length <= appended, appending.commands.join("\n"));
    });
  }
});

describe("the round trips of new skills at once", () => {
  it("are shared by them", async () => {
    const { commands } = await tripsOf(() => Promise.all(Array.from({ length: 16 }, () => create())));

    // One at a time, they take 6 each, 2 of them inserts. How many share one depends on when they arrive.
    assert.ok(commands.length <= 80, commands.join("\n"));
    assert.ok(commands.filter((one) => one.startsWith("insert")).length <= 24, commands.join("\n"));
  });
});

describe("the round trips of a new version", () => {
  it("look up caller and skill at once", async () => {
    const { id } = (await create()).skill;
    await push(id);

    const { steps, commands } = await fewestSteps(4, () => tripsOf(() => push(id)));

    assert.equal(steps, 2, commands.join("\n"));
  });
});

describe("the round trips of a new skill", () => {
  it("follow each other in six steps", async () => {
    const { steps, commands } = await fewestSteps(6, () => tripsOf(create));

    // The caller, the organization, the folders, the skills of the name, the reservation of the path, the skill.
    assert.equal(steps, 6, commands.join("\n"));
  });
});

describe("round trips to MongoDB after the responses to publishes", () => {
  it("are shared by the publishes of a burst", async () => {
    const skills: string[] = [];
    for (let n = 0; n < 8; n++) skills.push((await create()).skill.id);

    const started = performance.now();
    const { background } = await tripsOf(() =>
      Promise.all(skills.flatMap((skillId) => [push(skillId), push(skillId)])),
    );

    // A round every 400 ms while publishes go on, however long the machine takes for them.
    const rounds = 2 + Math.floor((performance.now() - started) / 400);
    const count = (command: string) => background.filter((one) => one.endsWith(command)).length;
    assert.ok(rounds < 2 * skills.length, "the burst took so long that the test shows nothing");
    assert.ok(count("insert versions") <= rounds, background.join("\n"));
    assert.ok(count("insert audit_events") <= rounds, background.join("\n"));
    assert.ok(count("update search_entries") <= rounds, background.join("\n"));
    assert.ok(background.length <= 8 * rounds + 2 * skills.length, background.join("\n"));
  });
});
