/** Reports about skills, and takedowns by the administrators of the service. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { limits } from "../../contract/limits.ts";
import type { AuditLogPayload } from "../../contract/payloads/organizations/audit.ts";
import type { ReportPayload, TakedownPayload } from "../../contract/payloads/skills/moderation.ts";
import type { CatalogItem, PublishResult, SkillPayload } from "../../contract/payloads/skills/skills.ts";
import { reconcile } from "../../workers/maintenance/reconcile.ts";
import { newIdentity, share, signedCall } from "../support/anonymous.ts";
import { deliverMails } from "../support/mailbox.ts";
import { newMember } from "../support/organization.ts";
import { plansOf } from "../support/plans.ts";
import type { TestUser } from "../support/service.ts";
import { setUpService, newOrganization } from "../support/set-up.ts";

const { service, clock } = await setUpService({ reportsCommands: true });
// The first account of a service is its administrator.
const admin = await service.newUser();
const { owner, org } = await newOrganization(service);
const stranger = await service.newUser();
const author = await newMember(service, org, "member");

const call = <T>(user: TestUser | undefined, method: string, path: string, body?: unknown) =>
  service.call<T>(method, path, { token: user?.token, body });

async function publish(name: string, visibility = "public", content = `# ${name}\nphishing kit\n`) {
  const made = await call<PublishResult>(author, "POST", "/api/skills", {
    tenantId: org.slug,
    name,
    visibility,
    content,
  });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  return made.data.skill;
}
const takeDown = (skill: SkillPayload, reason = "Phishing", user = admin) =>
  call<TakedownPayload>(user, "POST", `/api/admin/skills/${skill.publicId}/take-down`, { reason });
const lift = (skill: SkillPayload, reason = "A mistake", user = admin) =>
  call(user, "POST", `/api/admin/skills/${skill.publicId}/lift-takedown`, { reason });
const report = (skill: SkillPayload, body: object, user?: TestUser) =>
  call(user, "POST", `/api/skills/${skill.publicId}/reports`, { reason: "malware", ...body });
const explore = async (query: string) => {
  await service.settled();
  return (await call<CatalogItem[]>(undefined, "GET", `/api/explore?limit=200&query=${query}`)).data;
};

/** Every way to read a skill, with its expected status. */
async function reads({ publicId, slug }: SkillPayload, user?: TestUser): Promise<number[]> {
  const paths = [
    "",
    "/versions",
    "/content",
    "/content?version=1",
    "/manifest",
    "/package",
    "/diff?from=1",
  ].map((path) => `/api/skills/${publicId}${path}`);
  paths.push(`/s/${publicId}?raw`, `/api/skills/resolve?ref=${org.slug}/${slug}`);
  paths.push(`/${org.slug}/${slug}.git/info/refs?service=git-upload-pack`);
  const statuses: number[] = [];
  for (const path of paths) {
    const basic = { authorization: `Basic ${Buffer.from(`x:${user?.token}`).toString("base64")}` };
    const asGit = path.includes(".git/") && user ? { headers: basic } : { token: user?.token };
    statuses.push((await service.raw("GET", path, asGit)).status);
  }
  return [...new Set(statuses)];
}

