/** `svc access` against the real service. */
import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import type { FolderAccessPayload } from "../../contract/payloads/organizations/folders.ts";
import { dataOf } from "../cli/fixture.ts";
import { newFolder, newMember, publishSkill, restrict } from "../support/organization.ts";
import type { TestUser } from "../support/service.ts";
import { setUpService } from "../support/set-up.ts";
import { failureOf, setUp } from "./fixture.ts";

const { service } = await setUpService();

interface Shown {
  restriction: { folderId: string; path?: string } | null;
  members: { username: string; can: string[]; reasons: { kind: string; name?: string; level?: string }[] }[];
}
interface Changed {
  folder: { restricted: boolean };
  gained: { username: string; before: string[]; after: string[] }[];
  lost: { username: string; before: string[]; after: string[] }[];
  dryRun: boolean;
  warnings: string[];
}

/** An open folder `ops/vault` with a public skill, and a second member. */
async function setUpFolder(t: TestContext) {
  const setting = await setUp(service, t);
  const { owner, org } = setting;
  const other = await newMember(service, org, "member");
  const folder = await newFolder(service, org, owner, "ops/vault");
  const skill = await publishSkill(service, org, owner, {
    name: "Code review",
    folder: "ops/vault",
    visibility: "public",
  });
  const accessOf = async () =>
    (
      await service.call<FolderAccessPayload>("GET", `/api/folders/${folder.id}/access`, {
        token: owner.token,
      })
    ).data;
  return { ...setting, other, folder, skill, accessOf };
}

const kindsOf = ({ members }: Shown, user: TestUser) => {
  const row = members.find(({ username }) => username === user.username)!;
  return [row.can.join(" "), row.reasons.map(({ kind, level }) => level ?? kind).join(" ")];
};

describe("svc access show", () => {
  it("shows each member of a folder or skill with the reasons", async (t) => {
    const { owner, member, other, org, folder, skill, json, text } = await setUpFolder(t);
    const open = dataOf<Shown>(await json("access", "show", "code-review"));
    await restrict(service, owner, folder.id, [{ type: "member", id: member.id, level: "editor" }]);

    const byRef = dataOf<Shown>(await json("access", "show", `${org.slug}/code-review`));
    const byPath = dataOf<Shown>(await json("access", "show", "Ops/Vault/"));
    const one = dataOf<Shown>(await json("access", "show", skill.publicId, "--user", other.username));
    const shown = (await text("access", "show", "ops/vault")).stdout;
    const all = (await text("access", "show", "ops/vault", "--all")).stdout;

    assert.equal(open.restriction, null);
    assert.deepEqual(kindsOf(open, other), ["read update", "role"]);
    assert.deepEqual(byRef.restriction, { folderId: folder.id, path: "ops/vault" });
    assert.deepEqual(kindsOf(byRef, owner), ["read update delete manage", "role bypass"]);
    assert.deepEqual(kindsOf(byPath, member), ["read create update", "role editor"]);
    assert.deepEqual(
      one.members.map(({ username, can, reasons }) => [username, can, reasons[0]!.kind]),
      [[other.username, [], "ungranted"]],
    );
    assert.match(shown, /^Folder ops\/vault\/ of \S+ is restricted\.\n\nUSER +CAN +WHY\n/);
    assert.match(
      shown,
      /read, create, update +role member; editor grant\n[^]*1 member has no access: add --all/,
    );
    assert.match(all, new RegExp(`${other.username} +- +no grant on ops/vault/`));
  });

  it("is refused to members who may not manage the access, and reveals nothing to those without", async (t) => {
    const { owner, member, other, folder, as } = await setUpFolder(t);
    await restrict(service, owner, folder.id, [{ type: "member", id: member.id, level: "viewer" }]);

    const viewer = await as(member)("access", "show", "code-review");
    const outsider = await as(other)("access", "show", "code-review");
    const missing = await as(other)("access", "show", "code-reviews");

    assert.equal(viewer.error.code, "E_FORBIDDEN");
    assert.deepEqual([outsider.code, outsider.error.code], [1, "E_NOT_FOUND"]);
    assert.equal(outsider.error.message, missing.error.message.replace("code-reviews", "code-review"));
  });

  it("asks for a clear name where a skill and a folder have the same one", async (t) => {
    const { owner, org, skill, json } = await setUpFolder(t);
    await newFolder(service, org, owner, "code-review");

    const unclear = await json("access", "show", "code-review");
    const folder = dataOf<{ folder?: { path: string } }>(await json("access", "show", "code-review/"));
    const byId = dataOf<{ skill?: { publicId: string } }>(await json("access", "show", skill.publicId));

    assert.equal(unclear.error.code, "E_AMBIGUOUS");
    assert.match(unclear.error.message, new RegExp(`"code-review/" for the folder, or ${skill.publicId}`));
    assert.deepEqual([folder.folder?.path, byId.skill?.publicId], ["code-review", skill.publicId]);
    assert.deepEqual(failureOf(await json("access", "show", "/")), [1, "", "E_INVALID_ARGUMENT", "<target>"]);
  });
});

