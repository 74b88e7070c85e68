import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type {
  FollowedChangePayload,
  FollowPayload,
} from "../../contract/payloads/organizations/following.ts";
import { MailError } from "../../src/mail/mailer.ts";
import { removeFollowsOfMember } from "../../src/skills/following/follow.ts";
import { noteConflict } from "../../src/skills/following/note-changes.ts";
import { unsubscribeUrl } from "../../src/skills/following/unsubscribe-link.ts";
import { sendFollowMails } from "../../workers/mail/followed.ts";
import { purge } from "../../workers/maintenance/purge.ts";
import { eraseTenant } from "../../workers/orgs/erase.ts";
import { cleanUpAfterMember } from "../../workers/orgs/member-left.ts";
import { takeMails } from "../support/mailbox.ts";
import { confirmAddress, newFolder, newMember, publishSkill, restrict } from "../support/organization.ts";
import type { TestUser } from "../support/service.ts";
import { newOrganization, setUpOrganization } from "../support/set-up.ts";

const { service, clock, owner, org } = await setUpOrganization();
const { app } = service;
const minuteMs = 60_000;
const dayMs = 86_400_000;

const put = (user: TestUser, path: string) =>
  service.call<FollowPayload>("PUT", `/api/user/follows/${path}`, { token: user.token });
const follow = async (user: TestUser, path: string) => {
  const answer = await put(user, path);
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.data;
};
const follows = async (user: TestUser) =>
  (await service.call<FollowPayload[]>("GET", "/api/user/follows", { token: user.token })).data;
const changes = async (user: TestUser, query = "") => {
  await service.settled();
  const answer = await service.call<FollowedChangePayload[]>("GET", `/api/user/followed-changes${query}`, {
    token: user.token,
  });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.data;
};
const said = (list: FollowedChangePayload[]) =>
  list.map(({ kind, skill, semver, reason }) => `${skill.slug} ${kind} ${semver} ${reason}`);
const publish = async (user: TestUser, id: string, content: string, message?: string) => {
  const call = { token: user.token, body: { content, message } };
  const answer = await service.call("POST", `/api/skills/${id}/versions`, call);
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
};
const choose = async (user: TestUser, mail: string) => {
  const call = { token: user.token, body: { mail } };
  assert.equal((await service.call("PUT", "/api/user/follow-mails", call)).status, 200);
};
/** Mails that are due after a while. */
const mailsAfter = async (ms: number) => {
  await service.settled();
  clock.advance(ms);
  await sendFollowMails(app);
  return takeMails(app).filter(({ headers }) => headers["list-unsubscribe"] !== undefined);
};