describe("a takedown", () => {
  it("hides a skill from everyone but its organization's members, whatever is done to it", async () => {
    const skill = await publish("Bait");
    assert.deepEqual(await reads(skill), [200]);
    assert.equal((await explore("bait")).length, 1);

    assert.equal((await takeDown(skill, "Phishing", owner)).code, "not_found", "administrators only");
    const taken = await takeDown(skill);
    const again = await takeDown(skill, "Another reason");

    assert.equal(taken.status, 200, JSON.stringify(taken.body));
    assert.equal(again.data.reason, "Phishing");
    const dodges: [string, string, object][] = [
      ["PUT", "", { visibility: "unlisted" }],
      ["PUT", "", { visibility: "private" }],
      ["PUT", "", { visibility: "public", name: "Harmless" }],
      ["POST", "/versions", { content: "# Harmless\n" }],
      ["POST", "/revert", { version: 1 }],
      ["POST", "/move", { folder: "elsewhere", createFolders: true }],
    ];
    for (const [method, path, body] of dodges) {
      const done = await call(author, method, `/api/skills/${skill.id}${path}`, body);
      assert.ok(done.status < 300, `${path}: ${JSON.stringify(done.body)}`);
      assert.deepEqual(await reads(skill), [401], path);
      assert.deepEqual(await reads(skill, stranger), [404], path);
      assert.deepEqual(await reads(skill, admin), [404], "administrators read no more than anyone");
      for (const query of ["harmless", "bait"]) assert.deepEqual(await explore(query), []);
    }
    assert.deepEqual(await reads(skill, owner), [200]);
    const seen = await call<SkillPayload>(author, "GET", `/api/skills/${skill.id}`);
    assert.equal(seen.data.takedown?.reason, "Phishing");
    const page = await (await service.raw("GET", `/s/${skill.publicId}`, { cookie: author.cookie })).text();
    assert.match(page, /taken this skill down[^]*Phishing/);
    const listed = await call<SkillPayload[]>(author, "GET", "/api/skills?limit=200");
    assert.ok(listed.data.some((one) => one.id === skill.id && one.takedown));
  });

  it("is listed, lifted and reverted by administrators, which restores the skill", async () => {
    const skill = await publish("Mistaken");
    const taken = await takeDown(skill);
    const listed = await call<TakedownPayload[]>(admin, "GET", "/api/admin/takedowns");

    assert.equal((await lift(skill, "No", stranger)).code, "not_found");
    assert.equal((await lift(skill)).status, 200);
    assert.equal((await lift(skill)).code, "not_found", "there is no takedown any more");

    const { slug, publicId, name } = skill;
    assert.deepEqual(
      listed.data.find((one) => one.skill.slug === slug),
      {
        skill: { publicId, slug, tenantSlug: org.slug, name },
        reason: "Phishing",
        by: admin.username,
        at: taken.data.at,
      },
    );
    assert.deepEqual(await reads(skill), [200]);
    assert.equal((await explore("mistaken")).length, 1);
    const left = await call<TakedownPayload[]>(admin, "GET", "/api/admin/takedowns");
    assert.ok(!left.data.some((one) => one.skill.slug === slug));
  });

  it("is recorded in the logs of the service and the organization, and mailed to author and owners", async () => {
    const skill = await publish("Recorded");
    await deliverMails(service.app);
    await takeDown(skill, "Steals tokens");
    await lift(skill, "Checked");
    await service.settled();

    const log = async (user: TestUser, path: string) =>
      (
        await call<AuditLogPayload>(user, "GET", `${path}?resource_id=${skill.id}&action=skill.*`)
      ).data.entries
        .filter(({ action }) => /taken_down|takedown/.test(action))
        .map(({ action, actor, metadata }) => [action, actor.name, metadata["reason"]]);
    assert.deepEqual(await log(admin, "/api/admin/audit-log"), [
      ["skill.takedown_lifted", admin.username, "Checked"],
      ["skill.taken_down", admin.username, "Steals tokens"],
    ]);
    assert.deepEqual(await log(owner, `/api/tenants/${org.slug}/audit-log`), [
      ["skill.takedown_lifted", "service", "Checked"],
      ["skill.taken_down", "service", "Steals tokens"],
    ]);
    const mails = await deliverMails(service.app);
    assert.deepEqual([mails.length, new Set(mails.map(({ to }) => to)).size], [4, 2]);
    assert.equal(mails.filter(({ text }) => text.includes("Steals tokens")).length, 2);
  });

  it("has no effect on skills that only members can read", async () => {
    const hidden = await publish("Internal", "private");

    const taken = await takeDown(hidden);
    const absent = await takeDown({ ...hidden, publicId: "aaaaaaaaaa" });

    assert.deepEqual(
      [taken.status, taken.error],
      [404, absent.error?.replace("aaaaaaaaaa", hidden.publicId)],
    );
  });

  it("rejects the same content under another name, and a wider visibility of the skill", async () => {
    const content = "# Trojan\nrun this\n";
    const skill = await publish("Trojan", "public", content);
    const copy = await publish("Copy", "private", content);
    await takeDown(skill);
    await call(author, "POST", `/api/skills/${skill.id}/versions`, { content: "# Changed\n" });

    const other = await call(author, "POST", "/api/skills", {
      tenantId: org.slug,
      name: "Other",
      visibility: "unlisted",
      content,
    });
    const wider = await call(author, "PUT", `/api/skills/${copy.id}`, { visibility: "public" });
    const deleted = await call(owner, "DELETE", `/api/skills/${skill.id}`);
    const republished = await call(author, "POST", "/api/skills", {
      tenantId: org.slug,
      name: "Trojan",
      visibility: "public",
      content,
    });

    assert.deepEqual(
      [other.code, wider.code, deleted.status, republished.code],
      ["refused", "refused", 200, "refused"],
    );
    assert.match(other.error!, /Phishing/);
    assert.equal((await publish("Harmless 2", "public", "# Fine\n")).visibility, "public");
  });

  it("rejects a wider visibility while a version is being published, whose content may be refused", async (t) => {
    const skill = await publish("Raced", "private", "# Fine\n");
    const { versions } = service.app.storage;
    t.mock.method(versions, "listHashes", async () => {
      await call(author, "POST", `/api/skills/${skill.id}/versions`, { content: "# Trojan\nrun this\n" });
      return [];
    });
    const wider = await call(author, "PUT", `/api/skills/${skill.id}`, { visibility: "public" });

    assert.deepEqual([wider.code, wider.status], ["conflict", 409]);
  });

  it("leaves an anonymous share readable by its key only, which can't share it again", async () => {
    const identity = await newIdentity(service);
    const content = { name: "Lure", content: "# Lure\n" };
    const { skill } = (await share(service, identity, content)).data;
    await takeDown(skill);

    const own = await signedCall<SkillPayload[]>(service, identity, "GET", "/api/skills");
    const again = await share(service, identity, content);
    const renamed = await share(service, identity, { ...content, name: "Renamed" });
    const benign = await share(service, identity, { name: "Benign", content: "# Benign\n" });
    const pushed = await signedCall(
      service,
      identity,
      "POST",
      `/api/skills/${benign.data.skill.id}/versions`,
      { body: { content: content.content } },
    );
    await signedCall(service, identity, "DELETE", `/api/skills/${skill.id}`);
    const afterwards = await share(service, identity, content);

    assert.deepEqual(
      own.data.map((one) => one.takedown?.reason),
      ["Phishing"],
    );
    for (const refused of [again, renamed, pushed, afterwards]) assert.equal(refused.code, "refused");
    assert.equal((await service.raw("GET", `/s/${skill.publicId}?raw`)).status, 401);
    assert.equal(
      (await signedCall(service, await newIdentity(service), "GET", `/api/skills/${skill.id}`)).status,
      404,
    );
  });

  it("is completed by the reconcile job after a crash", async () => {
    const skill = await publish("Crashed");
    await report(skill, {});
    await deliverMails(service.app);
    const { skillReports } = service.app.storage;
    const close = skillReports.closeOfSkill;
    skillReports.closeOfSkill = () => Promise.reject(new Error("the process ends here"));
    await takeDown(skill);
    skillReports.closeOfSkill = close;
    assert.deepEqual(await reads(skill), [401]);
    assert.equal((await deliverMails(service.app)).length, 0);

    clock.aheadMs = 10_000;
    await reconcile(service.app);
    await reconcile(service.app);

    assert.equal((await deliverMails(service.app)).length, 2);
    assert.equal(await skillReports.countOpen(10, skill.id), 0);
    assert.deepEqual(
      await service.app.storage.takedowns.listFollowUps(new Date(Date.now() + 60_000), 10),
      [],
    );
  });

  it("is found by index, as is everything that checks for it", async () => {
    const skill = await publish("Planned");
    const plans = await plansOf(service, async () => {
      await report(skill, {}, stranger);
      await call(admin, "GET", "/api/admin/reports?limit=1");
      await takeDown(skill);
      await call(admin, "GET", "/api/admin/takedowns?limit=1");
      await lift(skill);
      await service.app.storage.takedowns.listFollowUps(new Date(), 10);
    });

    const own = plans.filter(({ command }) =>
      [command["find"], command["findAndModify"], command["update"], command["aggregate"]].some((name) =>
        ["skills", "skill_reports", "refused_contents"].includes(String(name)),
      ),
    );
    assert.ok(own.length >= 8, `${own.length} commands`);
    for (const { command, stages } of own)
      assert.ok(!stages.includes("COLLSCAN") && !stages.includes("SORT"), JSON.stringify([command, stages]));
  });
});

