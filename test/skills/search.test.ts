import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { CreatedFolderPayload } from "../../contract/payloads/organizations/folders.ts";
import type { CatalogItem, PublishResult, SkillPayload } from "../../contract/payloads/skills/skills.ts";
import { writeCursor } from "../../src/http/request/cursor.ts";
import { projectSkill } from "../../src/skills/projection.ts";
import type { SkillDoc } from "../../storage/skills/skills.ts";
import { publishSkill } from "../support/organization.ts";
import { setUpOrganization, newOrganization } from "../support/set-up.ts";

let clock = Date.parse("2026-03-01T10:00:00Z");

const { service, owner, org } = await setUpOrganization({ now: () => new Date(clock) });
const second = await service.newOrg(owner);
const publish = (fields: { name: string; [field: string]: unknown }) =>
  publishSkill(service, org, owner, { visibility: "public", ...fields });
// Every second skill is one second later, so that pages contain equal times.
for (let i = 0; i < 23; i++) {
  if (i % 2 === 0) clock += 1000;
  await publish({
    name: `Filler ${i}`,
    content: `Nothing to see ${i}.\n`,
    tags: i % 3 === 0 ? ["third"] : [],
    tenantId: i % 4 === 0 ? second.slug : org.slug,
  });
}
await publish({
  name: "Database migrator",
  description: "Writes reversible schema changes.",
  content: "Run postgres migrations with care.\n",
  tags: ["sql", "ops"],
});
await publish({ name: "House style", type: "rule", content: "Prefer short sentences.\n", tags: ["prose"] });
await publish({ name: "C++ (modern)", content: "Use RAII. $1.00 a+b [x] {y} ^z|w\n" });
await publish({ name: "設計レビュー", content: "設計を見る。\n" });
await publish({ name: "Hidden migrator", content: "postgres\n", visibility: "private" });
await publish({ name: "Linked migrator", content: "postgres\n", visibility: "unlisted" });
await service.settled();

const explore = (query: string) => service.call<CatalogItem[]>("GET", `/api/explore?${query}`);
const names = async (query: string) => (await explore(query)).data.map((item) => item.name).sort();
const own = async (query: string) =>
  (await service.call<SkillPayload[]>("GET", `/api/skills?${query}`, { token: owner.token })).data
    .map((skill) => skill.name)
    .sort();
const searched = (text: string) => names(`query=${encodeURIComponent(text)}`);

async function allPages<T>(path: string, limit: number): Promise<T[]> {
  const items: T[] = [];
  let cursor: string | null | undefined;
  do {
    const page = await service.call<T[]>(
      "GET",
      `${path}&limit=${limit}${cursor ? `&cursor=${cursor}` : ""}`,
      {
        token: owner.token,
      },
    );
    assert.equal(page.status, 200, JSON.stringify(page.body));
    assert.ok(page.data.length === limit || page.nextCursor === null, "a page is full or the last");
    items.push(...page.data);
    cursor = page.nextCursor;
  } while (cursor);
  return items;
}

async function emptyFolder(): Promise<string> {
  const made = await service.call<CreatedFolderPayload>("POST", `/api/tenants/${org.slug}/folders`, {
    token: owner.token,
    body: { path: "empty" },
  });
  return made.data.folder.id;
}

