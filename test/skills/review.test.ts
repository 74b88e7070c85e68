/** Review of new versions: rules, decisions, and the ways around them. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { AttentionPayload } from "../../contract/payloads/organizations/attention.ts";
import type { CreatedFolderPayload } from "../../contract/payloads/organizations/folders.ts";
import type {
  ReviewPayload,
  ReviewRulePayload,
  WaitingReviewPayload,
} from "../../contract/payloads/skills/reviews.ts";
import type {
  PublishResult,
  SkillPayload,
  VersionPayload,
  VersionResult,
} from "../../contract/payloads/skills/skills.ts";
import { cleanUpAfterTeam } from "../../workers/orgs/team-deleted.ts";
import { newFolder, newMember } from "../support/organization.ts";
import type { TestUser } from "../support/service.ts";
import { setUpOrganization } from "../support/set-up.ts";

const { service, owner, org } = await setUpOrganization();
const author = await newMember(service, org, "member");
const reviewer = await newMember(service, org, "admin");
const second = await newMember(service, org, "admin");
const viewer = await newMember(service, org, "viewer");

const call = <T = unknown>(user: TestUser, method: string, path: string, body?: object) =>
  service.call<T>(method, path, { token: user.token, body });
const setRule = (folder: string, rule: object, user = owner) =>
  call<ReviewRulePayload[]>(user, "PUT", `/api/tenants/${org.slug}/review-rules/${folder}`, rule);

let made = 0;
/** The id of a new team. */
async function newTeam(): Promise<string> {
  const body = { name: `Reviewers ${++made}` };
  return (await call<{ id: string }>(owner, "POST", `/api/tenants/${org.slug}/teams`, body)).data.id;
}

/** A folder with a rule, and a publish of a skill in it. */
async function ruled(rule: object = {}) {
  const name = `Reviewed ${++made}`;
  const folder = await newFolder(service, org, owner, name);
  const set = await setRule(folder.id, rule);
  assert.equal(set.status, 200, JSON.stringify(set.body));
  const published = await call<PublishResult>(author, "POST", "/api/skills", {
    tenantId: org.slug,
    folder: folder.path,
    name: `Skill ${made}`,
    content: "# One\n",
    visibility: "public",
  });
  assert.equal(published.status, 201, JSON.stringify(published.body));
  const { id, slug } = published.data.skill;
  const reviewPath = (version: string) => `/api/skills/${id}/versions/${version}/review`;
  return {
    folder,
    id,
    slug,
    published: published.data,
    push: async (user = author, content = `# ${++made}\n`) =>
      (await call<VersionResult>(user, "POST", `/api/skills/${id}/versions`, { content })).data,
    decide: (user: TestUser, version: string, body: object) =>
      call<ReviewPayload>(user, "POST", reviewPath(version), body),
    approve: (user: TestUser, version: string) =>
      call<ReviewPayload>(user, "POST", reviewPath(version), { decision: "approve" }),
    read: (user: TestUser, version: string) => call<ReviewPayload>(user, "GET", reviewPath(version)),
    status: async (user: TestUser, path = "") => (await call(user, "GET", `/api/skills/${id}${path}`)).status,
  };
}

