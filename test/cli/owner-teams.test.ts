/** Owner teams in `svc edit`, `info` and `list` against the real service. */
import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { newMember, publishSkill } from "../support/organization.ts";
import { newOrganization, setUpService } from "../support/set-up.ts";
import { dataOf } from "./fixture.ts";
import { svc, temporaryFolder } from "./harness.ts";

const { service } = await setUpService();

interface Edited {
  skill: { ownerTeam?: { id: string; name: string } };
  changed: string[];
}

async function setUp(t: TestContext) {
  const { owner, org } = await newOrganization(service);
  const team = await service.call<{ id: string }>("POST", `/api/tenants/${org.id}/teams`, {
    token: owner.token,
    body: { name: "Platform team" },
  });
  const viewer = await newMember(service, org, "viewer");
  for (const name of ["One", "Two"]) await publishSkill(service, org, owner, { name, visibility: "public" });
  const home = await temporaryFolder(t);
  const as =
    (token: string | undefined, ...more: string[]) =>
    (...argv: string[]) =>
      svc([...argv, ...more], { home, env: { SVC_API_URL: service.url, SVC_TOKEN: token } });
  return {
    ref: (slug: string) => `${org.slug}/${slug}`,
    team: { id: team.data.id, name: "Platform team" },
    json: as(owner.token, "-o", "json"),
    text: as(owner.token),
    asViewer: as(viewer.token, "-o", "json"),
    asVisitor: as(undefined, "-o", "json"),
  };
}

describe("the owner team of a skill", () => {
  it("is set by name or id, and removed, by svc edit", async (t) => {
    const { json, text, ref, team } = await setUp(t);

    const set = dataOf<Edited>(
      await json("edit", ref("one"), "--owner-team", "platform TEAM", "--tags", "a"),
    );
    const again = dataOf<Edited>(await json("edit", ref("one"), "--owner-team", team.id));

    assert.deepEqual([set.skill.ownerTeam, set.changed], [team, ["tags", "ownerTeam"]]);
    assert.deepEqual(again.skill.ownerTeam, team);
    const removed = await text("edit", ref("one"), "--owner-team=");
    assert.match(removed.stdout, /^Changed the owner team of One \(/);
    assert.equal(dataOf<Edited>(await json("edit", ref("one"), "--tags=")).skill.ownerTeam, undefined);
  });

  it("must exist, and can be named only by those who may read teams", async (t) => {
    const { json, asViewer, ref } = await setUp(t);

    const missing = await json("edit", ref("one"), "--owner-team", "missing");
    assert.equal(missing.error.code, "E_NOT_FOUND");
    assert.match(missing.error.message, /Use one of Platform team\./);
    assert.equal(
      (await asViewer("edit", ref("one"), "--owner-team", "platform team")).error.code,
      "E_FORBIDDEN",
    );
    assert.equal((await asViewer("edit", ref("one"), "--owner-team=")).error.code, "E_FORBIDDEN");
  });

  it("is shown by svc info, to members", async (t) => {
    const { json, text, asViewer, asVisitor, ref, team } = await setUp(t);
    await json("edit", ref("one"), "--owner-team", team.id);

    for (const run of [json, asViewer])
      assert.deepEqual(dataOf<Edited>(await run("info", ref("one"))).skill.ownerTeam, team);
    assert.equal(dataOf<Edited>(await asVisitor("info", ref("one"))).skill.ownerTeam, undefined);
    assert.equal(dataOf<Edited>(await json("info", ref("two"))).skill.ownerTeam, undefined);
    assert.match((await text("info", ref("one"))).stdout, /^Owner team: +Platform team$/m);
    assert.doesNotMatch((await text("info", ref("two"))).stdout, /Owner team/);
  });

  it("filters svc list", async (t) => {
    const { json, text, asViewer, ref, team } = await setUp(t);
    await json("edit", ref("one"), "--owner-team", team.id);

    for (const run of [json, asViewer])
      assert.deepEqual(
        dataOf<{ slug: string }[]>(await run("list", "--owner-team", "Platform Team")).map(
          ({ slug }) => slug,
        ),
        ["one"],
      );
    assert.equal(
      (await text("list", "--owner-team", "others")).stdout,
      'No skills that the team "others" looks after.\n',
    );
    for (const other of ["--public", "--installed"]) {
      const refused = await json("list", other, "--owner-team", "x");
      assert.deepEqual(
        [refused.error.code, refused.error.details?.["flag"]],
        ["E_INVALID_ARGUMENT", "--owner-team"],
      );
    }
  });
});
