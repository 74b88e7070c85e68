/** `svc folders` and `svc move` against the real service. */
import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { keepContract } from "../support/cli-contract.ts";
import { newFolder, newMember, restrict, publishSkill } from "../support/organization.ts";
import type { TestOrg, TestUser } from "../support/service.ts";
import { setUpService, newOrganization } from "../support/set-up.ts";
import { dataOf } from "./fixture.ts";
import { type Ran, svc, temporaryFolder } from "./harness.ts";

interface Folder {
  id: string;
  parentId: string | null;
  name: string;
  slug: string;
  path: string;
  skillCount: number;
}

const { service } = await setUpService();

type Run = (...argv: string[]) => Promise<Ran>;

/** A home with a signed-in user; the second runner is interactive. */
async function signedIn(t: TestContext, user: TestUser): Promise<{ json: Run; text: Run }> {
  const home = await temporaryFolder(t);
  const env = { SVC_API_URL: service.url, SVC_TOKEN: user.token };
  return {
    json: (...argv) => svc([...argv, "-o", "json"], { home, env }),
    text: (...argv) => svc(argv, { home, env }),
  };
}

const newSkill = (user: TestUser, org: TestOrg, name: string, folder?: string) =>
  publishSkill(service, org, user, { name, folder });

describe("svc folders", () => {
  it("creates a folder with its missing parents, once", async (t) => {
    const user = await service.newUser();
    await service.newOrg(user);
    const { json, text } = await signedIn(t, user);

    const first = await json("folders", "create", "Ops/Code Review");
    const again = await json("folders", "create", "ops/code-review");

    assert.deepEqual(dataOf(first), {
      path: "ops/code-review",
      created: ["ops", "ops/code-review"],
      alreadyExisted: false,
    });
    assert.deepEqual(dataOf(again), { path: "ops/code-review", created: [], alreadyExisted: true });
    assert.equal((await text("folders", "create", "ops/x")).stdout, "Created ops/x\n");
    assert.equal((await text("folders", "create", "ops/x")).stdout, "ops/x already exists.\n");
  });

  it("lists folders as objects without access, and as a tree for people", async (t) => {
    const { owner: user, org } = await newOrganization(service);
    const { json, text } = await signedIn(t, user);
    assert.deepEqual(dataOf(await json("folders")), []);
    assert.match((await text("folders")).stdout, /No folders/);
    const inner = await newFolder(service, org, user, "Ops/Code Review");
    await newFolder(service, org, user, "design");
    await newSkill(user, org, "One", "ops/code-review");

    const listed = dataOf<Folder[]>(await json("folders", "list"));
    const alone = dataOf<Folder[]>(await json("folders", "-t", org.slug));

    assert.deepEqual(alone, listed);
    assert.deepEqual(
      listed.map(({ path, skillCount }) => [path, skillCount]),
      [
        ["design", 0],
        ["ops", 0],
        ["ops/code-review", 1],
      ],
    );
    const { id, parentId, name, slug } = listed[2]!;
    assert.deepEqual([id, parentId, name, slug], [inner.id, listed[1]!.id, "Code Review", "code-review"]);
    assert.equal(
      (await text("folders")).stdout,
      "design/\nops/  Ops\n  code-review/  Code Review, 1 skill\n",
    );
  });

  it("hides what the user may not see", async (t) => {
    const { owner, org } = await newOrganization(service);
    const member = await newMember(service, org, "member");
    const outer = await newFolder(service, org, owner, "secret");
    const { json } = await signedIn(t, member);
    assert.equal(dataOf<Folder[]>(await json("folders")).length, 1);
    const restricted = await service.call("PUT", `/api/folders/${outer.id}/access`, {
      token: owner.token,
      body: { restricted: true, grants: [] },
    });
    assert.equal(restricted.status, 200);
    await service.settled();

    assert.deepEqual(dataOf(await json("folders")), []);
    const { error } = await json("folders", "create", "secret/inner");
    assert.equal(error.code, "E_ALREADY_EXISTS");
  });

  it("asks which organization, and reports if there is none", async (t) => {
    const user = await service.newUser();
    const { json } = await signedIn(t, user);
    assert.deepEqual((await json("folders")).error.details, { kind: "team" });
    const [first, second] = [await service.newOrg(user), await service.newOrg(user)];

    for (const argv of [["folders"], ["folders", "create", "a"]]) {
      const { code, error } = await json(...argv);
      assert.deepEqual([code, error.code, error.details], [1, "E_INTERACTION_REQUIRED", { flag: "--team" }]);
    }
    assert.equal((await json("folders", "create", "a", "--team", second.id)).code, 0);
    assert.equal(dataOf<Folder[]>(await json("folders", "-t", first.slug)).length, 0);
    const stranger = await json("folders", "-t", "no-such-team");
    assert.deepEqual(
      [stranger.error.code, stranger.error.details?.["kind"], stranger.error.details?.["ref"]],
      ["E_NOT_FOUND", "team", "no-such-team"],
    );
  });

  it("rejects invalid folder names", async (t) => {
    const user = await service.newUser();
    await service.newOrg(user);
    const { json } = await signedIn(t, user);
    for (const path of ["a/../b", "a//b", "a/\u0007", "x".repeat(101), ""]) {
      const { error } = await json("folders", "create", path);
      assert.deepEqual([error.code, error.details?.["flag"]], ["E_INVALID_ARGUMENT", "<path>"], path);
    }
    assert.deepEqual(dataOf(await json("folders")), []);
  });
});

