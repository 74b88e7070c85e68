/** An organization with workspaces, as the tests of workspaces use it. */
import assert from "node:assert/strict";
import type {
  WorkspacePayload,
  WorkspaceSettingsPayload,
} from "../../contract/payloads/organizations/workspaces.ts";
import type { PublishResult, SkillPayload } from "../../contract/payloads/skills/skills.ts";
import { processors } from "../../workers/processors.ts";
import { newMember } from "../support/organization.ts";
import type { Answer, TestOrg, TestService, TestUser } from "../support/service.ts";

export interface Fixture {
  service: TestService;
  org: TestOrg;
  owner: TestUser;
  /** A call below the path of the organization's workspaces. */
  at<T = Record<string, unknown>>(
    user: TestUser,
    method: string,
    path?: string,
    body?: unknown,
  ): Promise<Answer<T>>;
  join(role?: string): Promise<TestUser>;
  /** Ends a membership and runs the job that follows. */
  leave(user: TestUser): Promise<void>;
  enable(body?: object): Promise<void>;
  /** Runs the job that reconciles workspaces. */
  sync(): Promise<void>;
  overview(user?: TestUser): Promise<WorkspaceSettingsPayload>;
  workspaceOf(user: TestUser): Promise<WorkspacePayload | undefined>;
  publish(user: TestUser, name: string, fields?: object): Promise<Answer<PublishResult>>;
  /** Slugs of the skills in a user's list. */
  skills(user: TestUser, query?: string): Promise<string[]>;
  /** Workspace events in the organization's log, oldest first. */
  events(name?: string): Promise<{ name: string; userId: string; metadata: Record<string, unknown> }[]>;
}

export async function makeFixture(service: TestService): Promise<Fixture> {
  const owner = await service.newUser();
  const org = await service.newOrg(owner);
  const jobs = processors(service.app);
  const fixture: Fixture = {
    service,
    org,
    owner,
    at: (user, method, path = "", body) =>
      service.call(method, `/api/tenants/${org.slug}/personal-workspaces${path}`, {
        token: user.token,
        body,
      }),
    join: (role = "member") => newMember(service, org, role),
    async leave(user) {
      const left = await service.call("DELETE", `/api/tenants/${org.id}/members/${user.id}`, {
        token: user.token,
      });
      assert.equal(left.status, 200, JSON.stringify(left.body));
      await jobs["orgs.member-left"]({ tenantId: org.id, userId: user.id });
    },
    async enable(body = {}) {
      const enabled = await fixture.at(owner, "POST", "/enable", body);
      assert.equal(enabled.status, 200, JSON.stringify(enabled.body));
      await fixture.sync();
    },
    sync: () => jobs["workspaces.sync"]({ tenantId: org.id }),
    async overview(user = owner) {
      const read = await fixture.at<WorkspaceSettingsPayload>(user, "GET");
      assert.equal(read.status, 200, JSON.stringify(read.body));
      return read.data;
    },
    async workspaceOf(user) {
      const list = await fixture.at<WorkspacePayload[]>(owner, "GET", "/members?limit=200");
      return list.data.find((one) => one.userId === user.id);
    },
    publish: (user, name, fields = {}) =>
      service.call("POST", "/api/skills", {
        token: user.token,
        body: { tenantId: org.slug, name, content: `# ${name}\nzebra\n`, personal: true, ...fields },
      }),
    async skills(user, query = "") {
      const list = await service.call<SkillPayload[]>("GET", `/api/skills?limit=200${query}`, {
        token: user.token,
      });
      assert.equal(list.status, 200, JSON.stringify(list.body));
      return list.data.map((skill) => skill.slug);
    },
    async events(name) {
      await service.settled();
      const rows = await service.app.storage.database.raw
        .collection("audit_events")
        .find({ tenantId: org.id, name: name ?? /^personal_workspace/ })
        .sort({ createdAt: 1, _id: 1 })
        .toArray();
      return rows.map((row) => ({
        name: row["name"] as string,
        userId: row["resourceId"] as string,
        metadata: row["metadata"] as Record<string, unknown>,
      }));
    },
  };
  return fixture;
}