describe("searching the catalog", () => {
  it("matches words of name, description, tags and text, and prefixes of names", async () => {
    assert.deepEqual(await searched("postgres"), ["Database migrator"]);
    assert.deepEqual(await searched("reversible schema"), ["Database migrator"]);
    assert.deepEqual(await searched("sql"), ["Database migrator"]);
    assert.deepEqual(await searched("datab"), ["Database migrator"]);
    assert.deepEqual(await searched("DATABASE mig"), ["Database migrator"]);
    assert.deepEqual(await searched("house-st"), ["House style"]);
    assert.deepEqual(await searched("設計"), ["設計レビュー"]);
    assert.deepEqual(await searched("postgres nonsense"), ["Database migrator"]);
    assert.deepEqual(await searched("tabase"), []);
    assert.equal((await searched("  ")).length, 27);
  });

  it("filters by index, so that a rare combination takes no more commands than a common one", async () => {
    const { searchEntries } = service.app.storage;
    const { listCandidates } = searchEntries;
    const empty = await emptyFolder();
    let commands = 0;
    searchEntries.listCandidates = (...query) => {
      commands++;
      return listCandidates(...query);
    };
    try {
      assert.deepEqual(await names("query=filler&tag=sql&limit=1"), []);
      assert.deepEqual(await names("query=filler&type=rule&limit=1"), []);
      assert.deepEqual(await own("query=filler&visibility=private&limit=1"), []);
      assert.deepEqual(await own(`query=filler&folder_id=${empty}&limit=1`), []);
      assert.deepEqual(await names("query=data&tag=sql&limit=1"), ["Database migrator"]);
    } finally {
      searchEntries.listCandidates = listCandidates;
    }
    assert.equal(commands, 5);
  });

  it("keeps the newest state, however late an older one is written", async () => {
    const { searchEntries } = service.app.storage;
    const made = await service.call<PublishResult>("POST", "/api/skills", {
      token: owner.token,
      body: { tenantId: org.slug, name: "Latecomer", content: "x\n" },
    });
    const { id } = made.data.skill;
    const { put } = searchEntries;
    let waited = false;
    searchEntries.put = async (rows) => {
      if (!waited && rows.some((row) => row._id === id)) {
        waited = true;
        // The skill is renamed between its read and its write, and that rename is projected completely.
        await service.call("PUT", `/api/skills/${id}`, { token: owner.token, body: { name: "Forerunner" } });
        await projectSkill(service.app, id);
      }
      await put(rows);
    };
    try {
      await projectSkill(service.app, id);
    } finally {
      searchEntries.put = put;
    }

    assert.deepEqual(await own("query=forerunner"), ["Forerunner"]);
    assert.equal(
      (await service.app.storage.database.collection<SkillDoc>("skills").findOne({ _id: id }))?.pendingSince,
      undefined,
    );
    await service.call("DELETE", `/api/skills/${id}`, { token: owner.token });
    await service.settled();
  });

  it("treats every character of a query literally", async () => {
    assert.deepEqual(await searched("C++ (modern)"), ["C++ (modern)"]);
    assert.deepEqual(await searched("c++ ("), ["C++ (modern)"]);
    for (const text of [
      ".*",
      "^",
      "$",
      "(",
      "[",
      "\\",
      "a{1,99999}",
      "(a+)+$",
      '"',
      "-postgres",
      '"postgres" -migrations',
      "{$ne:1}",
      "\u{1F600}",
      "%",
      "x".repeat(200),
      "\ufdfa".repeat(200),
      "a ".repeat(100).trim(),
    ]) {
      const answer = await explore(`query=${encodeURIComponent(text)}`);
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      assert.ok(answer.data.length < 27, `"${text}" is no wildcard`);
    }
    assert.deepEqual(await searched("reversible\n\0schema"), ["Database migrator"]);
    assert.equal((await explore(`query=${"x".repeat(1001)}`)).code, "invalid_request");
  });

  it("filters by tag and type, combined with words", async () => {
    assert.deepEqual(await names("tag=prose"), ["House style"]);
    assert.deepEqual(await names("tag=%20PROSE"), ["House style"]);
    assert.deepEqual(await names("type=rule"), ["House style"]);
    assert.deepEqual(await names("type=skill&tag=prose"), []);
    assert.deepEqual(await names("tag=sql&query=migrations"), ["Database migrator"]);
    assert.equal((await names("tag=third")).length, 8);
    for (const query of [
      "type=tool",
      "sort=name",
      "limit=0",
      "limit=201",
      "limit=x",
      "limit=1.5",
      "tag=a&tag=b",
    ])
      assert.equal((await explore(query)).code, "invalid_request", query);
  });

  it("sorts by creation, change and downloads", async () => {
    const { skills } = service.app.storage;
    const migrator = (await explore("query=postgres")).data[0]!;
    const { _id } = (await skills.findByPublicId(migrator.publicId))!;
    await skills.addDownloads(1, new Map([[_id, 7]]));
    clock += 60_000;
    const filler = (await explore("query=filler%203")).data.find((item) => item.name === "Filler 3")!;
    await service.call("PUT", `/api/skills/${filler.publicId}`, {
      token: owner.token,
      body: { description: "changed" },
    });

    const firstBy = async (sort: string) => (await explore(`sort=${sort}`)).data[0]!.name;
    assert.equal(await firstBy("downloads"), "Database migrator");
    assert.equal(await firstBy("updated"), "Filler 3");
    assert.equal((await explore("sort=newest&limit=1")).data[0]!.name, "設計レビュー");
    for (const [sort, field] of [
      ["newest", "createdAt"],
      ["updated", "updatedAt"],
      ["downloads", "downloads"],
    ] as const) {
      const values = (await explore(`sort=${sort}`)).data.map((item) => item[field]);
      assert.deepEqual(
        values,
        values.toSorted((a, b) => (a < b ? 1 : a > b ? -1 : 0)),
        sort,
      );
    }
  });

  it("pages through equal sort values without loss or duplicates", async () => {
    // The search index lags; a page must not mix the states before and after.
    await service.settled();
    for (const sort of ["newest", "updated", "downloads"]) {
      for (const filter of ["", "&tag=third", "&query=filler", "&type=skill"]) {
        const whole = (await explore(`sort=${sort}${filter}&limit=200`)).data.map((item) => item.publicId);
        for (const limit of [1, 4, 27]) {
          const paged = await allPages<CatalogItem>(`/api/explore?sort=${sort}${filter}`, limit);
          assert.deepEqual(
            paged.map((item) => item.publicId),
            whole,
            `${sort}${filter} by ${limit}`,
          );
        }
      }
    }
  });

  it("continues after a page whose skills were removed in the meantime", async () => {
    const first = await explore("query=filler&limit=5");
    const { skills } = service.app.storage;
    const last = (await skills.findByPublicId(first.data.at(-1)!.publicId))!;
    await service.call("PUT", `/api/skills/${last._id}`, {
      token: owner.token,
      body: { visibility: "private" },
    });

    const rest = await explore(`query=filler&limit=200&cursor=${first.nextCursor}`);

    const publicIds = new Set([...first.data, ...rest.data].map((item) => item.publicId));
    assert.equal(publicIds.size, 23);
  });

  it("rejects cursors that it did not issue", async () => {
    const { nextCursor } = await explore("sort=newest&limit=1");
    const encode = (value: unknown) =>
      writeCursor("/api/explore", Buffer.from(JSON.stringify(value)).toString("base64url"));

    assert.equal((await explore(`sort=newest&cursor=${nextCursor}`)).status, 200);
    for (const cursor of [
      nextCursor!,
      "x",
      "%00",
      "W10",
      encode([]),
      encode(["updated", "1", "a"]),
      encode(["updated", 1e300, "a"]),
      encode(["updated", -1, "a"]),
      encode(["updated", { $gt: 0 }, "a"]),
      encode(["relevance", 1, "a"]),
      encode(["updated", 1, { $ne: 1 }]),
      encode([3]),
      encode(null),
      "a".repeat(501),
    ])
      assert.equal((await explore(`sort=updated&cursor=${cursor}`)).code, "invalid_request", cursor);
  });
});

