/** An organization with members, as the tests of organizations use it. */
import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { beforeEach } from "node:test";
import type {
  InvitationPayload,
  MemberPayload,
  RolePayload,
  TeamPayload,
} from "../../contract/payloads/organizations/organizations.ts";
import { mailInvitation } from "../../src/orgs/invitations/mail.ts";
import { repairOwners } from "../../src/orgs/owners.ts";
import { cleanUpAfterMembers } from "../../workers/orgs/member-left.ts";
import { cleanUpAfterTeams } from "../../workers/orgs/team-deleted.ts";
import { readMail, type ReadMail } from "../support/mail-text.ts";
import { addMember, confirmAddress } from "../support/organization.ts";
import type { Answer, TestOrg, TestService, TestUser } from "../support/service.ts";
import { setUpService } from "../support/set-up.ts";

export interface Fixture {
  service: TestService;
  org: TestOrg;
  owner: TestUser;
  /** A new account, added to the organization with this role. */
  join(role: string, username?: string): Promise<TestUser>;
  /** Adds an existing account to the organization. */
  add(user: TestUser, role: string): Promise<void>;
  /** A call below the organization's path, by a user. */
  at<T = Record<string, unknown>>(
    user: TestUser,
    method: string,
    path: string,
    body?: unknown,
  ): Promise<Answer<T>>;
  newTeam(name: string, roles?: string[]): Promise<string>;
  newRole(name: string, permissions: Record<string, string[]>): Promise<string>;
  /** Invites and sends the mail; returns the token of its link. */
  invite(by: TestUser, email: string, offer?: object): Promise<{ id: string; token: string }>;
  /** The token of the newest invitation to a user's address. */
  lastInvitation(user: TestUser): Promise<string>;
  memberOf(user: TestUser): Promise<MemberPayload | undefined>;
  /** The number of the user's active memberships in the organization. */
  countActive(user: TestUser): Promise<number>;
  /** The user's current permissions in the organization. */
  permissionsOf(user: TestUser): Promise<Record<string, string[]>>;
  /** Names of the events in the organization's log, oldest first. */
  events(): Promise<string[]>;
  /** Runs the jobs of organizations. */
  cleanUp(): Promise<void>;
}

/** A service, with an organization created before each test, which `use` keeps, and the clock at the present time. */
export async function setUpFixtures(use: (fixture: Fixture) => void) {
  const { service, clock } = await setUpService();
  beforeEach(async () => {
    clock.aheadMs = 0;
    use(await makeFixture(service));
  });
  return { service, clock };
}

export async function makeFixture(service: TestService, owner?: TestUser): Promise<Fixture> {
  const founder = owner ?? (await service.newUser());
  const org = await service.newOrg(founder);
  await confirmAddress(service, founder);
  const fixture: Fixture = {
    service,
    org,
    owner: founder,
    async join(role, username) {
      const user = await service.newUser(username);
      await confirmAddress(service, user);
      await fixture.add(user, role);
      return user;
    },
    async add(user, role) {
      await addMember(service, org, user, role);
      await repairOwners(service.app, org.id);
    },
    at: (user, method, below, body) =>
      service.call(method, `/api/tenants/${org.id}${below}`, {
        token: user.token,
        body,
      }),
    async newTeam(name, roles = []) {
      const made = await fixture.at<TeamPayload>(founder, "POST", "/teams", { name, roles });
      assert.equal(made.status, 201, JSON.stringify(made.body));
      return made.data.id;
    },
    async newRole(name, permissions) {
      const made = await fixture.at<RolePayload>(founder, "POST", "/roles", { name, permissions });
      assert.equal(made.status, 201, JSON.stringify(made.body));
      return made.data.id;
    },
    async invite(by, email, offer = {}) {
      const made = await fixture.at<InvitationPayload>(by, "POST", "/invitations", { email, ...offer });
      assert.equal(made.status, 201, JSON.stringify(made.body));
      await endPause(service);
      await mailInvitation(service.app, made.data.id);
      const { link } = (await invitationMailsTo(service, email)).at(-1)!;
      return { id: made.data.id, token: link.slice(link.lastIndexOf("/") + 1) };
    },
    async lastInvitation({ username }) {
      const email = `${username}@example.com`;
      const pending = await service.app.storage.invitations.findPending(org.id, email);
      await endPause(service);
      await mailInvitation(service.app, pending!._id);
      const { link } = (await invitationMailsTo(service, email)).at(-1)!;
      return link.slice(link.lastIndexOf("/") + 1);
    },
    async memberOf(user) {
      const list = await fixture.at<MemberPayload[]>(founder, "GET", `/members?query=${user.username}`);
      return list.data.find((member) => member.userId === user.id);
    },
    countActive: (user) =>
      service.app.storage.database.raw
        .collection("memberships")
        .countDocuments({ tenantId: org.id, userId: user.id, active: true }),
    async permissionsOf(user) {
      const read = await fixture.at<{ permissions: Record<string, string[]> }>(user, "GET", "");
      return read.status === 200 ? read.data.permissions : {};
    },
    async events() {
      await service.settled();
      const rows = await service.app.storage.database.raw
        .collection("audit_events")
        .find({ tenantId: org.id })
        .sort({ createdAt: 1, _id: 1 })
        .toArray();
      return rows.map((row) => row["name"] as string);
    },
    async cleanUp() {
      await service.settled();
      const now = new Date(service.app.now().getTime() + 1);
      await cleanUpAfterMembers(service.app, now);
      await cleanUpAfterTeams(service.app, now);
    },
  };
  return fixture;
}

/** Ends the pause between mails to one address, so that a test need not wait. */
async function endPause(service: TestService): Promise<void> {
  await service.app.storage.database.raw.collection("mail_budgets").deleteMany({});
}

/** Mails with an invitation to an address, oldest first: the account has others, about its sessions and tokens. */
export async function invitationMailsTo(service: TestService, email: string): Promise<ReadMail[]> {
  const folder = path.join(service.app.config.dataDir, "mail");
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith(".eml")).sort();
  const mails = await Promise.all(names.map((name) => readFile(path.join(folder, name), "utf8")));
  return mails
    .map(readMail)
    .filter(({ headers }) => headers["to"]?.toLowerCase() === email.toLowerCase())
    .filter(({ link }) => link.includes("/invitations/"));
}