describe("svc access restrict", () => {
  it("shows who loses access, changes nothing without --yes, and then restricts", async (t) => {
    const { member, other, json, text, accessOf } = await setUpFolder(t);
    const argv = ["access", "restrict", "ops/vault", "--user", member.username, "--level", "manager"];

    const plan = dataOf<Changed>(await json(...argv, "--dry-run"));
    const unconfirmed = await json(...argv);
    const untouched = await accessOf();
    const done = dataOf<Changed>(await json(...argv, "--yes"));
    const again = await text("access", "restrict", "ops/vault");

    assert.deepEqual(
      [plan.lost, plan.gained],
      [
        [{ userId: other.id, username: other.username, before: ["read", "create", "update"], after: [] }],
        [
          {
            userId: member.id,
            username: member.username,
            before: ["read", "create", "update"],
            after: ["read", "create", "update", "manage"],
          },
        ],
      ],
    );
    assert.deepEqual(failureOf(unconfirmed), [1, "", "E_INTERACTION_REQUIRED", "--yes"]);
    assert.ok(unconfirmed.error.message.includes(other.username));
    assert.deepEqual([untouched.restricted, untouched.grants], [false, []]);
    assert.deepEqual([done.folder.restricted, done.lost.length, done.dryRun], [true, 1, false]);
    assert.deepEqual(
      (await accessOf()).grants.map(({ level }) => level),
      ["manager"],
    );
    assert.match(again.stdout, /is restricted to those with a grant\.\nNo member gained or lost access\./);
  });

  it("asks before a restriction ends", async (t) => {
    const { owner, member, other, folder, json, as, accessOf } = await setUpFolder(t);
    await restrict(service, owner, folder.id, [{ type: "member", id: member.id, level: "viewer" }]);
    const lift = ["access", "restrict", "ops/vault", "--lift"];

    const unconfirmed = await json(...lift);
    const refused = await as(member)(...lift, "--yes");
    const hidden = await as(other)(...lift, "--yes");
    const done = dataOf<Changed>(await json(...lift, "--yes"));

    assert.deepEqual(failureOf(unconfirmed), [1, "", "E_INTERACTION_REQUIRED", "--yes"]);
    assert.match(unconfirmed.error.message, /1 skill becomes public, for everyone on the internet/);
    assert.deepEqual([refused.error.code, hidden.error.code], ["E_FORBIDDEN", "E_NOT_FOUND"]);
    assert.ok(done.gained.some(({ username }) => username === other.username));
    assert.deepEqual([(await accessOf()).restricted, (await accessOf()).grants.length], [false, 1]);
    assert.equal((await json(...lift, "--user", member.username)).error.code, "E_INVALID_ARGUMENT");
  });

  it("lifts a restriction for its manager, who may not read the grants of the one around it", async (t) => {
    const { owner, org, member, other, folder, as } = await setUpFolder(t);
    const inner = await newFolder(service, org, owner, "ops/vault/inner");
    await restrict(service, owner, folder.id, [{ type: "member", id: other.id, level: "viewer" }]);
    await restrict(service, owner, inner.id, [{ type: "member", id: member.id, level: "manager" }]);
    const lift = ["access", "restrict", "ops/vault/inner", "--lift"];

    const unconfirmed = await as(member)(...lift);
    const done = dataOf<Changed>(await as(member)(...lift, "--yes"));

    assert.equal(unconfirmed.error.code, "E_INTERACTION_REQUIRED");
    assert.deepEqual([done.gained, done.lost, done.folder.restricted], [[], [], false]);
    assert.match(done.warnings.join(), /is unknown: The restriction of "ops\/vault" would apply/);
    assert.ok(!JSON.stringify([done, unconfirmed.error]).includes(other.username));
  });
});