describe("listing the skills of the caller's organizations", () => {
  it("includes every visibility, and filters by organization, type, visibility, tag, words and folder", async () => {
    assert.equal((await own("limit=200")).length, 29);
    assert.equal((await own(`tenant_id=${second.slug}`)).length, 6);
    assert.equal((await own(`tenant_id=${second.id}&tag=third`)).length, 2);
    assert.deepEqual(await own("visibility=private&query=migrator"), ["Hidden migrator"]);
    assert.deepEqual(await own("visibility=unlisted"), ["Linked migrator"]);
    assert.deepEqual(await own("type=rule"), ["House style"]);
    assert.deepEqual(await own("query=postgres"), [
      "Database migrator",
      "Hidden migrator",
      "Linked migrator",
    ]);
    assert.equal((await own("folder_id=root&limit=200")).length, 29);
    assert.deepEqual(await own(`folder_id=${await emptyFolder()}`), []);
    const unknown = await service.call("GET", `/api/skills?folder_id=${service.app.newId()}`, {
      token: owner.token,
    });
    assert.equal(unknown.code, "not_found");
    assert.deepEqual(await own("personal=true"), []);
  });

  it("pages over several organizations without loss or duplicates", async () => {
    // The search index lags by about a second; a page must not mix the states before and after.
    await service.settled();
    for (const filter of ["", "&query=filler", "&tag=third", `&tenant_id=${org.slug}`]) {
      const paged = await allPages<SkillPayload>(`/api/skills?${filter}`, 4);
      const whole = await allPages<SkillPayload>(`/api/skills?${filter}`, 200);
      assert.deepEqual(
        paged.map((skill) => skill.id),
        whole.map((skill) => skill.id),
      );
    }
  });

  it("returns not_found for an organization that the caller is not a member of", async () => {
    const { org: theirs } = await newOrganization(service);

    for (const tenant of [theirs.slug, theirs.id, "nobody", service.app.newId()]) {
      const answer = await service.call("GET", `/api/skills?tenant_id=${tenant}`, { token: owner.token });
      assert.deepEqual([answer.code, answer.details?.["kind"]], ["not_found", "organization"]);
    }
  });
});
