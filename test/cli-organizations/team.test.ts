/** `svc team` against the real service. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { dataOf } from "../cli/fixture.ts";
import { newMember } from "../support/organization.ts";
import { setUpService } from "../support/set-up.ts";
import { failureOf, setUp } from "./fixture.ts";

const { service } = await setUpService();

interface Member {
  username: string;
  teams: { name: string }[];
}

describe("svc team", () => {
  it("creates a team with roles, adds and removes members, and deletes it", async (t) => {
    const { member, json, text } = await setUp(service, t);

    const made = dataOf<{ team: { id: string; name: string; roles: { name: string }[] } }>(
      await json("team", "create", "Platform", "--role", "admin", "--role", "Viewer"),
    );
    const [listed] = dataOf<{ id: string }[]>(await json("team", "list"));
    const added = dataOf<{ added: boolean }>(await json("team", "add", "platform", member.username));
    const again = dataOf<{ added: boolean }>(await json("team", "add", made.team.id, member.username));
    const inside = dataOf<Member[]>(await json("team", "members", "Platform"));
    const shown = (await text("team", "list")).stdout;
    const removed = dataOf<{ removed: boolean }>(
      await json("team", "remove", "Platform", member.username, "--force"),
    );
    const left = dataOf<Member[]>(await json("team", "members", "Platform"));
    const deleted = dataOf<{ deleted: boolean }>(await json("team", "delete", "Platform", "--force"));

    assert.deepEqual(
      made.team.roles.map(({ name }) => name),
      ["admin", "viewer"],
    );
    assert.equal(listed!.id, made.team.id);
    assert.deepEqual([added.added, again.added, removed.removed, deleted.deleted], [true, false, true, true]);
    assert.deepEqual(
      inside.map(({ username, teams }) => [username, teams.map(({ name }) => name)]),
      [[member.username, ["Platform"]]],
    );
    assert.match(shown, /^ID +ROLES +NAME\n\S+ +admin, viewer +Platform$/m);
    assert.deepEqual(left, []);
    assert.deepEqual(dataOf(await json("team", "list")), []);
  });

  it("finds members and organizations by id, also if a name of another one is the same", async (t) => {
    const { owner, member, org, json } = await setUp(service, t);
    const impostor = await newMember(service, org, "member");
    const [renamed, other] = [
      await service.call("PATCH", "/api/user/profile", {
        token: impostor.token,
        body: { username: member.id },
      }),
      await service.newOrg(owner),
    ];
    const moved = await service.call("PATCH", `/api/tenants/${other.id}`, {
      token: owner.token,
      body: { slug: org.id },
    });
    assert.deepEqual([renamed.status, moved.status], [200, 200]);

    dataOf(await json("team", "create", "Platform", "--org", org.id));
    dataOf(await json("team", "add", "Platform", member.id, "--org", org.id));

    const inside = dataOf<Member[]>(await json("team", "members", "Platform", "--org", org.id));
    assert.deepEqual(
      inside.map(({ username }) => username),
      [member.username],
    );
  });

  it("asks for confirmation, names what is missing, and refuses members without the permission", async (t) => {
    const { member, json, as } = await setUp(service, t);
    await json("team", "create", "Platform");

    for (const argv of [
      ["team", "remove", "Platform", member.username],
      ["team", "delete", "Platform"],
    ])
      assert.deepEqual(failureOf(await json(...argv)), [1, "", "E_INTERACTION_REQUIRED", "--force"]);
    const unknown = await json("team", "members", "Plattform");
    const stranger = await json("team", "add", "Platform", "unknown-user");
    const refused = await as(member)("team", "delete", "Platform", "--force");

    assert.deepEqual([unknown.error.code, unknown.error.details?.["kind"]], ["E_NOT_FOUND", "team"]);
    assert.match(unknown.error.message, /Use one of Platform\./);
    assert.deepEqual([stranger.error.code, stranger.error.details?.["kind"]], ["E_NOT_FOUND", "member"]);
    assert.equal(refused.error.code, "E_FORBIDDEN");
    assert.equal((await json("team", "create", "Platform")).error.code, "E_ALREADY_EXISTS");
    assert.equal((await json("team", "create", "Owners", "--role", "owner")).code, 1);
  });
});
