/** Searches and texts that are made to cost a lot: their work is bounded, and the answers say what to change. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { mapLimit } from "../../contract/concurrency/map-limit.ts";
import { limits } from "../../contract/limits.ts";
import type { PublishResult } from "../../contract/payloads/skills/skills.ts";
import { setUpOrganization } from "../support/set-up.ts";

const { service, owner, org } = await setUpOrganization();
const publish = (name: string, content: string) =>
  service.call<PublishResult>("POST", "/api/skills", {
    token: owner.token,
    body: { tenantId: org.slug, name, content },
  });
const search = (query: string, rest = "") =>
  service.call<{ skill: { name: string } }[]>("GET", `/api/search?query=${query}${rest}`, {
    token: owner.token,
  });
const encoded = (text: string) => encodeURIComponent(text);

await publish("Plain words", "---\ndescription: Plain words of a text.\n---\nA text in plain words.\n");
await service.settled();

/** A letter of each of the first scripts that have one. */
const scripts = Array.from({ length: 0x30_000 }, (_, code) => String.fromCodePoint(code))
  .filter((letter, code) => code % 97 === 0 && /\p{L}/u.test(letter))
  .slice(0, 100)
  .join(" ");

describe("a query", () => {
  it("is refused with the limit when it is longer", async () => {
    const answer = await search("x".repeat(10_000));
    assert.equal(answer.status, 400);
    assert.match(answer.error!, new RegExp(String(limits.searchQuery)));
  });

  const unusual: [string, string][] = [
    ["as many words as fit", "plain ".repeat(166)],
    ["distinct words as many as fit", Array.from({ length: 250 }, (_, n) => n.toString(36)).join(" ")],
    ["only words that count for nothing", "how to do it in the"],
    ["only punctuation", "... --- !!! ??? ***"],
    ["operators of a database", '{"$where": "1"} $ne .* (a+)+$'],
    ["text in both directions", "plain \u202Eאבג\u202C words \u2067عربي\u2069"],
    ["several lines and control characters", "plain\r\n\twords\u0000\u001b[31m"],
    ["letters of a hundred scripts", scripts],
    ["marks without letters", "\u0301".repeat(300)],
    ["emoji", "👩‍👩‍👧‍👦".repeat(30)],
  ];
  for (const [name, query] of unusual)
    it(`may be ${name}`, async () => {
      const answer = await search(encoded(query), "&facets=true");
      assert.equal(answer.status, 200, answer.error);
      assert.ok(answer.data.every(({ skill }) => skill.name === "Plain words"));
    });

  it("may be a text in UTF-8 that has no characters", async () => {
    for (const bytes of ["%ED%A0%80", "plain%FFwords", "%F0%9F"]) {
      const answer = await search(bytes);
      assert.ok([200, 400].includes(answer.status), `${bytes}: ${answer.status}`);
    }
  });

  it("that is empty is refused with what to send", async () => {
    const answer = await search("%20%0A%20");
    assert.equal(answer.status, 400);
    assert.match(answer.error!, /query/);
  });
});

describe("a text", () => {
  it("of 512 kB of one word is found by it, and does not come before a better one", async () => {
    const made = await publish("Repeated", `${"gravel ".repeat(73_000)}\n`);
    assert.equal(made.status, 201, made.error);
    await service.settled();
    const alone = await search("gravel");
    assert.deepEqual(
      alone.data.map(({ skill }) => skill.name),
      ["Repeated"],
    );
    await publish("Gravel paths", "---\ndescription: Lays paths of gravel.\n---\nGravel.\n");
    await service.settled();
    const answer = await search("gravel");
    assert.equal(answer.data[0]!.skill.name, "Gravel paths");
  });

  it("with 20,000 tags is refused or indexed in bounded size", async () => {
    const tags = Array.from({ length: 20_000 }, (_, n) => `tag${n}`).join(", ");
    const made = await publish("Many tags", `---\ndescription: Tags.\ntags: [${tags}]\n---\nText.\n`);
    assert.ok([201, 400, 422].includes(made.status), made.error);
    if (made.status === 201) assert.ok(made.data.skill.tags.length <= limits.tagsPerSkill);
    else assert.match(made.error!, /frontmatter|tag/);
  });

  it("of words that all differ has a bounded entry", async () => {
    const words = Array.from({ length: 60_000 }, (_, n) => `w${n.toString(36)}`).join(" ");
    const made = await publish("Different words", `${words}\n`);
    assert.equal(made.status, 201, made.error);
    await service.settled();
    const entries = service.app.storage.database.collection<{
      _id: string;
      terms: string[];
      packed: { length(): number };
    }>("search_entries");
    const entry = await entries.findOne({ _id: made.data.skill.id });
    assert.ok(entry!.terms.length <= 400);
    assert.ok(entry!.packed.length() <= 6000);
  });
});

describe("a thousand searches in a row by one caller", () => {
  it("are answered up to a limit, beyond which the answer says how long to wait", async () => {
    const limited = await setUpOrganization({ rateLimits: true });
    const answers = await mapLimit(Array.from({ length: 1000 }), 50, () =>
      limited.service.call("GET", "/api/search?query=plain%20words", { token: limited.owner.token }),
    );
    const refused = answers.filter(({ status }) => status !== 200);
    assert.ok(refused.length < answers.length);
    assert.ok(refused.length > 0 && refused.every(({ status }) => status === 429));
    assert.match(refused[0]!.error!, /Wait \d+ s/);
  });
});