describe("svc access grant", () => {
  it("adds, changes and revokes grants, and keeps the other ones", async (t) => {
    const { owner, member, other, folder, json, text, accessOf } = await setUpFolder(t);
    await restrict(service, owner, folder.id, [{ type: "member", id: member.id, level: "manager" }]);
    await json("team", "create", "Platform");
    await json("team", "add", "Platform", other.username);
    const levels = async () =>
      Object.fromEntries((await accessOf()).grants.map(({ principal, level }) => [principal.name, level]));

    const given = dataOf<Changed>(
      await json("access", "grant", "code-review", "--team", "platform", "--level", "editor"),
    );
    const all = await levels();
    const lowering = ["access", "grant", "ops/vault", "--team", "Platform", "--level", "viewer"];
    const unconfirmed = await json(...lowering);
    const lowered = dataOf<Changed>(await json(...lowering, "--yes"));
    const revoking = ["access", "grant", "ops/vault", "--team", "Platform", "--level", "none", "--yes"];
    const revoked = await text(...revoking);

    assert.deepEqual(
      given.gained.map(({ username, after: can }) => [username, can]),
      [[other.username, ["read", "create", "update"]]],
    );
    assert.deepEqual(all, { [member.username]: "manager", Platform: "editor" });
    assert.deepEqual(failureOf(unconfirmed), [1, "", "E_INTERACTION_REQUIRED", "--yes"]);
    assert.deepEqual(
      lowered.lost.map(({ username, after: can }) => [username, can]),
      [[other.username, ["read"]]],
    );
    assert.match(
      revoked.stdout,
      /^Revoked the grant on ops\/vault\/ of team Platform\.\n1 member lost access:\n/,
    );
    assert.deepEqual(await levels(), { [member.username]: "manager" });
  });

  it("rejects incomplete requests, and warns of grants without effect", async (t) => {
    const { member, other, as, json } = await setUpFolder(t);
    for (const [argv, flag] of [
      [["ops/vault", "--user", member.username], "--level"],
      [["ops/vault", "--level", "viewer"], "--user"],
      [["ops/vault", "--user", member.username, "--level", "owner"], "--level"],
      [["code-review", "--user", member.username, "--level", "viewer"], "<target>"],
    ] as const)
      assert.deepEqual(failureOf(await json("access", "grant", ...argv)), [
        1,
        "",
        "E_INVALID_ARGUMENT",
        flag,
      ]);
    const grant = ["access", "grant", "ops/vault", "--user", member.username, "--level", "viewer"];
    const done = dataOf<Changed>(await json(...grant));
    const stranger = await service.newUser();

    assert.deepEqual([done.gained, done.lost, done.warnings.length], [[], [], 1]);
    assert.equal((await as(other)(...grant)).error.code, "E_FORBIDDEN");
    assert.equal(
      (await json("access", "grant", "ops", "--user", stranger.username, "--level", "viewer")).error.code,
      "E_NOT_FOUND",
    );
  });
});