describe("svc move", () => {
  it("moves a skill to a folder, to a new one, and to the root", async (t) => {
    const { owner: user, org } = await newOrganization(service);
    const folder = await newFolder(service, org, user, "ops/reviews");
    const skill = await newSkill(user, org, "Mover");
    const { json, text } = await signedIn(t, user);
    const head = { id: skill.id, slug: "mover", name: "Mover", tenantId: org.id, tenantSlug: org.slug };

    const into = dataOf(await json("move", "mover", "Ops/Reviews"));
    const again = dataOf(await json("move", `${org.slug}/mover`, "/ops/reviews/"));
    const made = dataOf<{ to: { folderId: string; path: string } }>(
      await json("move", skill.publicId, "a/b", "--parents"),
    );
    const back = dataOf(await json("move", "mover", "/"));

    const at = { folderId: folder.id, path: "ops/reviews" };
    assert.deepEqual(into, { skill: head, from: { folderId: null }, to: at, moved: true });
    assert.deepEqual(again, { skill: head, from: { folderId: folder.id }, to: at, moved: false });
    assert.equal(made.to.path, "a/b");
    assert.deepEqual(back, {
      skill: head,
      from: { folderId: made.to.folderId },
      to: { folderId: null, path: "/" },
      moved: true,
    });
    assert.equal((await text("move", "mover", "a/b")).stdout, `Moved Mover (${org.slug}/mover) to a/b\n`);
    assert.equal(
      (await text("move", "mover", "a/b")).stdout,
      `Mover (${org.slug}/mover) is in a/b already.\n`,
    );
    assert.equal((await text("move", "mover", "/")).stdout, `Moved Mover (${org.slug}/mover) to the root\n`);
  });

  it("asks before more people can read the skill, and names them", async (t) => {
    const { owner: user, org } = await newOrganization(service);
    const folder = await newFolder(service, org, user, "vault");
    const skill = await newSkill(user, org, "Secret");
    await restrict(service, user, folder.id, [{ type: "member", id: user.id, level: "manager" }]);
    const { json } = await signedIn(t, user);
    assert.equal((await json("move", "secret", "vault")).code, 0, "fewer readers: nothing is asked");

    const asked = await json("move", "secret", "/");
    const still = await service.call<{ folderId: string }>("GET", `/api/skills/${skill.id}`, user);
    const moved = await json("move", "secret", "/", "--yes");
    const widened = await json("visibility", "secret", "public");
    const confirmed = await json("visibility", "secret", "public", "-y");
    const back = await json("visibility", `${org.slug}/secret`, "private");

    assert.deepEqual([asked.error.code, asked.error.details], ["E_INTERACTION_REQUIRED", { flag: "--yes" }]);
    assert.match(asked.error.message, /all members of the organization/);
    assert.equal(still.data.folderId, folder.id);
    assert.deepEqual(dataOf<{ exposure: object }>(moved).exposure, {
      before: { visibility: "restricted" },
      after: { visibility: "organization" },
      widened: true,
      versions: 0,
    });
    assert.equal(widened.error.code, "E_INTERACTION_REQUIRED");
    assert.match(widened.error.message, /everyone on the internet/);
    assert.equal(keepContract("visibility", dataOf(confirmed)).to, "public");
    const head = {
      publicId: skill.publicId,
      slug: "secret",
      name: "Secret",
      visibility: "private",
      tenantSlug: org.slug,
    };
    assert.deepEqual(dataOf(back), { skill: head, from: "public", to: "private" });
    assert.deepEqual((await json("visibility", "secret", "secret")).error.details, { flag: "<visibility>" });
  });

  it("names what is missing, taken, ambiguous or forbidden", async (t) => {
    const user = await service.newUser();
    const other = await service.newUser();
    const [org, second] = [await service.newOrg(user), await service.newOrg(user)];
    const skill = await newSkill(user, org, "Twin");
    await newSkill(user, second, "Twin");
    await newSkill(user, org, "Lone");
    await newFolder(service, org, user, "there/lone");
    const { json } = await signedIn(t, user);
    const failed = async (...argv: string[]) => {
      const { code, stdout, error } = await json("move", ...argv);
      assert.deepEqual([code, stdout], [1, ""]);
      return error;
    };

    const ambiguous = await failed("twin", "/");
    assert.equal(ambiguous.code, "E_AMBIGUOUS");
    assert.equal((ambiguous.details!["candidates"] as unknown[]).length, 2);
    const noFolder = await failed(skill.publicId, "nowhere");
    assert.deepEqual(
      [noFolder.code, noFolder.details?.["kind"], noFolder.details?.["ref"]],
      ["E_NOT_FOUND", "folder", "nowhere"],
    );
    const noSkill = await failed("no-such-skill", "/");
    assert.deepEqual([noSkill.code, noSkill.details?.["kind"]], ["E_NOT_FOUND", "skill"]);
    assert.equal((await failed("lone", "there")).code, "E_ALREADY_EXISTS");
    assert.deepEqual((await failed("lone")).details, { flag: "<folder>" });
    assert.deepEqual((await failed("lone", " ")).details, { flag: "<folder>" });
    assert.deepEqual((await failed("lone@1.0.0", "/")).details, { flag: "<skill>" });

    const outsider = await signedIn(t, other);
    assert.equal((await outsider.json("move", skill.publicId, "/")).error.code, "E_NOT_FOUND");
    const viewer = await signedIn(t, await newMember(service, org, "viewer"));
    assert.equal((await viewer.json("move", skill.publicId, "there")).error.code, "E_FORBIDDEN");
  });
});
