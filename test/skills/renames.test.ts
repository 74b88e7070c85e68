import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, it } from "node:test";
import { promisify } from "node:util";
import { limits } from "../../contract/limits.ts";
import type { PublishResult, SkillPayload } from "../../contract/payloads/skills/skills.ts";
import type { RenamedSkillPayload, ReservedSlugPayload } from "../../contract/payloads/skills/slugs.ts";
import { newFolder, newMember } from "../support/organization.ts";
import { newOrganization, setUpService } from "../support/set-up.ts";

const git = promisify(execFile);
const { service } = await setUpService();
const { owner, org } = await newOrganization(service);
const stranger = await service.newUser("stranger");
const member = await newMember(service, org, "member");

let made = 0;
async function publish(fields: object = {}, token = owner.token): Promise<SkillPayload> {
  const body = { tenantId: org.id, name: `Skill ${++made}`, content: `# ${made}\n`, ...fields };
  const { status, data } = await service.call<PublishResult>("POST", "/api/skills", { token, body });
  assert.equal(status, 201, JSON.stringify(data));
  return data.skill;
}

const rename = (ref: string, slug: string, { token = owner.token, dryRun = false } = {}) =>
  service.call<RenamedSkillPayload>("POST", `/api/skills/${ref}/rename`, { token, body: { slug, dryRun } });
const read = (ref: string, token?: string) =>
  service.call<SkillPayload>("GET", `/api/skills/${ref}`, token === undefined ? {} : { token });
const raw = (address: string, init: RequestInit = {}) =>
  fetch(service.url + address, { redirect: "manual", ...init });
const reserved = async (token = owner.token) =>
  (
    await service.call<ReservedSlugPayload[]>("GET", `/api/tenants/${org.slug}/reserved-slugs?limit=100`, {
      token,
    })
  ).data;
/** The slug that another one leads to. */
const slugOf = async (slug: string) => {
  const response = await raw(`/api/skills/${org.slug}~${slug}`, {
    ...bearer(owner.token),
    redirect: "follow",
  });
  return ((await response.json()) as { data: SkillPayload }).data.slug;
};
const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

