import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { SkillDoc } from "../../storage/skills/skills.ts";
import { serviceDatabase } from "../support/engine.ts";
import { callOk, openModernClient } from "../support/mcp/client.ts";
import { publishSkill } from "../support/organization.ts";
import type { TestService } from "../support/service.ts";
import { newOrganization, setUpService } from "../support/set-up.ts";

const { url: mongodbUrl, name: mongodbDatabase } = await serviceDatabase();
/** Two services on the same database and repositories, as two API processes. */
const { service: first } = await setUpService({ mongodbUrl, mongodbDatabase });
const { gitRoot, secretKeys } = first.app.config;
const { service: second } = await setUpService({ mongodbUrl, mongodbDatabase, gitRoot, secretKeys });
const { owner, org } = await newOrganization(first);

const publish = (name: string, visibility = "private") =>
  publishSkill(first, org, owner, { name, content: `Text of ${name}.\n`, visibility });

const namesFound = async (service: TestService, target: string, token = owner.token) =>
  (await service.call<{ name: string }[]>("GET", target, { token })).data.map(({ name }) => name);

describe("a search after the caller's own change", () => {
  it("finds what another process has just published, 50 times", async () => {
    for (let i = 0; i < 50; i++) {
      const name = `Fresh${i}`;
      await publish(name, i % 2 === 0 ? "private" : "public");
      const own = await namesFound(second, `/api/skills?query=${name}`);
      assert.deepEqual(own, [name]);
      if (i % 2 === 1) assert.deepEqual(await namesFound(second, `/api/explore?query=${name}`), [name]);
    }
  });

  it("finds a skill by its new name", async () => {
    const { id } = await publish("Formerly");

    const renamed = await first.call("PUT", `/api/skills/${id}`, {
      token: owner.token,
      body: { name: "Nowadays" },
    });

    assert.equal(renamed.status, 200, renamed.error);
    assert.deepEqual(await namesFound(second, "/api/skills?query=nowadays"), ["Nowadays"]);
  });

  it("finds it for an agent", async () => {
    await publish("Agentsown");

    const client = await openModernClient(second, owner.token);
    const found = await callOk<{ skills: { name: string }[] }>(client, "search_skills", {
      query: "agentsown",
    });
    await client.close();

    assert.deepEqual(
      found.data.skills.map(({ name }) => name),
      ["Agentsown"],
    );
  });

  it("shows nothing to a stranger that the caller's search has indexed", async () => {
    await publish("Secretplan");
    assert.deepEqual(await namesFound(second, "/api/skills?query=secretplan"), ["Secretplan"]);
    const stranger = await second.newUser();

    assert.deepEqual(await namesFound(second, "/api/skills?query=secretplan", stranger.token), []);
    assert.deepEqual(await namesFound(second, "/api/explore?query=secretplan", stranger.token), []);
  });

  it("lets other requests continue while concurrent searches index many skills, once", async (t) => {
    const { id } = await publish("Original");
    const skills = second.app.storage.database.collection<SkillDoc>("skills");
    const original = (await skills.findOne({ _id: id }))!;
    const description = "我们都有一个家名字叫中国兄弟姐妹都很多景色也不错".repeat(40);
    const copies = Array.from({ length: 200 }, (_, i) => ({
      ...original,
      _id: second.app.newId(),
      publicId: `copy-${i}`,
      slug: `copy-${i}`,
      description,
      pending: [],
      pendingSince: new Date(),
    }));
    await skills.insertMany(copies);
    const entries = t.mock.method(second.app.storage.searchEntries, "put");
    const turns = { longest: 0, total: 0 };
    let usage = process.cpuUsage();
    let timer = setImmediate(function measure() {
      const { user: used } = process.cpuUsage(usage);
      turns.longest = Math.max(turns.longest, used);
      turns.total += used;
      usage = process.cpuUsage();
      timer = setImmediate(measure);
    });

    const found = await Promise.all(
      Array.from({ length: 4 }, () => namesFound(second, "/api/skills?query=original&limit=100")),
    );

    clearImmediate(timer);
    assert.deepEqual(
      found.map((names) => names.length),
      [100, 100, 100, 100],
    );
    const written = entries.mock.calls.flatMap(({ arguments: [rows] }) => rows.map(({ _id }) => _id));
    assert.equal(written.filter((one) => one === copies[0]!._id).length, 1);
    assert.ok(turns.longest < turns.total / 4, `${turns.longest} µs of ${turns.total} µs in one turn`);
    await skills.deleteMany({ _id: { $in: copies.map(({ _id }) => _id) } });
  });
});
