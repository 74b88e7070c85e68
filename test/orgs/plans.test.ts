import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { pruneOrganizations, reconcileOrganizations } from "../../workers/orgs/reconcile-organizations.ts";
import { assertIndexed, plansOf, type Plan, insertCopies } from "../support/plans.ts";
import type { TestUser } from "../support/service.ts";
import { setUpService } from "../support/set-up.ts";
import { makeFixture } from "./fixture.ts";

const memberCount = 1200;

const { service } = await setUpService({ reportsCommands: true });
const fixture = await makeFixture(service);
const team = await fixture.newTeam("Big", ["viewer"]);
const role = await fixture.newRole("Rare", { skill: ["read"] });
const someone = await fixture.join(role);
await multiply();
await service.settled();

/** Many members, teams, roles and invitations, of this organization and of others. */
async function multiply(): Promise<void> {
  const tenantOf = (i: number) => (i % 3 === 0 ? `other${i % 9}` : fixture.org.id);
  await service.settled();
  await fixture.invite(fixture.owner, "first@example.org");
  await service.settled();
  await insertCopies(service, "memberships", memberCount, (i) => ({
    tenantId: tenantOf(i),
    userId: `user${i}`,
    username: `copy-${String(i).padStart(5, "0")}`,
    nameKeys: [`copy-${i}`, `person ${i}`],
    role: i % 5 === 0 ? "admin" : "member",
    teamIds: i % 4 === 0 ? [team] : [],
    active: true,
  }));
  await insertCopies(service, "teams", 300, (i) => ({
    tenantId: tenantOf(i),
    name: `T${i}`,
    nameKey: `t${i}`,
  }));
  await insertCopies(service, "roles", 120, (i) => ({
    tenantId: tenantOf(i),
    name: `R${i}`,
    nameKey: `r${i}`,
  }));
  await insertCopies(service, "invitations", 400, (i) => ({
    tenantId: tenantOf(i),
    email: `copy${i}@example.org`,
    emailKey: `copy${i}@example.org`,
  }));
  await insertCopies(service, "tenants", 300, (i) => ({ slug: `t${i}-copy`, slugs: [`t${i}-copy`] }));
}

const planned = (run: () => Promise<unknown>): Promise<Plan[]> => plansOf(service, run);
const get = async (path: string) => {
  const answer = await fixture.at<unknown[]>(fixture.owner, "GET", path);
  assert.equal(answer.status, 200, `${path}: ${JSON.stringify(answer.body)}`);
  return answer;
};

describe("the plans of organizations' queries", () => {
  it("page lists by index only, in sorted order", async () => {
    const lists = ["/members", `/teams/${team}/members`, "/teams", "/invitations", "/members?query=copy"];

    const entries = await planned(async () => {
      for (const list of lists) {
        const glue = list.includes("?") ? "&" : "?";
        const first = await get(`${list}${glue}limit=5`);
        assert.equal(first.data.length, 5, list);
        await get(`${list}${glue}limit=5&cursor=${first.nextCursor}`);
      }
    });

    assertIndexed(entries, 30);
    for (const { command, stages } of entries.filter((plan) => plan.command["limit"] === 6))
      assert.ok(!stages.includes("SORT"), `${stages.join(" ")} of ${JSON.stringify(command)}`);
  });

  it("find a rare name without reading every member", async () => {
    const entries = await planned(() => get("/members?query=person%20777"));

    assertIndexed(entries, 30);
  });

  it("authenticate, authorize and change members by index only", async () => {
    const entries = await planned(async () => {
      await fixture.at(someone, "GET", "");
      await get("");
      await get("/roles");
      const { owner } = fixture;
      await fixture.at(owner, "PUT", `/teams/${team}/members/${someone.id}`);
      await fixture.at(someone, "GET", "");
      await fixture.at(owner, "PATCH", `/members/${someone.id}`, { role: "admin" });
      await fixture.at(owner, "DELETE", `/roles/${role}`);
      await fixture.at(owner, "POST", "/invitations", { email: "planned@example.org" });
      await fixture.at(owner, "DELETE", `/members/${someone.id}`);
      await fixture.cleanUp();
    });

    // Only counting members towards the limit reads nothing but keys.
    assertIndexed(
      entries.filter((plan) => !("aggregate" in plan.command)),
      100,
    );
    assertIndexed(entries, 1500);
  });

  it("read teams and custom roles only if a member has any", async () => {
    const plain = await fixture.join("member");
    const collectionsOf = async (user: TestUser) => {
      const entries = await planned(() => service.call("GET", "/api/user/profile", { token: user.token }));
      const read = entries.map(({ command }) => String(command["find"] ?? command["aggregate"]));
      return new Set([...read, ...joinedToTokens(entries)]);
    };

    const without = await collectionsOf(plain);
    await fixture.at(fixture.owner, "PUT", `/teams/${team}/members/${plain.id}`);
    const withTeam = await collectionsOf(plain);

    assert.ok(without.has("memberships"));
    assert.ok(!without.has("teams") && !without.has("roles"), [...without].join());
    assert.ok(withTeam.has("teams") && !withTeam.has("roles"), [...withTeam].join());
  });

  it("reconcile and purge by index only", async () => {
    const entries = await planned(async () => {
      await reconcileOrganizations(service.app, service.app.now());
      await pruneOrganizations(service.app);
    });

    assertIndexed(entries, 400);
  });
});

/** Collections whose documents were read together with a token. */
function joinedToTokens(plans: Plan[]): string[] {
  const stages = plans.flatMap(({ command }) =>
    command["aggregate"] === "tokens" ? (command["pipeline"] as { $lookup?: { from: string } }[]) : [],
  );
  return stages.flatMap(({ $lookup }) => $lookup?.from ?? []);
}
