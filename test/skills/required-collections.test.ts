/** Collections that teams have to install: who says so, and who is told. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type {
  CollectionDetailPayload,
  RequiredCollectionPayload,
} from "../../contract/payloads/skills/collections.ts";
import { cleanUpAfterTeam } from "../../workers/orgs/team-deleted.ts";
import { newFolder, newMember, publishSkill, restrict } from "../support/organization.ts";
import { assertIndexed, plansOf } from "../support/plans.ts";
import type { TestUser } from "../support/service.ts";
import { newOrganization, setUpOrganization } from "../support/set-up.ts";

const { service, owner, org } = await setUpOrganization({ reportsCommands: true });
const base = `/api/tenants/${org.slug}/collections`;
const call = <T = CollectionDetailPayload>(
  method: string,
  path: string,
  body?: object,
  user: TestUser = owner,
) => service.call<T>(method, path, { token: user.token, body });
const { data: team } = await call<{ id: string }>("POST", `/api/tenants/${org.slug}/teams`, {
  name: "Backend",
});
const inTeam = await newMember(service, org, "member", [team.id]);
const other = await newMember(service, org, "member");
const open = await publishSkill(service, org, owner, { name: "Open" });
const folder = await newFolder(service, org, owner, "vault");
const secret = await publishSkill(service, org, owner, { name: "Secret", folder: "vault" });
const editor = await newMember(service, org, "member");
await restrict(service, owner, folder.id, [{ type: "member", id: editor.id, level: "manager" }]);

const required = async (user: TestUser) => {
  const { data } = await call<RequiredCollectionPayload[]>(
    "GET",
    "/api/user/required-collections",
    undefined,
    user,
  );
  return data.map(({ tenantSlug, slug, skills }) => [tenantSlug, slug, skills.map((skill) => skill.slug)]);
};

describe("a required collection", () => {
  it("is told to the members of its teams, with the skills that each may read", async () => {
    assert.deepEqual(await required(inTeam), []);
    const skills = [secret.id, open.id];
    const made = await call("POST", base, { name: "Base", skills, requiredFor: [team.id] });
    assert.deepEqual(made.data.requiredFor, [team.id]);

    assert.deepEqual(await required(inTeam), [[org.slug, "base", ["open"]]]);
    assert.deepEqual(await required(other), []);
    assert.deepEqual(await required(owner), []);
    const changed = await call("PATCH", `${base}/base`, { requiredFor: ["everyone"] });
    assert.deepEqual(changed.data.requiredFor, ["everyone"]);
    assert.deepEqual(await required(other), [[org.slug, "base", ["open"]]]);
    assert.deepEqual(await required(owner), [[org.slug, "base", ["secret", "open"]]]);
    const { owner: stranger } = await newOrganization(service);
    assert.deepEqual(await required(stranger), []);
  });

  it("is one only where organization:update permits it, also for its skills", async () => {
    const ofFolder = { name: "Of a folder", folderId: folder.id };
    assert.equal(
      (await call("POST", base, { ...ofFolder, requiredFor: [team.id] }, editor)).code,
      "forbidden",
    );
    assert.equal((await call("POST", base, ofFolder, editor)).status, 201);
    const path = `${base}/of-a-folder`;
    assert.equal((await call("PATCH", path, { requiredFor: [team.id] }, editor)).code, "forbidden");
    assert.equal((await call("PATCH", path, { skills: [secret.id] }, editor)).status, 200);
    assert.equal((await call("PATCH", path, { requiredFor: [team.id] })).status, 200);
    assert.equal((await call("PATCH", path, { skills: [] }, editor)).code, "forbidden");
    assert.equal((await call("PATCH", path, { requiredFor: [] }, editor)).code, "forbidden");
    assert.equal((await call("PATCH", path, { description: "Ours." }, editor)).status, 200);
    assert.deepEqual(
      await required(inTeam),
      [[org.slug, "base", ["open"]]],
      "the folder is hidden from them",
    );
  });

  it("names teams of its own organization", async () => {
    const { owner: elsewhere, org: second } = await newOrganization(service);
    const { data: foreign } = await call<{ id: string }>(
      "POST",
      `/api/tenants/${second.slug}/teams`,
      { name: "Theirs" },
      elsewhere,
    );
    for (const id of [foreign.id, "nothing"])
      assert.equal((await call("PATCH", `${base}/base`, { requiredFor: [id] })).code, "not_found");
    assert.equal(
      (await call("PATCH", `${base}/base`, { requiredFor: [team.id, team.id] })).code,
      "invalid_request",
    );
  });

  it("marks its plugins in the forms of tools that have a word for it", async () => {
    const { data } = await call<{ name: string; requiredPlugins: string[] }[]>(
      "GET",
      `/api/tenants/${org.slug}/marketplaces`,
    );
    assert.deepEqual(
      data.map(({ name, requiredPlugins }) => [name, requiredPlugins]),
      [
        [`${org.slug}-members`, []],
        [`${org.slug}-base`, ["open"]],
        [`${org.slug}-of-a-folder`, ["secret"]],
      ],
    );
  });

  it("is read by indexes, and forgets a deleted team", async () => {
    assertIndexed(await plansOf(service, () => required(inTeam)), 4);
    await call("PATCH", `${base}/base`, { requiredFor: [team.id, "everyone"] });
    assert.equal((await call("DELETE", `/api/tenants/${org.slug}/teams/${team.id}`)).status, 200);
    await cleanUpAfterTeam(service.app, { teamId: team.id });
    await service.settled();
    assert.deepEqual((await call("GET", `${base}/base`)).data.requiredFor, ["everyone"]);
    assert.deepEqual((await call("GET", `${base}/of-a-folder`)).data.requiredFor, []);
  });
});
