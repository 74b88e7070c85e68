import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { addMember, newFolder, publishSkill, restrict } from "../support/organization.ts";
import { packageFiles, publishPackage } from "../support/package-files.ts";
import { watchRoundTrips } from "../support/round-trips.ts";
import type { CallOptions } from "../support/service.ts";
import { setUpService, newOrganization } from "../support/set-up.ts";

type Caller = "personal token" | "member of a team" | "organization token" | "session" | "anonymous";

const { service } = await setUpService({ reportsCommands: true });
const counter = watchRoundTrips(service);
const { owner, org } = await newOrganization(service);
const sent = { token: owner.token };
const role = await service.call<{ id: string }>("POST", `/api/tenants/${org.id}/roles`, {
  ...sent,
  body: { name: "Readers", permissions: { skill: ["read"] } },
});
const team = await service.call<{ id: string }>("POST", `/api/tenants/${org.id}/teams`, {
  ...sent,
  body: { name: "Operations", roles: [role.data.id] },
});
const member = await service.newUser();
await addMember(service, org, member, role.data.id, [team.data.id]);
const minted = await service.call<{ token: string }>("POST", `/api/tenants/${org.id}/tokens`, {
  ...sent,
  body: { name: "CI" },
});
await newFolder(service, org, owner, "open/inner");
const closed = await newFolder(service, org, owner, "closed");
await restrict(service, owner, closed.id, [{ type: "team", id: team.data.id, level: "viewer" }]);
const inFolder = (name: string, folder: string, visibility: string) =>
  publishSkill(service, org, owner, { name, folder, visibility });
const open = await inFolder("Open skill", "open/inner", "public");
const restricted = await inFolder("Closed skill", "closed", "private");
const visibility = "public";
const packaged = (await publishPackage(service, owner, org, { visibility }, packageFiles)).skill;
const callers: Record<Caller, CallOptions> = {
  "personal token": sent,
  "member of a team": { token: member.token },
  "organization token": { token: minted.data.token },
  session: { cookie: owner.cookie },
  anonymous: {},
};
await service.settled();

/** Commands of a call that has been made before, so that its immutable data is cached. */
async function commandsOf(target: string, options: CallOptions): Promise<string[]> {
  const call = async () => {
    const response = await service.raw("GET", target, options);
    await response.arrayBuffer();
    assert.equal(response.status, 200, target);
  };
  await call();
  await service.settled();
  return (await counter.during(call)).commands;
}

interface Read {
  name: string;
  target(): string;
  /** Round trips by caller, in the order of `everyone`; null where the caller may not read it. */
  trips: readonly (number | null)[];
}

const everyone = [
  "personal token",
  "member of a team",
  "organization token",
  "session",
  "anonymous",
] as const;

const reads: Read[] = [
  { name: "a list of 50 skills", target: () => "/api/skills?limit=50", trips: [2, 2, 2, 2, null] },
  {
    name: "a list by organization",
    target: () => `/api/skills?tenant_id=${org.slug}`,
    trips: [2, 2, 2, 2, null],
  },
  { name: "a skill", target: () => `/api/skills/${open.id}`, trips: [1, 1, 1, 1, 1] },
  { name: "a restricted skill", target: () => `/api/skills/${restricted.id}`, trips: [1, 1, 1, 1, null] },
  { name: "a skill by its publicId", target: () => `/api/skills/${open.publicId}`, trips: [1, 1, 1, 1, 1] },
  { name: "a resolved name", target: () => resolve(`${org.slug}/open-skill`), trips: [2, 2, 2, 2, 1] },
  { name: "a resolved slug", target: () => resolve("closed-skill"), trips: [2, 2, 2, 2, null] },
  { name: "a range", target: () => resolve(`${org.slug}/open-skill`, "^1.0.0"), trips: [2, 2, 2, 2, 1] },
  {
    name: "an exact version",
    target: () => resolve(`${org.slug}/open-skill`, "1.0.0"),
    trips: [2, 2, 2, 2, 1],
  },
  { name: "whoami", target: () => "/api/user/profile", trips: [1, 1, null, 1, null] },
  { name: "content", target: () => `/api/skills/${open.id}/content?version=1`, trips: [1, 1, 1, 1, 1] },
  { name: "a package", target: () => `/api/skills/${packaged.id}/package?version=1`, trips: [1, 1, 1, 1, 1] },
  {
    name: "a file",
    target: () => `/api/skills/${packaged.id}/files/SKILL.md?version=1`,
    trips: [1, 1, 1, 1, 1],
  },
  {
    name: "a manifest",
    target: () => `/api/skills/${packaged.id}/manifest?version=1`,
    trips: [1, 1, 1, 1, 1],
  },
];

const resolve = (ref: string, version = "latest") =>
  `/api/skills/resolve?ref=${ref}&version=${encodeURIComponent(version)}`;

describe("a read", () => {
  for (const { name, target, trips } of reads)
    it(`of ${name} makes no more round trips to MongoDB than declared`, async () => {
      const made: Record<string, string[]> = {};
      for (const [at, caller] of everyone.entries())
        if (trips[at] !== null) made[caller] = await commandsOf(target(), callers[caller]);

      const counts = everyone.map((caller) => made[caller]?.length ?? null);
      assert.deepEqual(counts, trips, JSON.stringify(made, null, 1));
    });
});

describe("a signed-in read by id", () => {
  for (const name of ["a skill", "a skill by its publicId", "content", "a package", "a file", "a manifest"])
    it(`of ${name} looks up its caller and its skill by one command`, async () => {
      const { target } = reads.find((read) => read.name === name)!;
      for (const caller of everyone) {
        if (caller === "anonymous") continue;
        await commandsOf(target(), callers[caller]);
        await service.settled();

        const { commands } = await counter.during(async () => {
          const response = await service.raw("GET", target(), callers[caller]);
          await response.arrayBuffer();
        });

        assert.equal(commands.length, 1, `${caller}: ${commands.join()}`);
      }
    });
});

describe("a conditional read", () => {
  it("costs the round trips of the access decision only", async () => {
    const target = `/api/skills/${open.id}/content?version=1`;
    for (const caller of everyone) {
      const first = await service.raw("GET", target, callers[caller]);
      await first.arrayBuffer();
      const headers = { "if-none-match": first.headers.get("etag")! };
      await service.settled();

      const { commands } = await counter.during(async () => {
        const second = await service.raw("GET", target, { ...callers[caller], headers });
        assert.equal(second.status, 304);
      });

      const content = reads.find((read) => read.name === "content")!;
      assert.equal(commands.length, content.trips[everyone.indexOf(caller)], caller);
    }
  });
});

describe("a refused read", () => {
  it("makes the same round trips for a hidden skill as for a missing one", async () => {
    const commandsFor = async (id: string, options: CallOptions) => {
      const { commands } = await counter.during(async () => {
        const response = await service.raw("GET", `/api/skills/${id}`, options);
        await response.arrayBuffer();
        assert.equal(response.status, options.token === undefined ? 401 : 404);
      });
      return commands;
    };
    const outsider = await service.newUser();

    for (const options of [{}, { token: outsider.token }]) {
      await commandsFor(restricted.id, options);
      await service.settled();
      const hidden = await commandsFor(restricted.id, options);
      const missing = await commandsFor("f".repeat(24), options);

      assert.deepEqual(hidden, missing);
      // The second one looks up a skill that exists for a missing one, and the other way round.
      assert.equal(hidden.length, 2, hidden.join());
      assert.equal(hidden[1], "aggregate skills");
    }
  });
});
