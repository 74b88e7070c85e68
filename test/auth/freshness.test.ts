import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { newFolder, newMember, publishSkill, restrict } from "../support/organization.ts";
import { newOrganization, setUpService } from "../support/set-up.ts";

const { service: here } = await setUpService();
/** A second process on the same database. */
const { service: there } = await setUpService();
const { owner, org } = await newOrganization(here);

/** Reads without pause until `end` is called, so that look-ups are always under way. */
function keepReading(path: string, token: string): { end(): Promise<void> } {
  const ending = new AbortController();
  const readers = Array.from({ length: 6 }, async () => {
    while (!ending.signal.aborted) await (await there.raw("GET", path, { token })).arrayBuffer();
  });
  return {
    async end() {
      ending.abort();
      await Promise.all(readers);
    },
  };
}

const statusOf = async (path: string, token: string) => (await there.call("GET", path, { token })).status;

describe("concurrent reads in another process", () => {
  it("are refused from the next request on after a token is revoked", async () => {
    for (let round = 0; round < 3; round++) {
      const minted = await here.call<{ id: string; token: string }>("POST", "/api/user/tokens", {
        cookie: owner.cookie,
        body: { name: `round ${round}` },
      });
      const { id, token } = minted.data;
      const reading = keepReading("/api/skills", token);
      assert.equal(await statusOf("/api/user/profile", token), 200);

      const revoked = await here.call("DELETE", `/api/user/tokens/${id}`, { cookie: owner.cookie });
      const statuses = await Promise.all([1, 2, 3].map(() => statusOf("/api/user/profile", token)));

      assert.equal(revoked.status, 200);
      assert.deepEqual(statuses, [401, 401, 401]);
      await reading.end();
    }
  });

  it("follow a restriction, a grant and the end of a membership from the next request on", async () => {
    const member = await newMember(here, org, "member");
    const folder = await newFolder(here, org, owner, "shared");
    const skill = await publishSkill(here, org, owner, {
      name: "Shared",
      folder: "shared",
      visibility: "private",
    });
    const path = `/api/skills/${skill.id}`;
    const listed = async () =>
      (await there.call<{ id: string }[]>("GET", "/api/skills", { token: member.token })).data.length;
    const reading = keepReading(path, member.token);
    assert.deepEqual([await statusOf(path, member.token), await listed()], [200, 1]);

    await restrict(here, owner, folder.id, []);
    assert.deepEqual([await statusOf(path, member.token), await listed()], [404, 0]);

    await restrict(here, owner, folder.id, [{ type: "member", id: member.id, level: "viewer" }]);
    assert.equal(await statusOf(path, member.token), 200);

    const removed = await here.call("DELETE", `/api/tenants/${org.id}/members/${member.id}`, {
      token: owner.token,
    });
    assert.equal(removed.status, 200);
    assert.deepEqual([await statusOf(path, member.token), await listed()], [404, 0]);
    await reading.end();
  });

  it("follow a skill that moves between the root and a restricted folder, and a new role", async () => {
    const member = await newMember(here, org, "member");
    const folder = await newFolder(here, org, owner, "closed");
    await restrict(here, owner, folder.id, []);
    const made = await here.call<{ skill: { id: string } }>("POST", "/api/skills", {
      token: owner.token,
      body: { tenantId: org.slug, name: "Moving", content: "text\n", visibility: "private" },
    });
    const path = `/api/skills/${made.data.skill.id}`;
    const moveTo = async (folderId: string | null) => {
      const moved = await here.call("POST", `${path}/move`, { token: owner.token, body: { folderId } });
      assert.equal(moved.status, 200, moved.error);
    };
    const reading = keepReading(path, member.token);
    const statuses = [await statusOf(path, member.token), await statusOf(path, member.token)];
    for (const place of [folder.id, null, folder.id]) {
      await moveTo(place);
      statuses.push(await statusOf(path, member.token));
    }
    assert.deepEqual(statuses, [200, 200, 404, 200, 404]);

    await moveTo(null);
    const role = await here.call<{ id: string }>("POST", `/api/tenants/${org.id}/roles`, {
      token: owner.token,
      body: { name: "Without skills", permissions: { member: ["read"] } },
    });
    assert.equal(await statusOf(path, member.token), 200);
    const changed = await here.call("PATCH", `/api/tenants/${org.id}/members/${member.id}`, {
      token: owner.token,
      body: { role: role.data.id },
    });
    assert.equal(changed.status, 200, changed.error);
    assert.equal(await statusOf(path, member.token), 404);
    await reading.end();
  });
});