describe("a report", () => {
  const list = async (state = "open") =>
    (await call<ReportPayload[]>(admin, "GET", `/api/admin/reports?state=${state}&limit=200`)).data;
  const reportsOf = async (skill: SkillPayload, state?: string) =>
    (await list(state)).filter((one) => one.skill.publicId === skill.publicId);

  it("can be made by anyone, once per version, and read by administrators only", async () => {
    const skill = await publish("Reported", "unlisted");
    for (const user of [undefined, undefined, stranger, stranger])
      assert.equal((await report(skill, { text: " It steals\r\ntokens. " }, user)).status, 201);

    const found = await reportsOf(skill);

    assert.deepEqual(
      found.map(({ reporter, reason, text, state }) => [reporter, reason, text, state]),
      [
        ["account", "malware", "It steals\ntokens.", "open"],
        ["visitor", "malware", "It steals\ntokens.", "open"],
      ],
    );
    assert.ok(!JSON.stringify(found).includes(stranger.id));
    const stored = await service.app.storage.skillReports.find(found[0]!.id);
    assert.match(stored!.reporter, /^[0-9a-f]{64}$/);
    assert.equal((await call(owner, "GET", "/api/admin/reports")).code, "not_found");
    await call(author, "POST", `/api/skills/${skill.id}/versions`, { content: "# Worse\n" });
    await report(skill, {}, stranger);
    assert.equal((await reportsOf(skill)).length, 3);
  });

  it("can only concern skills that everyone can read; for others it returns not_found, to members too", async () => {
    const hidden = await publish("Unseen", "private");
    const absent = { ...hidden, publicId: "bbbbbbbbbb" };

    for (const user of [undefined, stranger, author, admin]) {
      const [one, other] = [await report(hidden, {}, user), await report(absent, {}, user)];
      assert.deepEqual([one.status, one.error], [404, other.error?.replace("bbbbbbbbbb", hidden.publicId)]);
    }
    const page = await service.raw("GET", `/s/${hidden.publicId}/report`, { cookie: author.cookie });
    assert.equal(page.status, 404);
  });

  it("is resolved or dismissed once, and resolved by a takedown", async () => {
    const skill = await publish("Closed");
    for (const user of [undefined, stranger, owner]) await report(skill, {}, user);
    const [first, second] = await reportsOf(skill);
    const close = (id: string, body: object) =>
      call<ReportPayload>(admin, "PATCH", `/api/admin/reports/${id}`, body);

    const dismissed = await close(first!.id, { state: "dismissed", note: "Harmless" });
    const repeated = await close(first!.id, { state: "dismissed" });
    const changed = await close(first!.id, { state: "resolved" });
    const byOther = await call(owner, "PATCH", `/api/admin/reports/${second!.id}`, { state: "dismissed" });
    await takeDown(skill);

    assert.deepEqual([dismissed.data.state, dismissed.data.closedBy], ["dismissed", admin.username]);
    assert.deepEqual([repeated.status, changed.code, byOther.code], [200, "conflict", "not_found"]);
    assert.deepEqual(await reportsOf(skill), []);
    assert.equal((await reportsOf(skill, "resolved")).length, 2);
    const log = await call<AuditLogPayload>(
      admin,
      "GET",
      "/api/admin/audit-log?action=skill_report.dismissed",
    );
    assert.equal(log.data.entries.filter(({ metadata }) => metadata["report"] === first!.id).length, 1);
  });

  it("is limited in number, per skill and in total", async () => {
    const skill = await publish("Flooded");
    const { skillReports } = service.app.storage;
    await report(skill, {});
    const [one] = await reportsOf(skill);
    const row = (await skillReports.find(one!.id))!;
    for (let index = 1; index < limits.openReportsPerSkill; index++)
      await skillReports.insert({ ...row, _id: service.app.newId(), reporter: `reporter ${index}` });

    const more = await report(skill, {}, stranger);

    assert.equal(more.status, 201);
    assert.equal(await skillReports.countOpen(1000, skill.id), limits.openReportsPerSkill);
    for (const body of [
      { text: "x".repeat(limits.reportText + 1) },
      { reason: "dull" },
      { text: "a\u0000b" },
    ])
      assert.equal((await report(skill, body)).code, "invalid_request");
  });

  it("can be made by a form without scripts", async () => {
    const skill = await publish("Formal");
    const page = await (await service.raw("GET", `/s/${skill.publicId}`)).text();
    const form = await service.raw("GET", `/s/${skill.publicId}/report`);
    const send = (fields: Record<string, string>) =>
      fetch(new URL(`/s/${skill.publicId}/report`, service.url), {
        method: "POST",
        body: new URLSearchParams(fields),
      });

    const missing = await send({ text: "<b>x</b>" });
    const sent = await send({ reason: "copyright", text: "It is mine." });

    assert.match(page, new RegExp(`href="/s/${skill.publicId}/report"`));
    assert.match(form.headers.get("content-security-policy")!, /default-src 'none'/);
    assert.deepEqual([(await form.text()).includes("<script"), missing.status], [false, 400]);
    assert.match(await missing.text(), /Choose a reason[^]*&lt;b&gt;x/);
    assert.match(await sent.text(), /administrators of this service/);
    assert.deepEqual(
      (await reportsOf(skill)).map(({ reason, text }) => [reason, text]),
      [["copyright", "It is mine."]],
    );
  });
});
