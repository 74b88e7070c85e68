/** Related words of an organization: only its members' searches know them. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { limits } from "../../contract/limits.ts";
import type { SearchHit } from "../../contract/payloads/discovery/search.ts";
import type { AuditLogPayload } from "../../contract/payloads/organizations/audit.ts";
import { newMember } from "../support/organization.ts";
import { setUpOrganization } from "../support/set-up.ts";

const { service, owner, org } = await setUpOrganization();
const member = await newMember(service, org, "viewer");
const stranger = await service.newUser();
const address = `/api/tenants/${org.slug}/search-synonyms`;

await service.call("POST", "/api/skills", {
  token: owner.token,
  body: {
    tenantId: org.slug,
    name: "Cloud bills",
    description: "Explains the invoice of the hosting provider.",
    content: "# Cloud bills\n",
    visibility: "public",
  },
});
await service.settled();

const put = (groups: unknown, token = owner.token) =>
  service.call<{ groups: string[][] }>("PUT", address, { token, body: { groups } });

async function found(query: string, token?: string): Promise<string[]> {
  const answer = await service.call<SearchHit[]>("GET", `/api/search?query=${encodeURIComponent(query)}`, {
    token,
  });
  assert.equal(answer.status, 200, answer.error);
  return answer.data.map(({ skill }) => skill.name);
}

describe("an organization's related words", () => {
  it("are searched for by its members at once, in each direction, and by nobody else", async () => {
    assert.deepEqual(await found("zephyr", member.token), []);
    const saved = await put([["Zephyr", "hosting provider", "nimbus"]]);
    assert.equal(saved.status, 200, saved.error);
    assert.deepEqual(saved.data.groups, [["Zephyr", "hosting provider", "nimbus"]]);
    for (const query of ["zephyr", "NIMBUS", "zephyr costs"])
      assert.deepEqual(await found(query, member.token), ["Cloud bills"], query);
    assert.deepEqual(await found("zephyr", stranger.token), []);
    assert.deepEqual(await found("zephyr"), []);
  });

  it("can be read by members, and changed by those who may change the organization", async () => {
    const read = await service.call("GET", address, { token: member.token });
    assert.deepEqual(read.data, { groups: [["Zephyr", "hosting provider", "nimbus"]] });
    assert.equal((await put([["a1", "b1"]], member.token)).status, 403);
    assert.equal((await put([["a1", "b1"]], stranger.token)).status, 404);
    assert.equal((await service.call("GET", address, { token: stranger.token })).status, 404);
  });

  it("are recorded once per change in the audit log", async () => {
    await put([["zephyr", "hosting"]]);
    await put([["zephyr", "hosting"]]);
    await service.settled();
    const log = await service.call<AuditLogPayload>(
      "GET",
      `/api/tenants/${org.slug}/audit-log?action=organization.search_synonyms_updated`,
      { token: owner.token },
    );
    assert.equal(log.data.entries.length, 2);
  });

  it("refuse lists that could not match, or that are too long", async () => {
    const long = Array.from({ length: limits.synonymGroups + 1 }, (_, n) => [`one${n}`, `two${n}`]);
    for (const groups of [
      [["alone"]],
      [["…", "!!"]],
      [["one two three four", "x1"]],
      [["a\nb", "c1"]],
      long,
      "x",
    ])
      assert.equal((await put(groups)).status, 400, JSON.stringify(groups).slice(0, 60));
    assert.equal((await put(long.slice(1))).status, 200);
    assert.equal((await put([])).status, 200);
  });

  it("cost a search only the groups that have a word of its query", async () => {
    const groups = Array.from({ length: limits.synonymGroups }, (_, n) => [n < 90 ? "zephyr" : "y", `x${n}`]);
    await put([...groups.slice(0, -1), ["nimbus", "hosting provider"]]);
    const { searchSynonyms } = service.app.storage;

    const rare = await searchSynonyms.listWith([org.id], ["nimbus", "$x"], 50);
    const common = await searchSynonyms.listWith([org.id], ["zephyr"], 50);

    assert.equal(rare.length, 1);
    assert.equal(common.length, 50);
    assert.deepEqual(await found("nimbus", member.token), ["Cloud bills"]);
    await put([]);
    assert.deepEqual(await found("zephyr", member.token), []);
  });
});
