import assert from "node:assert/strict";
import { afterEach, describe, it } from "node:test";
import { limits } from "../../contract/limits.ts";
import type { ChangePayload } from "../../contract/payloads/service/events.ts";
import { ServiceError } from "../../src/errors.ts";
import { openChangeEvents } from "../../src/events/listeners.ts";
import { newFolder, newMember, publishSkill, restrict } from "../support/organization.ts";
import type { CallOptions } from "../support/service.ts";
import { newClock, setUpOrganization } from "../support/set-up.ts";
import { until } from "../support/until.ts";
import { listen, type EventStream } from "./stream.ts";

type Stream = EventStream<ChangePayload>;

describe("the stream of changes", async () => {
  const clock = newClock();
  const streams: Stream[] = [];

  const { service, owner, org } = await setUpOrganization({ now: () => clock.now() });

  afterEach(async () => {
    for (const stream of streams.splice(0)) stream.close();
    await new Promise((done) => setTimeout(done, 50));
  });

  async function open(caller: CallOptions, query = ""): Promise<Stream> {
    const stream = await listen<ChangePayload>(service, `/api/events${query}`, caller);
    streams.push(stream);
    return stream;
  }
  const publish = (name: string, folder = "/") =>
    publishSkill(service, org, owner, { name, folder, visibility: "private" });
  const about = (id: string) => (change: ChangePayload) => change.id === id;

  it("reports another person's publish within seconds, as an id without content", async () => {
    const member = await newMember(service, org, "viewer");
    const stream = await open({ cookie: member.cookie });
    const skill = await publish("Told to all");

    const change = await stream.change(about(skill.id), "the publish");

    assert.deepEqual(change, { type: "skill", id: skill.id, tenantId: org.id, deleted: false, own: false });
    assert.match(stream.headers["content-type"]!, /^text\/event-stream/);
    assert.equal(stream.headers["x-accel-buffering"], "no");
    assert.match(stream.headers["cache-control"]!, /no-store, no-transform/);
    assert.ok(!stream.text().includes("Told"), stream.text());
    await new Promise((done) => setTimeout(done, 2500));
    assert.equal(stream.of("change").filter(about(skill.id)).length, 1, "nothing is sent twice");
  });

  it("reports nothing about a restricted folder to members without a grant, deletions included", async () => {
    const [granted, other] = [
      await newMember(service, org, "member"),
      await newMember(service, org, "member"),
    ];
    const folder = await newFolder(service, org, owner, `vault-${service.app.newId()}`);
    await restrict(service, owner, folder.id, [{ type: "member", id: granted.id, level: "viewer" }]);
    await service.settled();
    const [seeing, blind] = [await open({ cookie: granted.cookie }), await open({ cookie: other.cookie })];

    const hidden = await publish("Secret plan", folder.path);
    const inner = await newFolder(service, org, owner, `${folder.path}/inner`);
    const secret = [hidden.id, inner.id];
    await seeing.change(about(hidden.id), "the hidden skill");
    await seeing.change(about(inner.id), "the hidden folder");
    const remove = (path: string) => service.call("DELETE", path, { token: owner.token });
    assert.equal((await remove(`/api/skills/${hidden.id}`)).status, 200);
    assert.equal((await remove(`/api/folders/${inner.id}`)).status, 200);
    const isDeletion = (id: string) => (change: ChangePayload) => change.id === id && change.deleted;
    await seeing.change(isDeletion(hidden.id), "the deletion of the skill");
    await seeing.change(isDeletion(inner.id), "the deletion of the folder");
    const last = await publish("Seen by all");
    await blind.change(about(last.id), "a change that all see");

    for (const id of secret) assert.ok(!blind.text().includes(id), blind.text());
  });

  it("reports held versions to those who may review them, and to readers once they are released", async () => {
    const [reader, first, second] = [
      await newMember(service, org, "viewer"),
      await newMember(service, org, "admin"),
      await newMember(service, org, "admin"),
    ];
    const folder = await newFolder(service, org, owner, `reviewed-${service.app.newId()}`);
    const skill = await publish("Reviewed", folder.path);
    const call = async (method: string, path: string, { token }: CallOptions, body: object) =>
      assert.ok((await service.call(method, path, { token, body })).status < 300, path);
    await call("PUT", `/api/tenants/${org.slug}/review-rules/${folder.id}`, owner, { approvals: 2 });
    const [plain, reviewing] = [await open({ cookie: reader.cookie }), await open({ cookie: first.cookie })];
    const begun = await publish("Before the review");
    for (const stream of [plain, reviewing]) await stream.change(about(begun.id), "a change that all see");
    const told = ({ of }: Stream) => of("change").filter(about(skill.id)).length;
    const versions = `/api/skills/${skill.id}/versions`;
    const isTold = async (act: Promise<void>) => {
      const sent = told(reviewing);
      await act;
      await until("the reviewer is told", () => told(reviewing) > sent);
    };

    const before = told(plain);
    await isTold(call("POST", versions, owner, { content: "held\n" }));
    await isTold(call("POST", `${versions}/2/review`, second, { decision: "approve" }));
    await isTold(call("POST", `${versions}/2/review`, first, { decision: "reject", comment: "No" }));
    await isTold(call("POST", versions, owner, { content: "held too\n" }));
    const marker = await publish("After the rejection");
    await plain.change(about(marker.id), "a change that all see");
    assert.equal(told(plain), before, plain.text());

    for (const by of [first, second]) await call("POST", `${versions}/3/review`, by, { decision: "approve" });
    await until("the release", () => told(plain) > before);
  });

  it("reports management only to those who may read it, and nothing of other organizations", async () => {
    const stranger = await service.newUser();
    await service.newOrg(stranger);
    const member = await newMember(service, org, "member");
    const [mine, theirs, outside] = [
      await open({ cookie: owner.cookie }),
      await open({ cookie: member.cookie }),
      await open({ cookie: stranger.cookie }),
    ];
    const token = await service.call<{ id: string }>("POST", `/api/tenants/${org.id}/tokens`, {
      token: owner.token,
      body: { name: "ci" },
    });
    const team = await service.call<{ id: string }>("POST", `/api/tenants/${org.id}/teams`, {
      token: owner.token,
      body: { name: "Crew" },
    });

    const change = await mine.change(about(token.data.id), "the token");
    await theirs.change(about(team.data.id), "the team");

    assert.deepEqual([change.type, change.own], ["token", true]);
    assert.ok(!theirs.text().includes(token.data.id), theirs.text());
    for (const id of [org.id, token.data.id, team.data.id]) assert.ok(!outside.text().includes(id), id);
    const refused = await open({ cookie: stranger.cookie }, `?tenant=${org.slug}`);
    const unknown = await open({ cookie: stranger.cookie }, "?tenant=never-existed");
    assert.deepEqual([refused.status, unknown.status], [404, 404]);
    assert.equal((await open({})).status, 401);
  });

  it("ends after a sign-out and a lost membership", async () => {
    const [leaver, removed] = [
      await newMember(service, org, "member"),
      await newMember(service, org, "member"),
    ];
    const signedOut = await open({ cookie: leaver.cookie });
    const [ofOne, ofAll] = [
      await open({ token: removed.token }, `?tenant=${org.id}`),
      await open({ token: removed.token }),
    ];
    await service.call("POST", "/api/auth/sign-out", { cookie: leaver.cookie });
    const path = `/api/tenants/${org.id}/members/${removed.id}`;
    assert.equal((await service.call("DELETE", path, { token: owner.token })).status, 200);

    await until("the end of the stream of one organization", () => ofOne.isEnded());
    await ofAll.change(({ type, deleted }) => type === "membership" && deleted, "the lost membership");
    clock.aheadMs += 21_000;
    await until("the end after the sign-out", () => signedOut.isEnded());

    assert.deepEqual(ofOne.of("end"), [{ reason: "no_access" }]);
    assert.deepEqual(signedOut.of("end"), [{ reason: "signed_out" }]);
    assert.equal(ofAll.isEnded(), false);
    const later = await publish("After the removal");
    const own = await open({ token: owner.token }, "");
    await own.change(about((await publish("Another")).id), "a later change");
    assert.ok(!ofAll.text().includes(later.id));
  });

  it("looks up no idle listener, only which sessions and tokens have ended, for all together", async () => {
    const [one, other] = [await newMember(service, org, "member"), await newMember(service, org, "member")];
    await service.settled();
    const quiet = [await open({ cookie: one.cookie }), await open({ token: other.token })];
    await new Promise((done) => setTimeout(done, 1200));
    const { callers, sessions } = service.app.storage;
    const { findSession, findPersonalToken } = callers;
    const { listLive } = sessions;
    let [lookUps, checks] = [0, 0];
    callers.findSession = (hash) => (lookUps++, findSession(hash));
    callers.findPersonalToken = (hash) => (lookUps++, findPersonalToken(hash));
    sessions.listLive = (ids, now) => (checks++, listLive(ids, now));

    clock.aheadMs += 21_000;
    await until("the check", () => checks > 0);
    await new Promise((done) => setTimeout(done, 2200));
    Object.assign(callers, { findSession, findPersonalToken });
    sessions.listLive = listLive;

    assert.deepEqual([lookUps, checks], [0, 1]);
    assert.ok(quiet.every((stream) => !stream.isEnded()));
    await service.call("DELETE", "/api/user/tokens/current", { token: other.token });
    await until("the end after the revocation", () => quiet[1]!.isEnded());
    assert.equal(quiet[0]!.isEnded(), false);
  });

  it("continues after the last event of a listener that reconnects, or asks it to read again", async () => {
    const skill = await publish("While away");
    await service.settled();
    const at = (ms: number) => ({ token: owner.token, headers: { "last-event-id": String(ms) } });
    const now = service.app.now().getTime();

    const [soon, late, never] = [
      await open(at(now - 60_000)),
      await open(at(now - 6 * 60_000)),
      await open(at(NaN)),
    ];
    await soon.change(about(skill.id), "the missed change");
    await until("the reset", () => late.of("reset").length === 1);

    assert.deepEqual([soon.of("reset"), never.of("reset")], [[], []]);
  });

  it("is limited per person and organization, not per token, and pages have slots of their own", async () => {
    const busy = await service.newUser();
    const { id } = await service.newOrg(busy);
    const tokens = await Promise.all(
      ["a", "b"].map(async (name) => {
        const path = `/api/tenants/${id}/tokens`;
        const made = await service.call<{ token: string }>("POST", path, {
          cookie: busy.cookie,
          body: { name },
        });
        assert.equal(made.status, 201, JSON.stringify(made.body));
        return made.data.token;
      }),
    );
    const all = [];
    for (let n = 0; n < limits.eventStreams; n++) {
      all.push(await open({ token: tokens[n % 2]! }));
      all.push(await open({ token: busy.token }));
      all.push(await open({ cookie: busy.cookie }));
    }
    assert.deepEqual([...new Set(all.map(({ status }) => status))], [200]);

    for (const caller of [
      ...tokens.map((token) => ({ token })),
      { token: busy.token },
      { cookie: busy.cookie },
    ])
      assert.equal((await service.call("GET", "/api/events", caller)).status, 429);
    const other = await open({ token: owner.token });
    assert.equal(other.status, 200);
    for (const stream of [...all, other]) stream.close();
  });

  it("is limited per caller, and frees the places of listeners that leave", async () => {
    const busy = await service.newUser();
    const all = await Promise.all(Array.from({ length: 10 }, () => open({ token: busy.token })));
    assert.ok(all.every(({ status }) => status === 200));

    const refused = await service.call("GET", "/api/events", { token: busy.token });
    const other = await open({ token: owner.token });
    for (const stream of all) stream.close();
    await until("a free place", async () => (await open({ token: busy.token })).status === 200);

    assert.deepEqual([refused.status, refused.headers.get("retry-after")], [429, "30"]);
    assert.equal(other.status, 200);
  });

  it("ends when the process is about to, and none begins then", async () => {
    const draining = new AbortController();
    const events = openChangeEvents(service.app, draining.signal);
    const actor = { kind: "anonymous", origin: { ipHash: "x", source: "api", client: "api" } } as const;
    const subscription = {
      actor,
      tenantId: undefined,
      lastEventId: "",
      authenticate: () => Promise.resolve(actor),
    };
    const request = { onClose: () => undefined, disconnect: () => undefined };
    const { stream } = events.open(request, subscription);
    let isEnded = false;
    stream.on("data", () => undefined).on("end", () => (isEnded = true));
    draining.abort();

    await until("the end", () => isEnded);
    assert.throws(
      () => events.open(request, subscription),
      (error: unknown) => error instanceof ServiceError && error.code === "unavailable",
    );
  });
});
