import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { FolderPayload } from "../../contract/payloads/organizations/folders.ts";
import { purge } from "../../workers/maintenance/purge.ts";
import { governed, newFolder, newMember, restrict } from "../support/organization.ts";
import { assertIndexed, plansOf } from "../support/plans.ts";
import type { TestUser } from "../support/service.ts";
import { setUpOrganization } from "../support/set-up.ts";

const granted: FolderPayload[] = [];

const { service, owner, org } = await setUpOrganization({ reportsCommands: true });
const member = await newMember(service, org, "member");
for (let i = 0; i < 20; i++) {
  const folder = await newFolder(service, org, owner, `top/f${i}`);
  if (i % 2 === 0) continue;
  const grants = i % 4 === 1 ? [{ type: "member", id: member.id, level: "viewer" } as const] : [];
  await restrict(service, owner, folder.id, grants);
  if (i % 4 === 1) granted.push(folder);
}
for (let i = 0; i < 60; i++)
  await service.call("POST", "/api/skills", {
    token: owner.token,
    body: { tenantId: org.slug, name: `Filed ${i}`, content: `text ${i}\n`, folder: `top/f${i % 20}` },
  });
await governed(service, org);

const get = (path: string, user: TestUser) => service.call("GET", path, { token: user.token });

describe("the plans of queries about folders", () => {
  it("list the skills that a member with grants may read by index only, in sorted order", async () => {
    const plans = await plansOf(service, async () => {
      for (const target of [
        "/api/skills?limit=5",
        `/api/skills?tenant_id=${org.id}&limit=5`,
        `/api/skills?folder_id=${granted[0]!.id}&limit=5`,
        "/api/skills?query=filed&limit=5",
      ]) {
        const { nextCursor } = await get(target, member);
        if (nextCursor) assert.equal((await get(`${target}&cursor=${nextCursor}`, member)).status, 200);
      }
    });

    assertIndexed(plans, 120);
    for (const { command, stages } of plans.filter((plan) => plan.command["find"] === "skills")) {
      // The skills that the search has found are looked up by id.
      if (JSON.stringify(command).includes('"_id":{"$in"')) continue;
      assert.ok(!stages.includes("SORT"), stages.join(" "));
    }
  });

  it("change the tree, move skills and check access by index only", async () => {
    const [folder] = granted;
    const plans = await plansOf(service, async () => {
      await get(`/api/tenants/${org.slug}/folders`, member);
      await get(`/api/folders/${folder!.id}/access`, owner);
      const made = await newFolder(service, org, owner, "planned/inner");
      await restrict(service, owner, made.id, [{ type: "member", id: member.id, level: "editor" }]);
      const moved = await service.call("POST", `/api/skills/${org.slug}~filed-1/move`, {
        token: owner.token,
        body: { folderId: made.id },
      });
      assert.equal(moved.status, 200, JSON.stringify(moved.body));
      await service.call("PATCH", `/api/folders/${made.id}`, {
        token: owner.token,
        body: { parentId: null },
      });
      await governed(service, org);
      await service.call("POST", `/api/skills/${org.slug}~filed-1/move`, {
        token: owner.token,
        body: { folder: "/" },
      });
      assert.equal(
        (await service.call("DELETE", `/api/folders/${made.id}`, { token: owner.token })).status,
        200,
      );
      await purge(service.app);
    });

    assertIndexed(plans, 120);
  });
});