describe("a renamed skill", () => {
  it("is found by its previous slug: by redirects, and by references", async () => {
    const skill = await publish({ visibility: "public" });
    const was = skill.slug;
    const { status, data } = await rename(skill.id, "first-name");

    assert.equal(status, 200);
    assert.deepEqual([data.from, data.renamed, data.skill.slug], [was, true, "first-name"]);
    const moved = await raw(`/api/skills/${org.slug}~${was}/content?version=1`);
    assert.equal(moved.status, 301);
    assert.equal(moved.headers.get("location"), `/api/skills/${org.slug}~first-name/content?version=1`);
    assert.equal(moved.headers.get("cache-control"), "no-store");
    const written = await raw(`/api/skills/${org.slug}~${was}`, {
      method: "PUT",
      body: JSON.stringify({ tags: ["renamed"] }),
      headers: { ...bearer(owner.token).headers, "content-type": "application/json" },
      redirect: "follow",
    });
    assert.equal(written.status, 200);
    assert.deepEqual((await read(skill.id, owner.token)).data.tags, ["renamed"]);
    for (const ref of [`${org.slug}/${was}`, was]) {
      const { data: resolved } = await service.call<{ skill: SkillPayload }>(
        "GET",
        `/api/skills/resolve?ref=${ref}`,
        { token: owner.token },
      );
      assert.equal(resolved.skill.slug, "first-name", ref);
    }
    const page = await raw(`/${org.slug}/${was}`, { headers: { accept: "text/html" } });
    assert.deepEqual([page.status, page.headers.get("location")], [301, `/${org.slug}/first-name`]);
    const text = await raw(`/${org.slug}/${was}`, { headers: { accept: "text/markdown" } });
    assert.deepEqual([text.status, text.headers.get("location")], [301, `/${org.slug}/first-name`]);
  });

  it("is cloned from its former address", async () => {
    const skill = await publish({ visibility: "public", content: "# Cloned\n" });
    await rename(skill.id, "cloned-anew");
    const folder = mkdtempSync(path.join(tmpdir(), "svc-test-renames-"));
    await git("git", ["clone", "-q", `${service.url}/${org.slug}/${skill.slug}.git`, folder]);

    assert.match(readFileSync(path.join(folder, "SKILL.md"), "utf8"), /# Cloned/);
  });

  it("keeps several previous slugs, and gets one of them back", async () => {
    const skill = await publish();
    for (const slug of ["one-name", "two-name", skill.slug])
      assert.equal((await rename(skill.id, slug)).status, 200);

    assert.equal(await slugOf("one-name"), skill.slug);
    assert.equal(await slugOf("two-name"), skill.slug);
    const names = (await reserved()).filter((row) => row.skill?.id === skill.id).map((row) => row.slug);
    assert.deepEqual(names, ["one-name", "two-name"]);
    const again = await rename(skill.id, skill.slug);
    assert.equal(again.data.renamed, false);
  });

  it("is hidden from others by each of its slugs alike", async () => {
    const skill = await publish();
    await rename(skill.id, "hidden-anew");
    for (const slug of [skill.slug, "hidden-anew", "never-there"]) {
      assert.equal((await raw(`/api/skills/${org.slug}~${slug}`)).status, 401, slug);
      const asStranger = await raw(`/api/skills/${org.slug}~${slug}`, bearer(stranger.token));
      assert.equal(asStranger.status, 404, slug);
      assert.equal(
        (await raw(`/${org.slug}/${slug}.git/info/refs?service=git-upload-pack`)).status,
        401,
        slug,
      );
    }
  });

  it("gives its previous slug to no other skill, folder or rename until an owner frees it", async () => {
    const skill = await publish({ name: "Sought after" });
    await rename(skill.id, "sought-elsewhere");

    assert.equal((await publish({ name: "Sought after it" })).slug, "sought-after-it");
    const namesake = await service.call<PublishResult>("POST", "/api/skills", {
      token: owner.token,
      body: { tenantId: org.id, name: "Sought  After!", content: "# n\n" },
    });
    assert.equal(namesake.data.skill.slug, "sought-after-2");
    const refused = await rename(namesake.data.skill.id, "sought-after");
    assert.equal(refused.status, 409);
    assert.match(String(refused.body.error), /reserved/);
    const address = `/api/tenants/${org.slug}/reserved-slugs/sought-after`;
    for (const { token } of [member, stranger])
      assert.notEqual((await service.call("DELETE", address, { token })).status, 200);
    assert.equal((await service.call("DELETE", address, { token: owner.token })).status, 200);
    assert.equal((await service.call("DELETE", address, { token: owner.token })).status, 404);
    assert.equal((await read(`${org.slug}~sought-after`, owner.token)).status, 404);
    assert.equal((await rename(namesake.data.skill.id, "sought-after")).status, 200);
  });

  it("is refused a slug that is taken, and one that is none", async () => {
    const [skill, other] = [await publish(), await publish()];
    await newFolder(service, org, owner, "a-folder");
    assert.equal((await rename(skill.id, other.slug)).status, 409);
    assert.equal((await rename(skill.id, other.slug, { dryRun: true })).status, 409);
    assert.equal((await rename(skill.id, "a-folder")).status, 409);
    for (const slug of ["", "Upper", "a--b", "-a", "con", "a/b", "x".repeat(limits.skillSlug + 1)])
      assert.equal((await rename(skill.id, slug)).status, 400, slug);
    const planned = await rename(skill.id, "planned-name", { dryRun: true });
    assert.deepEqual([planned.data.renamed, planned.data.skill.slug], [true, "planned-name"]);
    assert.equal((await read(skill.id, owner.token)).data.slug, skill.slug);
    assert.equal((await rename(skill.id, "no-right", { token: stranger.token })).status, 404);
  });

  it("has a limited number of previous slugs", async () => {
    const skill = await publish();
    for (let count = 1; count <= limits.formerSkillSlugs; count++)
      assert.equal((await rename(skill.id, `often-${count}`)).status, 200, String(count));
    assert.equal((await rename(skill.id, "once-too-often")).body.code, "limit_reached");
    assert.equal((await rename(skill.id, "often-1")).status, 200);
  });

  it("has one slug after renames, moves and publishes at once", async () => {
    const skill = await publish();
    const folder = await newFolder(service, org, owner, "race-folder");
    const answers = await Promise.all([
      ...["race-a", "race-b", "race-c"].map((slug) => rename(skill.id, slug)),
      service.call("POST", `/api/skills/${skill.id}/move`, {
        token: owner.token,
        body: { folderId: folder.id },
      }),
      ...[1, 2].map((n) =>
        service.call("POST", `/api/skills/${skill.id}/versions`, {
          token: owner.token,
          body: { content: `# r${n}\n` },
        }),
      ),
      publish({ name: "Race a" }),
    ]);
    for (const answer of answers)
      if ("status" in answer) assert.ok([200, 201, 409].includes(answer.status), JSON.stringify(answer.body));
    const { data: now } = await read(skill.id, owner.token);
    assert.equal(now.folderId, folder.id);
    assert.equal(now.currentVersion, 3);
    assert.equal(await slugOf(skill.slug), now.slug);
    const { pathReservations } = service.app.storage;
    const paths = await pathReservations.listOfOwners([skill.id]);
    assert.deepEqual(
      paths.map(({ slug, parentId }) => [slug, parentId]),
      [[now.slug, folder.id]],
    );
  });

  it("keeps its path after two renames or moves to the same one at once", async () => {
    const { pathReservations } = service.app.storage;
    const folder = await newFolder(service, org, owner, "twice-folder");
    for (let round = 0; round < 8; round++) {
      const skill = await publish();
      const slug = `twice-${round}`;
      const move = () =>
        service.call("POST", `/api/skills/${skill.id}/move`, {
          token: owner.token,
          body: { folderId: folder.id },
        });
      const changes =
        round % 2 === 0 ? [rename(skill.id, slug), rename(skill.id, slug)] : [move(), move(), move()];
      for (const { status, body } of await Promise.all<{ status: number; body: unknown }>(changes))
        assert.equal(status, 200, JSON.stringify(body));
      const { data: now } = await read(skill.id, owner.token);
      const paths = await pathReservations.listOfOwners([skill.id]);
      assert.deepEqual(
        paths.map((one) => [one.slug, one.parentId]),
        [[now.slug, now.folderId]],
      );
    }
  });
});

describe("the slug of a deleted skill", () => {
  it("still leads to the skill if its deletion was interrupted", async (t) => {
    const skill = await publish({ name: "Kept" });
    await rename(skill.id, "kept-on");
    const { skills } = service.app.storage;
    const failing = t.mock.method(skills, "markDeleted", () => Promise.reject(new Error("it ends")));
    const remove = () => service.call("DELETE", `/api/skills/${skill.id}`, { token: owner.token });

    assert.equal((await remove()).status, 500);
    failing.mock.restore();
    assert.equal(await slugOf("kept"), "kept-on");
    assert.equal((await remove()).status, 200);
    assert.equal((await reserved()).find(({ slug }) => slug === "kept")?.reason, "deleted");
  });

  it("is reserved for 30 days, with the former ones", async () => {
    const skill = await publish({ name: "Gone" });
    await rename(skill.id, "gone-anew");
    await service.call("DELETE", `/api/skills/${skill.id}`, { token: owner.token });
    await service.settled();

    for (const slug of ["gone", "gone-anew"]) {
      const row = (await reserved()).find((one) => one.slug === slug)!;
      assert.equal(row.reason, "deleted");
      assert.ok(Math.abs(Date.parse(row.until!) - Date.now() - limits.deletedSlugDays * 86_400_000) < 60_000);
      assert.equal((await read(`${org.slug}~${slug}`, owner.token)).status, 404);
    }
    assert.equal((await publish({ name: "Gone" }, member.token)).slug, "gone-2");
    const { slugReservations } = service.app.storage;
    await slugReservations.removeEnded(new Date(Date.now() + (limits.deletedSlugDays - 1) * 86_400_000));
    assert.equal((await reserved()).filter((one) => one.slug.startsWith("gone")).length, 2);
    await slugReservations.removeEnded(new Date(Date.now() + (limits.deletedSlugDays + 1) * 86_400_000));
    assert.equal((await reserved()).filter((one) => one.slug.startsWith("gone")).length, 0);
  });
});
