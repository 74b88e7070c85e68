/** One member: what they may do and why, and what they have installed. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { MemberFolderPayload } from "../../contract/payloads/organizations/folders.ts";
import type { MemberPayload, TeamPayload } from "../../contract/payloads/organizations/organizations.ts";
import type { MemberInstallPayload } from "../../contract/payloads/usage/analytics.ts";
import { newFolder, publishSkill } from "../support/organization.ts";
import type { TestUser } from "../support/service.ts";
import { type Fixture, setUpFixtures } from "./fixture.ts";

let fixture: Fixture;
const { service } = await setUpFixtures((made) => (fixture = made));

const member = (by: TestUser, of: TestUser) => fixture.at<MemberPayload>(by, "GET", `/members/${of.id}`);
const folders = (by: TestUser, of: TestUser, rest = "") =>
  fixture.at<MemberFolderPayload[]>(by, "GET", `/members/${of.id}/folders${rest}`);
const summary = (entries: MemberFolderPayload[]) =>
  entries.map(({ folder, can, reasons }) => [
    folder?.path ?? null,
    can.includes("read"),
    reasons.map(({ kind }) => kind).join(),
  ]);

/** Restricts a folder, with a grant to a member or a team. */
async function restrict(path: string, grants: { type: string; id: string }[] = []): Promise<string> {
  const { id } = await newFolder(service, fixture.org, fixture.owner, path);
  const body = { restricted: true, grants: grants.map((principal) => ({ principal, level: "editor" })) };
  const answer = await service.call("PUT", `/api/folders/${id}/access`, { token: fixture.owner.token, body });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return id;
}

describe("a member", () => {
  it("is read by other members, with the address for those who may change members", async () => {
    const [reader, other] = [await fixture.join("member"), await fixture.join("member")];
    const seen = await member(fixture.owner, other);
    assert.deepEqual(
      [seen.data.username, seen.data.email],
      [other.username, `${other.username}@example.com`],
    );
    assert.equal((await member(reader, other)).data.email, undefined);
    assert.equal((await member(await fixture.join("viewer"), other)).code, "forbidden");
    const stranger = await service.newUser();
    assert.equal((await member(stranger, other)).code, "not_found");
    assert.equal((await member(fixture.owner, stranger)).code, "not_found");
    assert.equal((await folders(fixture.owner, stranger)).code, "not_found");
    assert.equal((await folders(stranger, other)).code, "not_found");
  });

  it("has a list of what they may do, and why, by restriction", async () => {
    const person = await fixture.join("member");
    const team = await fixture.newTeam("Releasers");
    await fixture.at(fixture.owner, "PUT", `/teams/${team}/members/${person.id}`);
    await restrict("engineering/release", [{ type: "team", id: team }]);
    await restrict("hr");

    const all = await folders(fixture.owner, person);
    assert.equal(all.status, 200, JSON.stringify(all.body));
    assert.deepEqual(summary(all.data), [
      [null, true, "role"],
      ["engineering/release", true, "role,grant"],
      ["hr", false, "ungranted"],
    ]);
    const first = await folders(fixture.owner, person, "?limit=1");
    const rest = await folders(fixture.owner, person, `?limit=5&cursor=${String(first.body["nextCursor"])}`);
    assert.deepEqual(summary([...first.data, ...rest.data]), summary(all.data));
  });

  it("is seen only in restricted folders that the caller manages, or that are the caller's own", async () => {
    const [person, other] = [await fixture.join("member"), await fixture.join("member")];
    await restrict("secret", [{ type: "member", id: person.id }]);
    await restrict("hr");

    assert.deepEqual(summary((await folders(other, person)).data), [[null, true, "role"]]);
    assert.deepEqual(summary((await folders(person, person)).data), [
      [null, true, "role"],
      ["secret", true, "role,grant"],
    ]);
    assert.ok(!JSON.stringify((await folders(person, person)).body).includes("hr"));
  });

  it("has a list of their installs of skills that the caller reads the analytics of", async () => {
    const [person, member_] = [await fixture.join("member"), await fixture.join("member")];
    await restrict("secret", [{ type: "member", id: person.id }]);
    for (const [name, folder] of [
      ["notes", "open"],
      ["keys", "secret"],
    ] as const) {
      await newFolder(service, fixture.org, fixture.owner, "open");
      await publishSkill(service, fixture.org, fixture.owner, { name, folder, visibility: "private" });
      const installed = await service.call("PUT", `/api/skills/${fixture.org.slug}~${name}/installs`, {
        token: person.token,
        body: { platform: "claude", scope: "global", machine: "m1", version: 1 },
      });
      assert.ok(installed.status < 300, JSON.stringify(installed.body));
    }
    const installs = async (by: TestUser) =>
      fixture.at<MemberInstallPayload[]>(by, "GET", `/members/${person.id}/installs`);
    const slugs = (items: MemberInstallPayload[]) => items.map(({ skill }) => skill.slug).sort();

    assert.deepEqual(slugs((await installs(fixture.owner)).data), ["keys", "notes"]);
    assert.deepEqual(slugs((await installs(member_)).data), ["notes"]);
    const blind = await fixture.join(await fixture.newRole("Blind", { member: ["read"], skill: ["read"] }));
    assert.equal((await installs(blind)).code, "forbidden");
    assert.equal((await installs(await service.newUser())).code, "not_found");
    assert.ok(!JSON.stringify((await installs(fixture.owner)).body).includes("m1"), "no machine");
  });
});

describe("the lists of members and teams", () => {
  it("count all that match, on the first page", async () => {
    const team = await fixture.newTeam("Writers");
    for (let i = 0; i < 3; i++) {
      const { id } = await fixture.join("viewer");
      if (i < 2) await fixture.at(fixture.owner, "PUT", `/teams/${team}/members/${id}`);
    }
    const total = async (path: string) => (await fixture.at(fixture.owner, "GET", path)).body["total"];
    assert.equal(await total("/members?limit=2"), 4);
    assert.equal(await total("/members?role=viewer"), 3);
    assert.equal(await total(`/members?team=${team}`), 2);
    assert.equal(await total(`/teams/${team}/members?limit=1`), 2);
    const first = await fixture.at(fixture.owner, "GET", "/members?limit=2");
    assert.equal(await total(`/members?limit=2&cursor=${String(first.body["nextCursor"])}`), undefined);
    const teams = await fixture.at<TeamPayload[]>(fixture.owner, "GET", "/teams");
    assert.deepEqual(
      teams.data.map(({ name, members }) => [name, members]),
      [["Writers", 2]],
    );
  });

  it("have the description of a team, which its managers change", async () => {
    const made = await fixture.at<TeamPayload>(fixture.owner, "POST", "/teams", {
      name: "Docs",
      description: "  Writes the handbook.  ",
    });
    assert.deepEqual([made.data.description, made.data.members], ["Writes the handbook.", 0]);
    const path = `/teams/${made.data.id}`;
    const change = (by: TestUser, description: string) =>
      fixture.at<TeamPayload>(by, "PATCH", path, { description });
    assert.equal((await change(await fixture.join("member"), "x")).code, "forbidden");
    assert.equal((await change(fixture.owner, "x".repeat(201))).code, "invalid_request");
    assert.equal((await change(fixture.owner, "two\nlines")).code, "invalid_request");
    assert.equal((await change(fixture.owner, "")).data.description, "");
    assert.equal((await fixture.at<TeamPayload>(fixture.owner, "GET", path)).data.name, "Docs");
  });
});
