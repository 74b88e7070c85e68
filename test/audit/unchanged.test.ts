/** Updates that change nothing, and actions that nothing records any more. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { PublishResult } from "../../contract/payloads/skills/skills.ts";
import { eventNames } from "../../contract/vocabulary.ts";
import { makeSystemEvent } from "../../src/audit/events.ts";
import { newFolder } from "../support/organization.ts";
import { setUpOrganization } from "../support/set-up.ts";

const { service, owner, org } = await setUpOrganization();

interface Entry {
  action: string;
  metadata: object;
}

const at = (path: string) => `/api/tenants/${org.slug}${path}`;
const call = <T>(method: string, path: string, body?: object) =>
  service.call<T>(method, path, { token: owner.token, body });
const log = (query = "") => call<{ entries: Entry[] }>("GET", at(`/audit-log?limit=100${query}`));

interface Subject {
  /** Path of the record, of whose collection `read` returns it. */
  path: string;
  method?: "PUT";
  collection: string;
  id: string;
  /** Values that the record has. */
  same: object[];
  change: object;
}

async function created<T extends { id: string }>(path: string, body: object): Promise<T> {
  const made = await call<T>("POST", path, body);
  assert.equal(made.status, 201, JSON.stringify(made.body));
  return made.data;
}

const subjects: Record<string, () => Promise<Subject>> = {
  async skill() {
    const fields = { name: "Still", description: "As it is.", tags: ["a", "b"], visibility: "unlisted" };
    const made = await call<PublishResult>("POST", "/api/skills", {
      tenantId: org.slug,
      content: "still\n",
      ...fields,
    });
    const { id } = made.data.skill;
    const { description, tags, visibility } = made.data.skill;
    return {
      path: `/api/skills/${id}`,
      method: "PUT",
      collection: "skills",
      id,
      same: [{ name: "Still" }, { description, tags, visibility }, { requiredMcpServers: [] }],
      change: { name: "Stiller" },
    };
  },
  async organization() {
    const path = `/api/tenants/${org.id}`;
    const { name, slug } = (await call<{ name: string; slug: string }>("GET", path)).data;
    const same = [{ name }, { slug }, { description: "" }, { maxTokenDays: null }];
    return { path, collection: "tenants", id: org.id, same, change: { description: "Changed." } };
  },
  async team() {
    const { id } = await created(at("/teams"), { name: "Quiet", roles: ["viewer"] });
    const same = [{ name: "Quiet" }, { roles: ["viewer"] }, { name: "Quiet", roles: ["viewer"] }];
    return { path: at(`/teams/${id}`), collection: "teams", id, same, change: { roles: [] } };
  },
  async role() {
    const permissions = { skill: ["read", "create"] };
    const { id } = await created(at("/roles"), { name: "Calm", permissions });
    const same = [{ name: "Calm" }, { permissions }];
    return { path: at(`/roles/${id}`), collection: "roles", id, same, change: { permissions: {} } };
  },
  async policy() {
    const fields = { name: "CI", repository: "octo/repo", ref: "refs/heads/main" };
    const { id } = await created(at("/oidc-policies"), { provider: "github", ...fields });
    const same = [{ name: "CI" }, fields, { environment: null }, { enabled: true }];
    return {
      path: at(`/oidc-policies/${id}`),
      collection: "oidc_policies",
      id,
      same,
      change: { name: "CD" },
    };
  },
  async folder() {
    const { id } = await newFolder(service, org, owner, "silent");
    const same = [{ name: "silent" }, { parentId: null }];
    return { path: `/api/folders/${id}`, collection: "folders", id, same, change: { name: "loud" } };
  },
  async collection() {
    const fields = { name: "Collection", description: "", public: false, skills: [] };
    const { id } = await created(at("/collections"), fields);
    return {
      path: at(`/collections/${id}`),
      collection: "skill_collections",
      id,
      same: [fields],
      change: { name: "Other" },
    };
  },
  async server() {
    const fields = { name: "Server", url: "https://mcp.example.com/mcp" };
    const { id } = await created(at("/mcp-servers"), { transport: "http", ...fields });
    return {
      path: at(`/mcp-servers/${id}`),
      collection: "mcp_servers",
      id,
      same: [fields],
      change: { name: "Other" },
    };
  },
};

describe("an update without a change", () => {
  for (const [kind, make] of Object.entries(subjects))
    it(`is not recorded, and leaves updatedAt (${kind})`, async () => {
      const { path, method = "PATCH", collection, id, same, change } = await make();
      await service.settled();
      const read = async () => {
        const found = await service.app.storage.database.raw
          .collection<{ _id: string; updatedAt: Date; epoch?: number }>(collection)
          .findOne({ _id: id });
        return { updatedAt: found!.updatedAt, epoch: found!.epoch };
      };
      const before = await read();
      const { entries } = (await log()).data;

      for (const body of same) {
        const answer = await call(method, path, body);
        assert.equal(answer.status, 200, JSON.stringify([body, answer.body]));
      }
      await service.settled();

      assert.deepEqual(await read(), before);
      assert.deepEqual((await log()).data.entries.length, entries.length);
      assert.equal((await call(method, path, change)).status, 200);
      await service.settled();
      assert.equal((await log()).data.entries.length, entries.length + 1);
      assert.notDeepEqual((await read()).updatedAt, before.updatedAt);
    });
});

describe("an action of earlier releases", () => {
  it("can be filtered by, and is listed", async () => {
    const action = "organization.auto_join_invitation_created" as const;
    assert.ok(eventNames.includes(action));
    const { app } = service;
    const about = { tenantId: org.id, resourceType: "invitation", resourceId: app.newId() } as const;
    await app.storage.auditEvents.record([makeSystemEvent(app, action, about)]);

    const found = (await log(`&action=${action}`)).data.entries;
    const grouped = (await log("&action=organization.*")).data.entries;

    assert.deepEqual(
      found.map((entry) => entry.action),
      [action],
    );
    assert.ok(grouped.some((entry) => entry.action === action));
  });
});