describe("following", () => {
  it("needs an unrestricted caller to change it", async () => {
    const made = await service.call<{ token: string }>("POST", "/api/user/tokens", {
      cookie: owner.cookie,
      body: { name: "narrow", scopes: { skill: ["read"] } },
    });
    assert.equal(made.status, 201, JSON.stringify(made.body));
    const skill = await publishSkill(service, org, owner, { name: "Narrow" });

    const { token } = made.data;
    const answer = await service.call("PUT", `/api/user/follows/skills/${skill.id}`, { token });

    assert.equal(answer.status, 403);
  });

  it("shows the changes of a followed skill, but not the follower's own", async () => {
    const reader = await newMember(service, org, "viewer");
    const skill = await publishSkill(service, org, owner, { name: "Followed skill" });
    await service.settled();
    const first = await follow(reader, `skills/${skill.id}`);
    await follow(owner, `skills/${skill.id}`);

    await publish(owner, skill.id, "second\n", "Say more");
    const answer = await service.call("PATCH", `/api/skills/${skill.id}/versions/1.0.0`, {
      token: owner.token,
      body: { deprecated: "Use 1.0.1." },
    });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));

    const seen = await changes(reader);
    assert.deepEqual(said(seen), [
      "followed-skill deprecated 1.0.0 followed",
      "followed-skill version 1.0.1 followed",
    ]);
    assert.deepEqual(
      seen.map(({ message, by }) => [message, by]),
      [
        ["Use 1.0.1.", owner.username],
        ["Say more", owner.username],
      ],
    );
    assert.deepEqual(await changes(owner), []);
    assert.deepEqual(await follow(reader, `skills/${skill.id}`), first, "following twice is following once");
    assert.deepEqual(
      (await follows(reader)).map(({ kind, path, tenantSlug }) => [kind, tenantSlug, path]),
      [["skill", org.slug, "followed-skill"]],
    );
  });

  it("shows what is new in a followed folder and below it, page by page", async () => {
    const reader = await newMember(service, org, "viewer");
    const folder = await newFolder(service, org, owner, "followed/deep");
    const parent = folder.parentId!;
    await follow(reader, `folders/${parent}`);

    const one = await publishSkill(service, org, owner, { name: "Deep one", folder: "followed/deep" });
    await service.settled();
    await publish(owner, one.id, "two\n");
    await publishSkill(service, org, owner, { name: "Elsewhere" });

    assert.deepEqual(said(await changes(reader)), [
      "deep-one version 1.0.1 followed",
      "deep-one created 1.0.0 followed",
    ]);
    const page = await service.call<FollowedChangePayload[]>("GET", "/api/user/followed-changes?limit=1", {
      token: reader.token,
    });
    assert.deepEqual(said(await changes(reader, `?limit=1&cursor=${page.nextCursor}`)), [
      "deep-one created 1.0.0 followed",
    ]);
  });

  it("shows new findings once, and conflicts, also when they are noted again", async () => {
    const reader = await newMember(service, org, "viewer");
    const skill = await publishSkill(service, org, owner, { name: "Leaking" });
    await service.settled();
    await follow(reader, `skills/${skill.id}`);
    const secret = ["ghp", "aB3dE6gH9jK".repeat(4).slice(0, 36)].join("_");

    await publish(owner, skill.id, `token ${secret}\n`);
    await service.settled();
    await publish(owner, skill.id, `token ${secret} again\n`);
    await service.settled();
    await noteConflict(app, skill.id, 3);
    await noteConflict(app, skill.id, 3);

    const kinds = (await changes(reader)).map(({ kind, semver }) => `${kind} ${semver}`);
    assert.deepEqual(kinds.toSorted(), ["conflict 1.0.2", "finding 1.0.1", "version 1.0.1", "version 1.0.2"]);
  });

  it("shows the changes of installed and own skills without mails", async () => {
    const author = await newMember(service, org, "member");
    const user = await newMember(service, org, "viewer");
    const skill = await publishSkill(service, org, author, { name: "In use" });
    await service.settled();
    const installed = await service.call("PUT", `/api/skills/${skill.id}/installs`, {
      token: user.token,
      body: { version: 1, machine: "machine-1", platform: "claude", scope: "global" },
    });
    assert.ok(installed.status < 300, JSON.stringify(installed.body));
    for (const one of [author, user]) await confirmAddress(service, one);

    await publish(owner, skill.id, "two\n");

    assert.deepEqual(said(await changes(author)), ["in-use version 1.0.1 own"]);
    assert.deepEqual(said(await changes(user)), ["in-use version 1.0.1 installed"]);
    assert.deepEqual(await mailsAfter(dayMs), []);
  });
});