describe("a review rule", () => {
  it("holds a new skill, which only those who may update or review it see", async () => {
    const skill = await ruled();

    assert.equal(skill.published.version.state, "held");
    assert.deepEqual(skill.published.version.held, ["review"]);
    assert.deepEqual(
      await Promise.all([author, reviewer].map((user) => skill.status(user, "/content?version=1"))),
      [200, 200],
    );
    for (const path of ["", "/versions", "/content", "/content?version=1", "/versions/1.0.0/review"])
      assert.equal(await skill.status(viewer, path), 404, path);
    const names = async (user: TestUser, path: string) =>
      (await call<{ slug: string }[]>(user, "GET", path)).data.map(({ slug }) => slug);
    await service.settled();
    for (const path of [
      `/api/skills?tenant_id=${org.slug}&limit=100`,
      `/api/search?query=${skill.slug}`,
      `/api/explore?query=${skill.slug}`,
    ])
      assert.equal((await names(viewer, path)).includes(skill.slug), false, path);
    const clone = await service.raw(
      "GET",
      `/${org.slug}/${skill.slug}.git/info/refs?service=git-upload-pack`,
    );
    assert.equal(clone.status, 401);
  });

  it("releases it with enough approvals, which the publisher can't give", async () => {
    const skill = await ruled({ approvals: 2 });
    const own = await ruled();
    const byReviewer = await own.push(reviewer);

    assert.equal((await own.approve(reviewer, byReviewer.semver)).code, "forbidden");
    assert.equal((await skill.approve(author, "1.0.0")).code, "forbidden");
    assert.equal((await skill.approve(viewer, "1.0.0")).status, 404);
    const first = await skill.approve(reviewer, "1.0.0");
    const again = await skill.approve(reviewer, "1.0.0");
    assert.deepEqual([first.data.approvals, again.data.approvals], [1, 1]);
    assert.equal(await skill.status(viewer), 404);
    const last = await skill.approve(second, "1.0.0");

    assert.equal(last.data.version.state, "published");
    assert.equal(await skill.status(viewer, "/content"), 200);
    await service.settled();
    const { entries } = (await skill.read(author, "1.0.0")).data;
    assert.deepEqual(
      entries.map(({ kind, by }) => [kind, by.username]),
      [reviewer, second].map(({ username }) => ["approved", username]),
    );
    const found = await call<SkillPayload[]>(viewer, "GET", `/api/explore?query=${skill.slug}`);
    assert.ok(found.data.some(({ slug }) => slug === skill.slug));
  });

  it("takes two approvals at once, and a rejection is final", async () => {
    const skill = await ruled({ approvals: 2 });

    const both = await Promise.all([reviewer, second].map((user) => skill.approve(user, "1.0.0")));
    const next = await skill.push();
    const rejected = await skill.decide(reviewer, next.semver, { decision: "reject", comment: "No" });
    const late = await skill.approve(second, next.semver);

    assert.deepEqual(
      both.map(({ status }) => status),
      [200, 200],
    );
    assert.equal(await skill.status(viewer, "/content"), 200);
    assert.deepEqual([rejected.data.version.state, rejected.data.version.rejected], ["rejected", "No"]);
    assert.equal(late.code, "refused");
    assert.equal((await skill.decide(second, next.semver, { decision: "reject" })).status, 400);
    const listed = await call<VersionPayload[]>(viewer, "GET", `/api/skills/${skill.id}/versions`);
    assert.deepEqual(
      listed.data.map(({ semver }) => semver),
      ["1.0.0"],
    );
  });

  it("counts approvals given at once exactly, and each reviewer's once", async () => {
    for (let round = 0; round < 4; round++) {
      const skill = await ruled({ approvals: 3 });
      const answers = await Promise.all(
        [reviewer, second, reviewer, second].map((user) => skill.approve(user, "1")),
      );
      for (const { status, body } of answers) assert.ok([200, 409].includes(status), JSON.stringify(body));
      await service.settled();
      const { data } = await skill.read(owner, "1");
      assert.deepEqual([data.version.state, data.approvals], ["held", 2]);
      assert.equal(data.entries.filter(({ kind }) => kind === "approved").length, 2);
      assert.equal(await skill.status(viewer), 404);
      const last = await Promise.all([owner, owner].map((user) => skill.approve(user, "1")));
      assert.ok(last.some(({ status }) => status === 200));
      assert.equal((await skill.read(owner, "1")).data.version.state, "published");
    }
  });

  it("is not decided by a reviewer who lost the role, the team or the membership after looking at it", async () => {
    const teamId = await newTeam();
    const losses: ((user: TestUser) => Promise<{ status: number }>)[] = [
      (user) => call(owner, "PATCH", `/api/tenants/${org.slug}/members/${user.id}`, { role: "member" }),
      (user) => call(owner, "DELETE", `/api/tenants/${org.slug}/teams/${teamId}/members/${user.id}`),
      (user) => call(owner, "DELETE", `/api/tenants/${org.slug}/members/${user.id}`),
    ];
    for (const lose of losses) {
      const skill = await ruled({ approvals: 1, teamIds: [teamId] });
      const former = await newMember(service, org, "admin", [teamId]);
      assert.equal((await skill.read(former, "1")).data.mayDecide, true);
      assert.ok((await lose(former)).status < 300);
      for (const decision of ["approve", "reject"]) {
        const { status } = await skill.decide(former, "1", { decision, comment: "Now." });
        assert.ok(status === 403 || status === 404, String(status));
      }
      assert.equal((await skill.read(owner, "1")).data.version.state, "held");
    }
  });

  it("names teams, counts as it is when the decision is made, and survives its removal", async () => {
    const team = await newTeam();
    const inTeam = await newMember(service, org, "admin", [team]);
    const skill = await ruled({ teamIds: [team] });

    const outside = await skill.approve(reviewer, "1.0.0");
    const inside = await skill.approve(inTeam, "1.0.0");
    const next = (await skill.push()).semver;
    await setRule(skill.folder.id, { approvals: 2 });
    const one = await skill.approve(reviewer, next);
    await call(owner, "DELETE", `/api/tenants/${org.slug}/review-rules/${skill.folder.id}`);
    const last = await skill.approve(second, next);

    assert.equal(outside.code, "forbidden");
    assert.equal(inside.data.version.state, "published");
    assert.equal(one.data.version.state, "held");
    assert.equal(last.data.version.state, "published");
    assert.equal((await skill.push()).state, "published");
  });

  it("is released by an approval that was given when more were required, and after its only team is gone", async () => {
    const team = await newTeam();
    const skill = await ruled({ approvals: 2, teamIds: [team] });
    await setRule(skill.folder.id, { approvals: 2 });
    await skill.approve(reviewer, "1.0.0");
    await setRule(skill.folder.id, { approvals: 1, teamIds: [team] });
    assert.equal((await skill.approve(reviewer, "1.0.0")).code, "forbidden");
    assert.equal((await call(owner, "DELETE", `/api/tenants/${org.id}/teams/${team}`)).status, 200);
    await cleanUpAfterTeam(service.app, { teamId: team });

    const released = await skill.approve(reviewer, "1.0.0");

    assert.equal(released.data.version.state, "published");
    await service.settled();
    const events = await service.app.storage.database.raw
      .collection("audit_events")
      .countDocuments({ name: "skill.version_approved", resourceId: skill.id });
    assert.equal(events, 1);
  });

  it("of a deleted folder does not count", async () => {
    const skill = await ruled();
    const gone = await newFolder(service, org, owner, `Gone ${++made}`);
    await setRule(gone.id, {});
    assert.equal((await call(owner, "DELETE", `/api/folders/${gone.id}`)).status, 200);

    await setRule(skill.folder.id, { approvals: 2 });

    const tenant = await service.app.storage.tenants.find(org.id);
    assert.deepEqual(
      [tenant?.reviewRules?.[gone.id], tenant?.reviewRules?.[skill.folder.id]?.approvals],
      [undefined, 2],
    );
  });

  it("is decided by people alone: not by tokens with scopes, of others or of the organization", async () => {
    const skill = await ruled();
    const scoped = await call<{ token: string }>(reviewer, "POST", "/api/user/tokens", {
      name: "scoped",
      scopes: { skill: ["read", "update"] },
    });
    const ofOrg = await call<{ token: string }>(reviewer, "POST", `/api/tenants/${org.slug}/tokens`, {
      name: `bot ${made}`,
    });
    const path = `/api/skills/${skill.id}/versions/1.0.0/review`;
    const body = { decision: "approve" };

    for (const { token } of [scoped.data, ofOrg.data])
      assert.equal((await service.call("POST", path, { token, body })).code, "forbidden");
    const byBot = await service.call<VersionResult>("POST", `/api/skills/${skill.id}/versions`, {
      token: ofOrg.data.token,
      body: { content: "# By a bot\n" },
    });

    // The creator of the token has published it.
    assert.equal((await skill.approve(reviewer, byBot.data.semver)).code, "forbidden");
    assert.equal((await skill.approve(second, byBot.data.semver)).data.version.state, "published");
  });

  it("can't be passed by a move, of the skill or of a folder", async () => {
    const { id, folder } = await ruled();
    const parent = await newFolder(service, org, owner, `Free ${made}`);
    const free = await call<PublishResult>(author, "POST", "/api/skills", {
      tenantId: org.slug,
      folder: parent.path,
      name: `Free ${made}`,
      content: "# Free\n",
    });

    const out = await call(author, "POST", `/api/skills/${id}/move`, { folderId: parent.id });
    const into = await call(author, "POST", `/api/skills/${free.data.skill.id}/move`, {
      folderId: folder.id,
    });
    const inner = await call<CreatedFolderPayload>(author, "POST", `/api/tenants/${org.slug}/folders`, {
      path: `${folder.path}/inner`,
    });
    const moved = await call(author, "PATCH", `/api/folders/${inner.data.folder.id}`, {
      parentId: parent.id,
    });

    assert.deepEqual([out.code, into.code, moved.code], ["forbidden", "forbidden", "forbidden"]);
    assert.equal(
      (await call(reviewer, "POST", `/api/skills/${id}/move`, { folderId: parent.id })).status,
      200,
    );
  });

  it("needs the right to manage access, and is listed for those who see the folder", async () => {
    const { folder } = await ruled({ approvals: 3 });

    assert.equal((await setRule(folder.id, {}, author)).code, "forbidden");
    assert.equal((await setRule("root", {}, author)).code, "forbidden");
    assert.equal((await setRule("0".repeat(24), {})).status, 404);
    assert.equal((await setRule(folder.id, { approvals: 4 })).status, 400);
    const listed = await call<ReviewRulePayload[]>(viewer, "GET", `/api/tenants/${org.slug}/review-rules`);
    assert.equal(listed.data.find(({ folderId }) => folderId === folder.id)?.approvals, 3);
  });
});

