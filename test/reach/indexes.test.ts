import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { unzipSync } from "fflate";
import { limits } from "../../contract/limits.ts";
import { governed, newFolder, newMember, publishSkill, restrict } from "../support/organization.ts";
import { setUpOrganization } from "../support/set-up.ts";
import { skillMd } from "../support/zip.ts";
import {
  indexPath,
  openReader,
  publishPackage,
  pushPackage,
  sha256,
  textOf,
  type ReachFixture,
} from "./fixture.ts";

const { service, owner, org } = await setUpOrganization();
const fixture: ReachFixture = { service, owner, org };
const { namesIn, ownFixture, read, readIndex } = openReader(service);

describe("the index of an organization", () => {
  it("does not exist without a public skill, like that of an unknown organization", async () => {
    const empty = await ownFixture();
    await publishSkill(service, empty.org, empty.owner, { name: "Private" });
    await publishSkill(service, empty.org, empty.owner, { name: "Unlisted", visibility: "unlisted" });
    await publishSkill(service, empty.org, empty.owner, { name: "Rule", type: "rule", visibility: "public" });

    for (const form of ["agent-skills", "skills"]) {
      const [ours, none] = [indexPath(`/${empty.org.slug}`, form), indexPath("/nobody", form)];
      const [first, second] = [await read(ours), await read(none)];
      assert.deepEqual([first.status, second.status], [404, 404]);
      const withoutId = ({ bytes }: typeof first, path: string) =>
        textOf(bytes)
          .replace(path, "")
          .replace(/"requestId":"[^"]*"/, "");
      assert.equal(withoutId(first, ours), withoutId(second, none));
    }
  });

  it("lists public skills with version and digest of a zip that has exactly the files", async () => {
    const made = await publishPackage(fixture, "release-notes");
    await publishSkill(service, org, owner, {
      name: "Text",
      content: "---\nname: text\ndescription: A text.\n---\n# Text\n",
      visibility: "public",
    });

    const skills = await readIndex(`/${org.slug}`);

    assert.deepEqual(skills.map(({ name }) => name).toSorted(), ["release-notes", "text"]);
    const entry = skills.find(({ name }) => name === "release-notes")!;
    assert.deepEqual(
      [entry.type, entry.description, entry.version, entry.url],
      [
        "archive",
        "Does things.",
        made.currentSemver,
        `/${org.slug}/.well-known/agent-skills/release-notes/${made.currentSemver}.zip`,
      ],
    );
    for (const { url, digest } of skills) {
      const zip = await read(url);
      assert.equal(zip.headers.get("content-type"), "application/zip");
      assert.equal(sha256(zip.bytes), digest);
    }
    const files = unzipSync((await read(entry.url)).bytes);
    assert.deepEqual(Object.keys(files).toSorted(), ["SKILL.md", "scripts/run.sh"]);
    assert.equal(textOf(files["SKILL.md"]!), skillMd("release-notes"));
  });

  it("has the same digest for the same files wherever they are published", async () => {
    const other = await ownFixture();
    await publishPackage(other, "release-notes");

    const [one] = await readIndex(`/${other.org.slug}`);
    const two = (await readIndex(`/${org.slug}`)).find(({ name }) => name === "release-notes")!;

    assert.equal(one!.digest, two.digest);
    // Clients keep it: a new release of a library must not change it.
    assert.equal(one!.digest, "sha256:5560c23a017d6f04da92aacae94a818e9e8d3e03612c3cace87aa027a62e15ae");
  });

  it("is answered with 304 to its entity tag, to HEAD without a body, and to pages of any origin", async () => {
    const path = indexPath(`/${org.slug}`);
    const first = await read(path, { origin: "https://elsewhere.example" });
    const etag = first.headers.get("etag")!;
    const again = await read(path, { "if-none-match": etag });
    const head = await service.raw("HEAD", path);

    assert.equal(first.headers.get("content-type"), "application/json");
    assert.equal(first.headers.get("access-control-allow-origin"), "*");
    assert.equal(first.headers.get("access-control-allow-credentials"), null);
    assert.equal(first.headers.get("cache-control"), "public, no-cache");
    assert.deepEqual([again.status, again.bytes.length], [304, 0]);
    assert.deepEqual([head.status, (await head.arrayBuffer()).byteLength], [200, 0]);
    assert.equal(head.headers.get("etag"), etag);
  });

  it("is the same for members, whose credentials are ignored", async () => {
    const member = await newMember(service, org, "member");
    await publishSkill(service, org, owner, { name: "For members" });
    const [anyone, signedIn] = [
      await read(indexPath(`/${org.slug}`)),
      await read(indexPath(`/${org.slug}`), { authorization: `Bearer ${member.token}` }),
    ];

    assert.equal(textOf(signedIn.bytes), textOf(anyone.bytes));
    const broken = await read(indexPath(`/${org.slug}`), { authorization: "Bearer of another service" });
    assert.equal(broken.status, 200);
  });

  it("shows each change at once", async () => {
    const own = await ownFixture();
    const folder = await newFolder(service, own.org, own.owner, "Shelf");
    const skill = await publishPackage(own, "changing", { folder: "Shelf" });
    await publishPackage(own, "staying");
    const address = `/${own.org.slug}`;
    const zip = `${address}/changing.zip`;
    const { token } = own.owner;
    const isThere = async () => {
      const [names, direct, file] = [
        await namesIn(address),
        await read(zip),
        await read(`${address}/changing/SKILL.md`),
      ];
      assert.equal(direct.status, file.status);
      assert.deepEqual(names.includes("changing"), direct.status === 200, `${names.join()} ${direct.status}`);
      const ofSkill = await namesIn(`${address}/changing`);
      assert.deepEqual(ofSkill, direct.status === 200 ? ["changing"] : []);
      return direct.status === 200;
    };
    assert.equal(await isThere(), true);

    await pushPackage(own, skill.id, "changing", { "notes.md": "New.\n" });
    const [entry] = (await readIndex(address)).filter(({ name }) => name === "changing");
    assert.equal(entry!.version, "1.0.1");
    assert.equal(sha256((await read(zip)).bytes), entry!.digest);

    await service.call("PUT", `/api/skills/${skill.id}`, { token, body: { visibility: "private" } });
    assert.equal(await isThere(), false);
    await service.call("PUT", `/api/skills/${skill.id}`, { token, body: { visibility: "public" } });
    assert.equal(await isThere(), true);
    await restrict(service, own.owner, folder.id, []);
    assert.equal(await isThere(), false);
    await restrict(service, own.owner, folder.id, [], false);
    await governed(service, own.org);
    assert.equal(await isThere(), true);
    const takedown = await service.call("POST", `/api/admin/skills/${skill.id}/take-down`, {
      token: owner.token,
      body: { reason: "A test." },
    });
    assert.equal(takedown.status, 200, JSON.stringify(takedown.body));
    assert.equal(await isThere(), false);
    await service.call("DELETE", `/api/skills/${skill.id}`, { token });
    assert.equal(await isThere(), false);
  });

  it("is found by a previous slug of the organization", async () => {
    const own = await ownFixture();
    await publishPackage(own, "moving");
    const slug = `${own.org.slug}-new`;
    await service.call("PATCH", `/api/tenants/${own.org.id}`, { token: own.owner.token, body: { slug } });

    const [before, after] = [await readIndex(`/${own.org.slug}`), await readIndex(`/${slug}`)];

    assert.deepEqual(before, after);
    assert.equal(before[0]!.url, `/${slug}/.well-known/agent-skills/moving/1.0.0.zip`);
  });

  it("has at most a hundred skills: the most downloaded ones, or those of the chosen collection in its order", async () => {
    const own = await ownFixture();
    for (let n = 0; n < 3; n++) await publishPackage(own, `skill-${n}`);
    await service.settled();
    // The copies share a version, whose facts are known then.
    assert.equal((await readIndex(`/${own.org.slug}`)).length, 3);
    const { raw } = service.app.storage.database;
    const skills = raw.collection<{ _id: string; slug: string }>("skills");
    const template = (await skills.findOne({ tenantId: own.org.id }))!;
    const copies = Array.from({ length: limits.indexedSkills }, (_, n) => ({
      ...template,
      _id: service.app.newId(),
      publicId: service.app.newId().slice(-10),
      slug: `copy-${n}`,
    }));
    await skills.insertMany(copies);
    await skills.updateOne({ tenantId: own.org.id, slug: "skill-2" }, { $set: { downloads: 9 } });

    const most = await readIndex(`/${own.org.slug}`);

    assert.equal(most.length, limits.indexedSkills);
    assert.equal(most[0]!.name, "skill-2");
    const bySlug = await skills.find({ tenantId: own.org.id }).toArray();
    const wanted = ["copy-7", "skill-1", "copy-3"].map(
      (slug) => bySlug.find((one) => one.slug === slug)!._id,
    );
    const { token } = own.owner;
    const body = { name: "Few", skills: wanted };
    const collection = await service.call<{ id: string }>(
      "POST",
      `/api/tenants/${own.org.slug}/collections`,
      {
        token,
        body,
      },
    );
    const choose = (slug: string | null) =>
      service.call("PUT", `/api/tenants/${own.org.slug}/skill-index`, { token, body: { collection: slug } });
    assert.equal((await choose("none")).status, 404);
    assert.equal((await choose("few")).status, 200);
    const few = await readIndex(`/${own.org.slug}`);
    assert.deepEqual(
      few.map(({ name }) => name),
      ["copy-7", "skill-1", "copy-3"],
    );
    await service.call("DELETE", `/api/tenants/${own.org.slug}/collections/${collection.data.id}`, { token });
    assert.equal((await readIndex(`/${own.org.slug}`)).length, limits.indexedSkills);
  });

  it("leaves out a name that the standard does not accept, and a skill that clients can't unpack", async () => {
    const own = await ownFixture();
    const name = `${"a".repeat(61)}-bb`;
    await publishPackage(own, "small");
    for (let n = 0; n < 2; n++)
      await publishSkill(service, own.org, own.owner, {
        name: n === 0 ? name : `${name} `.toUpperCase(),
        content: "---\ndescription: Some text.\n---\n# Text\n",
        visibility: "public",
        mode: "create",
        folder: n === 0 ? undefined : "Other",
        createFolders: true,
      }).catch(() => undefined);
    const { raw } = service.app.storage.database;
    await raw
      .collection("skills")
      .updateOne({ tenantId: own.org.id, slug: name }, { $set: { slug: "odd--name" } });

    assert.deepEqual(await namesIn(`/${own.org.slug}`), ["small"]);
    assert.deepEqual(await namesIn(`/${own.org.slug}/odd--name`), []);
  });

  it("lists the files in the older form, with the version", async () => {
    const { bytes } = await read(indexPath(`/${org.slug}`, "skills"));
    const { skills } = JSON.parse(textOf(bytes)) as {
      skills: { name: string; files: string[]; version: string }[];
    };
    const entry = skills.find(({ name }) => name === "release-notes")!;

    assert.deepEqual([entry.files, entry.version], [["SKILL.md", "scripts/run.sh"], "1.0.0"]);
    const base = `/${org.slug}/.well-known/skills/release-notes`;
    assert.equal(textOf((await read(`${base}/SKILL.md`)).bytes), skillMd("release-notes"));
    assert.equal(textOf((await read(`${base}/scripts/run.sh`)).bytes), "echo hi\n");
    assert.equal((await read(`${base}/missing.txt`)).status, 404);
    assert.equal((await read(`/${org.slug}/.well-known/skills/for-members/SKILL.md`)).status, 404);
  });
});
