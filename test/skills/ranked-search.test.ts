/** `GET /api/search`: what it finds and says, and that it reveals nothing of what its caller may not read. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { SearchFacets, SearchHit } from "../../contract/payloads/discovery/search.ts";
import type { PublishResult } from "../../contract/payloads/skills/skills.ts";
import { renewEarlierEntries } from "../../src/skills/search/earlier.ts";
import { newFolder, newMember, restrict } from "../support/organization.ts";
import { setUpOrganization } from "../support/set-up.ts";

const { service, owner, org } = await setUpOrganization();

interface Found {
  hits: SearchHit[];
  names: string[];
  confidence: string;
  searchedFor: { typed: string; used: string }[];
  competing?: boolean;
  facets?: SearchFacets;
  nextCursor: string | null;
}

async function search(query: string, rest = "", token: string | null = owner.token): Promise<Found> {
  const target = `/api/search?query=${encodeURIComponent(query)}${rest}`;
  const answer = await service.call<SearchHit[]>("GET", target, { token: token ?? undefined });
  assert.equal(answer.status, 200, answer.error);
  const fields = answer.body as Omit<Found, "hits" | "names">;
  return { ...fields, hits: answer.data, names: answer.data.map(({ skill }) => skill.name) };
}

async function publish(name: string, fields: object = {}) {
  const made = await service.call<PublishResult>("POST", "/api/skills", {
    token: owner.token,
    body: { tenantId: org.slug, name, content: `# ${name}\n\nSteps.\n`, createFolders: true, ...fields },
  });
  assert.equal(made.status, 201, made.error);
  return made.data.skill;
}

await publish("PDF forms", {
  description: "Fills in forms of PDF documents.",
  tags: ["pdf"],
  visibility: "public",
});
await publish("PDF text", { description: "Extracts the text of PDF files." });
await publish("Browser checks", {
  description: "Tests a web app in a real browser. Use when a page has to be checked.",
  content: "# Browser checks\n\nOpen the page with Playwright.\n",
});
await publish("Spreadsheets", { description: "Writes formulas and charts.", type: "skill" });
const cooking = await publish("Commit messages", { description: "Writes messages of commits for Git." });
await service.settled();

// First, since the service stops looking for them once there are none.
describe("entries of an earlier version of the service", () => {
  it("are found by their words, and written again in the background", async () => {
    const made = await publish("Quartz watch", { content: "Nothing about obsidian.\n" });
    await service.settled();
    const entries = service.app.storage.database.collection<{ _id: string; format?: number }>(
      "search_entries",
    );
    await entries.updateOne({ _id: made.id }, {
      $set: { terms: ["quartz", "watch"] },
      $unset: { format: 1, packed: 1, names: 1, counted: 1, isWhole: 1 },
    } as never);
    const isRenewed = async () => (await entries.findOne({ _id: made.id }))?.format === 2;

    assert.ok(!(await isRenewed()));
    assert.deepEqual((await search("quartz")).names, ["Quartz watch"]);
    assert.deepEqual((await search("obsidian")).names, []);
    await renewEarlierEntries(service.app);
    assert.ok(await isRenewed());
    assert.deepEqual((await search("obsidian")).names, ["Quartz watch"]);
  });
});

describe("a search", () => {
  it("finds a skill by what it does, and says where and why", async () => {
    const { names, hits, confidence } = await search("fill in a form in a pdf");
    assert.equal(names[0], "PDF forms");
    assert.equal(confidence, "high");
    const [first, second] = hits;
    assert.equal(first!.score, 1);
    assert.ok(second!.score! < 1);
    assert.ok(first!.fields!.includes("description") && first!.fields!.includes("name"));
    const { text, marks } = first!.sentence!;
    assert.equal(text, "Fills in forms of PDF documents.");
    assert.deepEqual(
      marks.map(([start, end]) => text.slice(start, end)),
      ["Fills", "forms", "PDF"],
    );
  });

  it("finds words of the text, related words, both forms of a compound, and beginnings", async () => {
    assert.equal((await search("playwright")).names[0], "Browser checks");
    assert.equal((await search("excel")).names[0], "Spreadsheets");
    assert.equal((await search("webapp testing")).names[0], "Browser checks");
    assert.equal((await search("spreadsh")).names[0], "Spreadsheets");
  });

  it("corrects a word that no skill has, and says so", async () => {
    const { names, searchedFor } = await search("borwser checks");
    assert.equal(names[0], "Browser checks");
    assert.deepEqual(searchedFor, [{ typed: "borwser", used: "browser" }]);
  });

  it("admits that nothing matches well", async () => {
    assert.equal((await search("bake a lasagna for pdf lovers tonight")).confidence, "low");
    const nothing = await search("lasagna");
    assert.deepEqual([nothing.hits, nothing.confidence], [[], "none"]);
  });

  it("counts all hits, not those of the page, by type, tag, organization and change", async () => {
    const { facets, hits, nextCursor } = await search("pdf", "&facets=true&limit=1");
    assert.equal(hits.length, 1);
    assert.ok(nextCursor);
    assert.equal(facets!.total, 2);
    assert.deepEqual(facets!.tags, [{ value: "pdf", count: 1 }]);
    assert.deepEqual(
      facets!.organizations.map(({ value, count }) => [value, count]),
      [[org.slug, 2]],
    );
    assert.deepEqual(
      facets!.updated.map(({ count }) => count),
      [2, 2, 2],
    );
  });

  it("counts each filter over the hits without it, and the selected value as the hits", async () => {
    const everything = (await search("pdf", "&facets=true")).facets!;
    const { facets, hits } = await search("pdf", "&facets=true&scope=public&type=skill&updated=7");
    assert.deepEqual(
      hits.map(({ skill }) => skill.name),
      ["PDF forms"],
    );
    assert.equal(facets!.total, 1);
    assert.deepEqual(facets!.scopes, [
      { value: "all", count: everything.total },
      { value: "mine", count: everything.total },
      { value: "public", count: 1 },
    ]);
    const none = (await search("pdf", "&facets=true&type=rule")).facets!;
    assert.deepEqual([none.total, none.types], [0, everything.types]);
    const next = await search("pdf", "&facets=true&limit=1");
    assert.equal((await search("pdf", `&facets=true&limit=1&cursor=${next.nextCursor}`)).facets, undefined);
    const missing = (await search("pdf", "&facets=true&tenant=never-existed")).facets!;
    assert.deepEqual([missing.total, missing.organizations], [0, everything.organizations]);
  });

  it("reports that two skills compete for a query that both answer almost equally well", async () => {
    await publish("Changelog drafts", { description: "Writes a changelog from merged pull requests." });
    await publish("Changelog notes", { description: "Writes a changelog from merged pull requests." });
    await publish("Kubernetes rollout", { description: "Rolls a deployment out step by step." });
    await service.settled();

    const both = await search("write a changelog");
    assert.equal(both.competing, true);
    assert.deepEqual(both.names.slice(0, 2).sort(), ["Changelog drafts", "Changelog notes"]);
    assert.equal((await search("kubernetes rollout")).competing, false);
    assert.equal((await search("write a changelog", "&sort=newest")).competing, undefined);
  });

  it("pages through all hits once", async () => {
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page: Found = await search(
        "pdf browser spreadsheets commit",
        `&limit=1${cursor ? `&cursor=${cursor}` : ""}`,
      );
      seen.push(...page.names);
      cursor = page.nextCursor;
    } while (cursor !== null);
    assert.equal(seen.length, 5);
    assert.equal(new Set(seen).size, 5);
  });

  it("explains its ranking to administrators alone", async () => {
    const member = await newMember(service, org, "viewer");
    const refused = await service.call("GET", "/api/search?query=pdf&explain=true", { token: member.token });
    assert.equal(refused.code, "forbidden");
  });

  it("answers any text within its limits", async () => {
    for (const text of [
      "a",
      "how to use the",
      "?!. -- ***",
      "\u{1F600}\u{1F680}",
      "設計 테스트 ทดสอบ тест δοκιμή בדיקה اختبار",
      "x".repeat(200),
      "a b c d e f g h ".repeat(12).trim(),
      "pdf ".repeat(50).trim(),
    ]) {
      const { confidence } = await search(text);
      assert.ok(["high", "low", "none"].includes(confidence), text);
    }
    for (const text of ["", "\u202e", "x".repeat(1001), "x".repeat(10_000)]) {
      const answer = await service.call("GET", `/api/search?query=${encodeURIComponent(text)}`);
      assert.equal(answer.code, "invalid_request", text.slice(0, 10));
    }
  });
});

describe("a list without words", () => {
  const list = async (rest: string, token: string | null = owner.token) => {
    const answer = await service.call<SearchHit[]>("GET", `/api/search?${rest}`, {
      token: token ?? undefined,
    });
    assert.equal(answer.status, 200, answer.error);
    const { facets, nextCursor, ...fields } = answer.body as Partial<Found>;
    return { hits: answer.data, facets, nextCursor, fields };
  };

  it("has own and public skills in one order, each once, and no scores", async () => {
    const other = await service.newUser();
    const elsewhere = await service.newOrg(other);
    for (const name of ["Public elsewhere", "Private elsewhere"])
      await service.call("POST", "/api/skills", {
        token: other.token,
        body: {
          tenantId: elsewhere.slug,
          name,
          content: `# ${name}\n`,
          visibility: name.startsWith("Public") ? "public" : "private",
        },
      });
    for (const sort of ["updated", "newest", "downloads"]) {
      const whole = await list(`sort=${sort}&facets=true&limit=50`);
      const names = whole.hits.map(({ skill }) => skill.name);
      assert.ok(names.includes("PDF forms") && names.includes("PDF text"));
      assert.ok(names.includes("Public elsewhere") && !names.includes("Private elsewhere"));
      assert.equal(new Set(names).size, names.length);
      assert.equal(whole.facets!.total, names.length);
      assert.equal(whole.hits.find(({ skill }) => skill.name === "PDF forms")!.own, true);
      assert.ok(whole.hits.every(({ score, sentence }) => score === undefined && sentence === undefined));
      const paged: string[] = [];
      for (let cursor: string | null = ""; cursor !== null;) {
        const page = await list(`sort=${sort}&limit=2${cursor && `&cursor=${cursor}`}`);
        paged.push(...page.hits.map(({ skill }) => skill.name));
        cursor = page.nextCursor ?? null;
      }
      assert.deepEqual(paged, names);
    }
  });

  it("shows visitors what is public, with its downloads of 30 days", async () => {
    const { hits, facets } = await list("trend=true&facets=true", null);
    assert.deepEqual(hits.map(({ skill }) => skill.name).sort(), ["PDF forms", "Public elsewhere"]);
    assert.ok(hits.every(({ trend, downloads30Days }) => trend?.length === 30 && downloads30Days === 0));
    assert.deepEqual(facets!.scopes, [
      { value: "all", count: 2 },
      { value: "mine", count: 0 },
      { value: "public", count: 2 },
    ]);
    const mine = await service.call("GET", "/api/search?scope=mine");
    assert.equal(mine.code, "unauthenticated");
  });

  it("has the downloads of a private skill only for those who may read its analytics", async () => {
    const role = await service.call<{ id: string }>("POST", `/api/tenants/${org.slug}/roles`, {
      token: owner.token,
      body: { name: "Reader", permissions: { skill: ["read"] } },
    });
    assert.equal(role.status, 201, role.error);
    const reader = await newMember(service, org, role.data.id);
    const trendsFor = async (token: string) =>
      (await list("trend=true&limit=50", token)).hits.flatMap(({ skill, trend }) =>
        trend ? [skill.name] : [],
      );
    assert.ok((await trendsFor(owner.token)).includes("PDF text"));
    assert.deepEqual((await trendsFor(reader.token)).sort(), ["PDF forms", "Public elsewhere"]);
  });
});

const pageOf = ({ body }: { body: Record<string, unknown> }) => ({ ...body, requestId: undefined });

describe("what a search reveals", () => {
  it("is the same for a member before and after a skill exists that they may not read", async () => {
    const member = await newMember(service, org, "viewer");
    const queries = ["zeppelin", "zepelin", "zeppelins plan", "zep", "commit zeppelin", "commit messages"];
    const asked = (token: string | null) =>
      Promise.all([
        ...queries.map((query) => search(query, "&facets=true", token)),
        service.call("GET", "/api/search?facets=true&trend=true", { token: token ?? undefined }).then(pageOf),
      ]);
    const before = [await asked(member.token), await asked(null)];

    const folder = await newFolder(service, org, owner, "hangar");
    await restrict(service, owner, folder.id, []);
    await publish("Zeppelin plans", {
      description: "Zeppelins and their commits.",
      tags: ["zeppelin"],
      folder: "hangar",
    });
    await service.settled();

    assert.deepEqual([await asked(member.token), await asked(null)], before);
    assert.deepEqual((await search("zeppelin")).names, ["Zeppelin plans"]);
    assert.deepEqual((await search("zep")).names, ["Zeppelin plans"]);
  });

  it("ends with a skill's deletion", async () => {
    assert.equal((await search("commit")).names[0], "Commit messages");
    await service.call("DELETE", `/api/skills/${cooking.id}`, { token: owner.token });
    await service.settled();
    assert.deepEqual((await search("commits")).names.includes("Commit messages"), false);
  });
});