describe("access to what is followed", () => {
  it("shows findings and conflicts of a public skill to members only", async () => {
    const [stranger, member] = [await service.newUser(), await newMember(service, org, "viewer")];
    const skill = await publishSkill(service, org, owner, { name: "Open to all", visibility: "public" });
    await service.settled();
    for (const user of [stranger, member]) {
      await confirmAddress(service, user);
      await choose(user, "instant");
      await follow(user, `skills/${skill.id}`);
    }
    const secret = ["ghp", "aB3dE6gH9jK".repeat(4).slice(0, 36)].join("_");
    await publish(owner, skill.id, `token ${secret}\n`);
    await service.settled();
    await noteConflict(app, skill.id, 2);

    const kinds = async (user: TestUser) => (await changes(user)).map(({ kind }) => kind).toSorted();
    assert.deepEqual(await kinds(member), ["conflict", "finding", "version"]);
    assert.deepEqual(await kinds(stranger), ["version"]);
    const mails = await mailsAfter(20 * minuteMs);
    const mail = mails.find(({ to }) => to.startsWith(`${stranger.username}@`))!;
    assert.match(mail.subject, /new version 1\.0\.1/);
    assert.equal(mails.length, 2);
  });

  it("reveals nothing of skills and folders that the caller may not see", async () => {
    const stranger = await service.newUser();
    const member = await newMember(service, org, "viewer");
    const vault = await newFolder(service, org, owner, "follow-vault");
    const hidden = await publishSkill(service, org, owner, { name: "Hidden", folder: "follow-vault" });
    await restrict(service, owner, vault.id, []);
    const missing = "0".repeat(24);

    for (const user of [stranger, member])
      for (const [path, none] of [
        [`skills/${hidden.id}`, `skills/${missing}`],
        [`folders/${vault.id}`, `folders/${missing}`],
      ] as const) {
        const [there, absent] = [await put(user, path), await put(user, none)];
        assert.equal(there.status, 404);
        const text = (answer: typeof there) =>
          JSON.stringify({ ...(answer.body as object), requestId: "" }).replace(/[0-9a-f]{24}/g, "id");
        assert.equal(text(there), text(absent));
      }
    assert.deepEqual(await follows(member), []);
  });

  it("is decided again for each read and each mail", async () => {
    const reader = await newMember(service, org, "viewer");
    await confirmAddress(service, reader);
    const folder = await newFolder(service, org, owner, "soon-closed");
    const skill = await publishSkill(service, org, owner, { name: "Soon closed", folder: "soon-closed" });
    await service.settled();
    await follow(reader, `skills/${skill.id}`);
    await follow(reader, `folders/${folder.id}`);
    await publish(owner, skill.id, "two\n");
    assert.equal((await changes(reader)).length, 1);

    await restrict(service, owner, folder.id, []);

    assert.deepEqual(await changes(reader), []);
    assert.deepEqual(await follows(reader), []);
    assert.deepEqual(await mailsAfter(dayMs), [], "not even a name");
  });

  it("ends with the membership, the skill, the account and the organization", async () => {
    const { org: other, owner: boss } = await newOrganization(service);
    const reader = await newMember(service, other, "viewer");
    const skill = await publishSkill(service, other, boss, { name: "To erase" });
    await service.settled();
    const start = async () => {
      await follow(reader, `skills/${skill.id}`);
      await publish(boss, skill.id, `${Math.random()}\n`);
      assert.ok((await changes(reader)).length > 0);
    };
    const { raw } = app.storage.database;
    const stored = async (filter: object) =>
      (await raw.collection("follows").countDocuments(filter)) +
      (await raw.collection("followed_changes").countDocuments(filter));

    await start();
    await removeFollowsOfMember(app, other.id, reader.id);
    assert.equal(await stored({ userId: reader.id }), 0);

    await start();
    const left = await service.call("DELETE", `/api/tenants/${other.id}/members/${reader.id}`, {
      token: boss.token,
    });
    assert.ok(left.status < 300, JSON.stringify(left.body));
    await cleanUpAfterMember(app, { tenantId: other.id, userId: reader.id });
    assert.equal(await stored({ userId: reader.id }), 0);

    await follow(boss, `skills/${skill.id}`);
    await app.storage.tenants.change(other.id, {
      when: {},
      set: { deletionAt: new Date(app.now().getTime() - 1) },
      now: app.now(),
      events: [],
    });
    await eraseTenant(app, other.id);
    assert.equal(await stored({ tenantId: other.id }), 0);
  });
});