describe("waiting reviews", () => {
  it("are shown to those who decide, with comments and the version to compare with", async () => {
    const skill = await ruled();
    await skill.approve(reviewer, "1.0.0");
    const next = (await skill.push()).semver;
    const path = `/api/tenants/${org.slug}/reviews?limit=100`;
    const waitingOf = async (user: TestUser) =>
      (await call<WaitingReviewPayload[]>(user, "GET", path)).data.filter((one) => one.skill.id === skill.id);
    const attention = async (user: TestUser) =>
      (await call<AttentionPayload>(user, "GET", "/api/user/attention")).data.items.some(
        ({ kind, label }) => kind === "review_waiting" && label === `${skill.slug}@${next}`,
      );

    assert.deepEqual(
      (await waitingOf(reviewer)).map((one) => [one.version.semver, one.mayDecide, one.needed]),
      [[next, true, 1]],
    );
    assert.deepEqual(
      (await waitingOf(author)).map(({ mayDecide }) => mayDecide),
      [false],
    );
    assert.deepEqual(await waitingOf(viewer), []);
    assert.deepEqual(await Promise.all([reviewer, author, viewer].map(attention)), [true, false, false]);
    const commented = await call(author, "POST", `/api/skills/${skill.id}/versions/${next}/review/comments`, {
      text: "Why so?",
      path: "SKILL.md",
      line: 1,
    });
    assert.equal(commented.status, 201);
    const { follows, entries, readers } = (await skill.read(reviewer, next)).data;
    assert.equal(follows?.semver, "1.0.0");
    assert.equal((await skill.read(reviewer, "1.0.0")).data.follows, null);
    assert.deepEqual(
      entries.map(({ text, line }) => [text, line]),
      [["Why so?", 1]],
    );
    assert.ok(readers >= 5);
    const diff = await call(reviewer, "GET", `/api/skills/${skill.id}/diff?from=1.0.0&to=${next}`);
    assert.equal(diff.status, 200);
    assert.equal(
      (await call(viewer, "GET", `/api/skills/${skill.id}/diff?from=1.0.0&to=${next}`)).status,
      404,
    );
  });

  it("are listed by ten of a skill, and have the whole text of a rejection", async () => {
    const skill = await ruled();
    for (let count = 0; count < 10; count++) await skill.push();
    const path = `/api/tenants/${org.slug}/reviews?limit=100`;
    const { data } = await call<WaitingReviewPayload[]>(reviewer, "GET", path);
    assert.equal(data.filter((one) => one.skill.id === skill.id).length, 10);

    const comment = "too long a name; ".repeat(100).trim();
    const { version } = (await skill.decide(reviewer, "1.0.0", { decision: "reject", comment })).data;
    await service.settled();
    const [entry] = (await skill.read(reviewer, "1.0.0")).data.entries;
    assert.match(version.rejected!, /^too long a name; .{1,183}…$/);
    assert.deepEqual([entry?.kind, entry?.text], ["rejected", comment]);
  });

  it("begin with the write of a rule, also if its propagation is interrupted", async (t) => {
    const other = await service.newOrg(author);
    const { memberships } = service.app.storage;
    const failing = t.mock.method(memberships, "follow", () => Promise.reject(new Error("it ends")));
    await call(author, "PUT", `/api/tenants/${other.slug}/review-rules/root`, { approvals: 1 });
    failing.mock.restore();

    const published = await call<PublishResult>(author, "POST", "/api/skills", {
      tenantId: other.slug,
      name: "Ruled at once",
      content: "# One\n",
    });

    assert.equal(published.data.version.state, "held");
  });

  it("do not wait twice for equal content, and follow the newest that waits", async () => {
    const skill = await ruled();
    const body = { content: "# Same\n", ifChanged: true };

    const first = await call<VersionResult>(author, "POST", `/api/skills/${skill.id}/versions`, body);
    const again = await call<VersionResult>(author, "POST", `/api/skills/${skill.id}/versions`, body);

    assert.equal(first.data.state, "held");
    assert.deepEqual([again.data.unchanged, again.data.semver], [true, first.data.semver]);
    await skill.approve(reviewer, first.data.semver);
    const shown = await call<SkillPayload>(viewer, "GET", `/api/skills/${skill.id}`);
    assert.equal(shown.data.currentSemver, first.data.semver);
    assert.equal((await skill.approve(reviewer, "1.0.0")).data.version.state, "published");
    assert.equal(
      (await call<SkillPayload>(viewer, "GET", `/api/skills/${skill.id}`)).data.currentSemver,
      first.data.semver,
    );
  });
});
