/** Mails to reviewers who ask for them, about versions that begin to wait for their review. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type {
  FollowedChangePayload,
  FollowMailPayload,
} from "../../contract/payloads/organizations/following.ts";
import type { PublishResult, VersionResult } from "../../contract/payloads/skills/skills.ts";
import { unsubscribeUrl } from "../../src/skills/following/unsubscribe-link.ts";
import { sendFollowMails } from "../../workers/mail/followed.ts";
import { takeMails } from "../support/mailbox.ts";
import { confirmAddress, newFolder, newMember } from "../support/organization.ts";
import type { TestUser } from "../support/service.ts";
import { setUpOrganization } from "../support/set-up.ts";

const { service, clock, owner, org } = await setUpOrganization();
const { app } = service;
const call = async <T>(user: TestUser, method: string, path: string, body?: object) => {
  const answer = await service.call<T>(method, path, { token: user.token, body });
  assert.ok(answer.status < 300, JSON.stringify(answer.body));
  return answer.data;
};
const choose = (user: TestUser, choice: object) =>
  call<FollowMailPayload>(user, "PUT", "/api/user/follow-mails", choice);
async function newReviewer(teamIds: string[] = []): Promise<TestUser> {
  const user = await newMember(service, org, "admin", teamIds);
  await confirmAddress(service, user);
  return user;
}
const author = await newMember(service, org, "member");
const reviewer = await newReviewer();
const silent = await newReviewer();
const viewer = await newMember(service, org, "viewer");
await confirmAddress(service, viewer);
for (const user of [reviewer, viewer, author]) await choose(user, { reviews: true });

let made = 0;
/** Publishes a skill under a rule, whose first version waits. */
async function publishWaiting(rule: object = {}) {
  const folder = await newFolder(service, org, owner, `Reviewed ${++made}`);
  await call(owner, "PUT", `/api/tenants/${org.slug}/review-rules/${folder.id}`, { approvals: 1, ...rule });
  const body = { tenantId: org.slug, folder: folder.path, name: `Skill ${made}`, content: "# One\n" };
  const { skill } = await call<PublishResult>(author, "POST", "/api/skills", body);
  await service.settled();
  return skill;
}

/** Mails that are sent some minutes later, by the name of the recipient. */
async function mailsAfter(minutes: number) {
  await service.settled();
  clock.advance(minutes * 60_000);
  takeMails(app);
  await sendFollowMails(app);
  return takeMails(app)
    .filter(({ headers }) => headers["list-unsubscribe"] !== undefined)
    .map(({ to, subject, text }) => ({ to: to.split("@")[0], subject, text }));
}

describe("mails about reviews", () => {
  it("are a choice of each person, and off at first", async () => {
    assert.deepEqual(await call(silent, "GET", "/api/user/follow-mails"), { mail: "daily", reviews: false });
    assert.deepEqual(await choose(silent, { reviews: true }), { mail: "daily", reviews: true });
    assert.deepEqual(await choose(silent, { mail: "off" }), { mail: "off", reviews: true });
    assert.deepEqual(await choose(silent, { reviews: false }), { mail: "off", reviews: false });
    assert.deepEqual(await choose(silent, { mail: "daily" }), { mail: "daily", reviews: false });
    assert.deepEqual(await choose(silent, {}), { mail: "daily", reviews: false });
  });

  it("go to those who may decide and asked for them, within minutes, with a link", async () => {
    await choose(reviewer, { mail: "off" });
    const { slug } = await publishWaiting();

    const mails = await mailsAfter(2);

    assert.deepEqual(
      mails.map(({ to, subject }) => [to, subject]),
      [[reviewer.username, `${slug} has the version 1.0.0, which waits for a review`]],
    );
    const { text } = mails[0]!;
    assert.match(text, new RegExp(`/${org.slug}/-/reviews/${slug}/1\\.0\\.0\\n`));
    assert.match(text, /because you asked for mails about versions that wait for your review\./);
    assert.deepEqual(await mailsAfter(60), []);
  });

  it("are one about all that waits, without what others decided in between", async () => {
    const decided = await publishWaiting();
    await publishWaiting();
    await publishWaiting();
    await call(owner, "POST", `/api/skills/${decided.id}/versions/1.0.0/review`, { decision: "approve" });

    const mails = await mailsAfter(20);

    assert.deepEqual(
      mails.map(({ to, subject }) => [to, subject]),
      [[reviewer.username, "2 versions wait for your review"]],
    );
    assert.doesNotMatch(mails[0]!.text, new RegExp(`${decided.slug} `));
  });

  it("do not go to those who lost the role, are in none of the teams or published the version", async () => {
    const former = await newReviewer();
    const team = await call<{ id: string }>(owner, "POST", `/api/tenants/${org.slug}/teams`, {
      name: "Team",
    });
    const inTeam = await newReviewer([team.id]);
    for (const user of [former, inTeam]) await choose(user, { reviews: true });
    const { id } = await publishWaiting({ teamIds: [team.id] });
    const pushed = await call<VersionResult>(inTeam, "POST", `/api/skills/${id}/versions`, {
      content: "# Two\n",
    });
    assert.equal(pushed.state, "held");
    await call(owner, "PATCH", `/api/tenants/${org.slug}/members/${former.id}`, { role: "member" });

    const mails = await mailsAfter(20);

    assert.deepEqual(
      mails.map(({ to, text }) => [to, /version 1\.0\.0/.test(text), /version 1\.0\.1/.test(text)]),
      [[inTeam.username, true, false]],
    );
    const shown = await call<FollowedChangePayload[]>(former, "GET", "/api/user/followed-changes?limit=100");
    assert.deepEqual(
      shown.filter(({ kind }) => kind === "review"),
      [],
    );
  });

  it("end with the choice, also for what waits, and with the link of a mail", async () => {
    await publishWaiting();
    await choose(reviewer, { reviews: false });
    const told = (await mailsAfter(20)).map(({ to }) => to);
    assert.equal(told.includes(reviewer.username), false);

    await choose(reviewer, { reviews: true });
    const { pathname, search } = new URL(unsubscribeUrl(app, reviewer.id));
    assert.equal((await service.raw("POST", pathname + search)).status, 200);
    assert.deepEqual(await call(reviewer, "GET", "/api/user/follow-mails"), { mail: "off", reviews: false });
  });
});