describe("mails about what is followed", () => {
  const start = async (mail?: string) => {
    const reader = await newMember(service, org, "viewer");
    await confirmAddress(service, reader);
    const skill = await publishSkill(service, org, owner, { name: `Mailed ${reader.username}` });
    await service.settled();
    if (mail !== undefined) await choose(reader, mail);
    await follow(reader, `skills/${skill.id}`);
    return { reader, skill, slug: `mailed-${reader.username}` };
  };

  it("are sent once a day, folded, with the headers of RFC 8058", async () => {
    const { reader, skill, slug } = await start();
    await publish(owner, skill.id, "two\n", "Say http://evil.example now");
    await publish(owner, skill.id, "three\n");

    const [mail, ...others] = await mailsAfter(dayMs);

    assert.equal(others.length, 0);
    assert.equal(mail!.to, `${reader.username}@example.com`);
    assert.equal(mail!.subject, "2 changes to skills that you follow");
    assert.match(mail!.text, new RegExp(`${org.slug}/${slug} has the new version 1.0.1`));
    assert.doesNotMatch(mail!.text, /http:\/\/evil\.example/);
    assert.equal(mail!.headers["list-unsubscribe-post"], "List-Unsubscribe=One-Click");
    assert.deepEqual(await mailsAfter(dayMs), [], "once");
  });

  it("are sent within minutes to those who want that, at most every 15 minutes", async () => {
    const { skill, slug } = await start("instant");
    await publish(owner, skill.id, "two\n");
    const [mail] = await mailsAfter(2 * minuteMs);
    assert.equal(mail!.subject, `${slug} has the new version 1.0.1`);

    await publish(owner, skill.id, "three\n");
    assert.deepEqual(await mailsAfter(2 * minuteMs), []);
    assert.equal((await mailsAfter(15 * minuteMs)).length, 1);
  });

  it("end by one click of the mail program, and not by opening the link", async () => {
    const { reader, skill } = await start("instant");
    await publish(owner, skill.id, "two\n");
    const [mail] = await mailsAfter(20 * minuteMs);
    const url = new URL(/<(.+)>/.exec(mail!.headers["list-unsubscribe"]!)![1]!);
    const address = url.pathname + url.search;
    const choice = async () =>
      (await service.call<{ mail: string }>("GET", "/api/user/follow-mails", { token: reader.token })).data
        .mail;

    assert.equal((await service.raw("GET", address)).status, 200);
    assert.equal(await choice(), "instant");
    const forged = await service.raw(
      "POST",
      address.replace(/.$/, (last) => (last === "A" ? "B" : "A")),
    );
    assert.equal(forged.status, 422);
    const done = await service.raw("POST", address, {
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: "List-Unsubscribe=One-Click",
    });

    assert.equal(done.status, 200);
    assert.equal(await choice(), "off");
    await publish(owner, skill.id, "three\n");
    assert.deepEqual(await mailsAfter(dayMs), []);
  });

  it("are sent again after a crash before the marks were removed, and by one worker at a time", async () => {
    const { reader, skill } = await start("instant");
    await publish(owner, skill.id, "two\n");
    await service.settled();
    clock.advance(20 * minuteMs);
    // A worker that was killed while it sent.
    const until = new Date(app.now().getTime() + 5 * minuteMs);
    assert.ok(await app.storage.followSettings.claim(reader.id, app.now(), until));

    assert.deepEqual(await mailsAfter(0), []);
    assert.equal((await mailsAfter(6 * minuteMs)).length, 1);
    assert.deepEqual(await mailsAfter(20 * minuteMs), []);
  });

  it("are not sent to those who have ended them while a change was noted, nor do they return by old links", async () => {
    const { reader, skill } = await start("instant");
    await publish(owner, skill.id, "two\n");
    await service.settled();
    await app.storage.followSettings.choose(reader.id, { mail: "off" });
    assert.deepEqual(await mailsAfter(20 * minuteMs), []);

    const gone = "0".repeat(24);
    const { pathname, search } = new URL(unsubscribeUrl(app, gone));
    assert.equal((await service.raw("POST", pathname + search)).status, 200);
    assert.equal(await app.storage.followSettings.find(gone), null);
  });

  it("reach others if the mail server refuses one for now", async () => {
    const [refused, other] = [await start("instant"), await start("instant")];
    for (const { skill } of [refused, other]) await publish(owner, skill.id, "two\n");
    const { mail } = app;
    const send = mail.send;
    mail.send = async (one) => {
      if (one.to.startsWith(`${refused.reader.username}@`)) throw new MailError("try later", true);
      await send.call(mail, one);
    };
    try {
      const sent = await mailsAfter(20 * minuteMs);
      assert.deepEqual(
        sent.map(({ to }) => to),
        [`${other.reader.username}@example.com`],
      );
    } finally {
      mail.send = send;
    }
    assert.equal((await mailsAfter(20 * minuteMs)).length, 1, "the refused one, later");
  });

  it("are not sent to addresses that are not confirmed", async () => {
    const reader = await newMember(service, org, "viewer");
    const skill = await publishSkill(service, org, owner, { name: "Unconfirmed" });
    await service.settled();
    await follow(reader, `skills/${skill.id}`);
    await publish(owner, skill.id, "two\n");

    assert.deepEqual(await mailsAfter(dayMs), []);
    clock.advance(100 * dayMs);
    await purge(app);
    assert.equal(await app.storage.database.raw.collection("followed_changes").countDocuments(), 0);
  });
});
