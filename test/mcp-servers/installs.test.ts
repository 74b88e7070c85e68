import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { limits } from "../../contract/limits.ts";
import type { McpAnalyticsPayload, McpInstallPayload } from "../../contract/payloads/mcp-servers.ts";
import { cleanUpAfterMember } from "../../workers/orgs/member-left.ts";
import { newFolder, newMember } from "../support/organization.ts";
import type { TestUser } from "../support/service.ts";
import { remote, setUpServers } from "./fixture.ts";

const fixture = await setUpServers();

const place = { platform: "claude", scope: "global", machine: "laptop" };

const report = (slug: string, user: TestUser, body: object) =>
  fixture.service.call("PUT", `${fixture.base}/${slug}/installs`, { token: user.token, body });
const installsOf = async (slug: string) =>
  (
    await fixture.service.call<McpInstallPayload[]>("GET", `${fixture.base}/${slug}/installs`, {
      token: fixture.owner.token,
    })
  ).data;
const analyticsOf = async (slug: string) =>
  (
    await fixture.service.call<McpAnalyticsPayload>("GET", `${fixture.base}/${slug}/analytics`, {
      token: fixture.owner.token,
    })
  ).data;

describe("installs of MCP servers", () => {
  it("are reported, updated, counted and withdrawn", async () => {
    const { member, owner, service, base } = fixture;
    await fixture.created({ name: "Counted", ...remote });
    assert.equal((await report("counted", member, { ...place, revision: 1 })).status, 200);
    await report("counted", owner, { ...place, platform: "cursor", revision: 1, via: "central" });
    await fixture.change("counted", { description: "new" });
    await report("counted", owner, { ...place, platform: "cursor", revision: 2 });

    const listed = await installsOf("counted");
    const counted = await analyticsOf("counted");

    assert.deepEqual(
      listed.map(({ user, revision, via, updateAvailable }) => [
        user.username,
        revision,
        via,
        updateAvailable,
      ]),
      [
        [owner.username, 2, "local", false],
        [member.username, 1, "local", true],
      ],
    );
    assert.deepEqual(counted, {
      installs: 2,
      outdated: 1,
      members: 2,
      revisions: [
        { revision: 2, installs: 1 },
        { revision: 1, installs: 1 },
      ],
      platforms: [
        { platform: "claude", installs: 1 },
        { platform: "cursor", installs: 1 },
      ],
    });
    const query = "platform=claude&scope=global&machine=laptop";
    await service.call("DELETE", `${base}/counted/installs?${query}`, { token: member.token });
    assert.equal((await analyticsOf("counted")).installs, 1);
  });

  it("are not recorded for the token of an organization", async () => {
    const { owner, service, base, org } = fixture;
    await fixture.created({ name: "Automated", ...remote });
    const made = await service.call<{ token: string }>("POST", `/api/tenants/${org.id}/tokens`, {
      cookie: owner.cookie,
      body: { name: "Robot" },
    });
    const { token } = made.data;
    const target = `${base}/automated/installs`;
    const reported = await service.call("PUT", target, { token, body: { ...place, revision: 1 } });
    const query = new URLSearchParams(place).toString();
    const withdrawn = await service.call("DELETE", `${target}?${query}`, { token });
    const ownReport = await report("automated", owner, { ...place, revision: 1 });

    assert.deepEqual([reported.status, reported.data], [200, { recorded: false }]);
    assert.equal(withdrawn.status, 200);
    assert.deepEqual(ownReport.data, { recorded: true });
    assert.equal((await installsOf("automated")).length, 1);
  });

  it("need an existing revision and a tool that has MCP servers", async () => {
    await fixture.created({ name: "Strict", ...remote });

    const later = await report("strict", fixture.member, { ...place, revision: 2 });
    const aider = await report("strict", fixture.member, { ...place, platform: "aider", revision: 1 });
    const anonymous = await fixture.service.call("PUT", `${fixture.base}/strict/installs`, {
      body: { ...place, revision: 1 },
    });

    assert.equal(later.code, "invalid_request");
    assert.equal(aider.code, "invalid_request");
    assert.equal(anonymous.code, "unauthenticated");
    assert.deepEqual(await installsOf("strict"), []);
  });

  it("are bounded, and end with the membership and with the server", async () => {
    const { service, org, owner, base } = fixture;
    const leaver = await newMember(service, org, "member");
    const server = await fixture.created({ name: "Bounded", ...remote });
    for (let at = 0; at <= limits.installsPerSkill; at++)
      await report("bounded", leaver, { ...place, machine: `m${at}`, revision: 1 });
    assert.equal((await analyticsOf("bounded")).installs, limits.installsPerSkill);
    await report("bounded", owner, { ...place, revision: 1 });

    await service.call("DELETE", `/api/tenants/${org.slug}/members/${leaver.id}`, { token: owner.token });
    const left = await installsOf("bounded");
    assert.deepEqual(
      left.map(({ user }) => user.username),
      [owner.username],
      "before the clean-up",
    );
    await cleanUpAfterMember(service.app, { tenantId: org.id, userId: leaver.id });
    const list = (query: string) =>
      service.call<McpInstallPayload[]>("GET", `${base}/bounded/installs?${query}`, { token: owner.token });
    const page = await list("limit=1");
    assert.deepEqual(
      page.data.map(({ user }) => user.username),
      [owner.username],
    );
    assert.equal(page.nextCursor, null);

    await service.call("DELETE", `${base}/bounded`, { token: owner.token });
    await service.settled();
    assert.deepEqual(await service.app.storage.mcpInstalls.listOfServer(server.id, undefined, 10), []);
  });

  it("can be withdrawn from a server that the member may not see any more", async () => {
    const { service, org, owner, member, base } = fixture;
    const server = await fixture.created({ name: "Hidden", ...remote });
    await report("hidden", member, { ...place, revision: 1 });
    const folder = await newFolder(service, org, owner, "Closed");
    await service.call("PUT", `/api/folders/${folder.id}/access`, {
      token: owner.token,
      body: { restricted: true, grants: [] },
    });
    await fixture.change("hidden", { folderId: folder.id });
    assert.equal((await analyticsOf("hidden")).installs, 1);

    const query = "platform=claude&scope=global&machine=laptop";
    const answer = await service.call("DELETE", `${base}/${server.publicId}/installs?${query}`, {
      token: member.token,
    });

    assert.equal(answer.code, "not_found");
    assert.equal((await analyticsOf("hidden")).installs, 0);
  });
});
