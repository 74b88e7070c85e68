import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { eventNames } from "../../contract/events/event-names.ts";
import { bundleModule } from "../support/web/bundle-module.ts";

type Entry = ReturnType<typeof entry>;
interface Part {
  text: string;
}
interface Sentences {
  eventName(action: string): string;
  sentenceOf(entry: Entry, names?: ReadonlyMap<string, string>): Part[];
  sentenceText(parts: Part[]): string;
}
interface Texts {
  eventGroups: [prefix: string, title: string][];
  eventTexts: Record<string, unknown>;
}
interface Runs {
  runsOf(entries: Entry[]): { entries: Entry[] }[];
}
const folder = "web/src/parts/audit/text";
const [{ eventName, sentenceOf, sentenceText }, { eventGroups, eventTexts }, { runsOf }] = await Promise.all([
  bundleModule<Sentences>(`${folder}/sentence.ts`),
  bundleModule<Texts>(`${folder}/event-texts.ts`),
  bundleModule<Runs>(`${folder}/runs.ts`),
]);

const entry = (action: string, metadata: Record<string, unknown> = {}, actor = "ada") => ({
  id: `${action} ${JSON.stringify(metadata)} ${actor}`,
  action,
  actor: { type: "user" as const, id: actor, name: actor },
  resourceType: "skill",
  resourceId: "s1",
  metadata,
  createdAt: "2026-01-01T00:00:00.000Z",
});
const textOf = (...given: Parameters<typeof entry>) => sentenceText(sentenceOf(entry(...given)));

describe("sentences of the audit log", () => {
  it("exist for every event, with and without metadata, under a name of its own and in a group", () => {
    const names = eventNames.map(eventName);
    assert.deepEqual(
      names.filter((name, index) => names.indexOf(name) !== index),
      [],
    );
    const grouped = new Set(eventGroups.map(([prefix]) => prefix));
    for (const action of eventNames) {
      assert.ok(grouped.has(action.split(".")[0]!), action);
      assert.match(textOf(action), /^[a-z][^{}[\]|]*[^\s]$/, action);
    }
    assert.deepEqual(Object.keys(eventTexts), [...eventNames]);
  });

  it("contain the names of an entry, and leave out what it does not have", () => {
    assert.equal(textOf("skill.version_reverted", { slug: "notes", to: "1.2.0" }), "reverted notes to 1.2.0");
    assert.equal(textOf("skill.updated", { slug: "notes" }), "changed the skill notes");
    assert.equal(
      textOf("skill.updated", { slug: "notes", moved: { from: "a", to: "b" } }),
      "changed the skill notes, moved from a to b",
    );
    assert.equal(textOf("folder.updated", { from: "a", to: "a/b" }), "moved or renamed the folder a to a/b");
    assert.equal(textOf("skill.created", { slug: { $ne: "x" } }), "created the skill");
    const names = new Map([["r1", "Releaser"]]);
    const parts = sentenceOf(entry("organization.member_joined", { role: "r1" }), names);
    assert.equal(sentenceText(parts), "joined as Releaser");
  });

  it("show an unknown event by its own name", () => {
    assert.deepEqual(
      [eventName("skill.polished"), textOf("skill.polished")],
      ["skill.polished", "skill.polished"],
    );
    assert.equal(eventName("constructor"), "constructor");
  });

  it("fold three or more entries of one kind by one actor", () => {
    const [a, b] = [entry("skill.created", { slug: "a" }), entry("skill.created", { slug: "b" })];
    const c = entry("skill.created", { slug: "c" });
    const other = entry("skill.created", { slug: "d" }, "bo");
    const sizes = (...entries: Entry[]) => runsOf(entries).map((run) => run.entries.length);
    assert.deepEqual(sizes(a, b, c, other), [3, 1]);
    assert.deepEqual(sizes(a, b, other), [1, 1, 1]);
    assert.deepEqual(sizes(a, other, b, c), [1, 1, 1, 1]);
    assert.deepEqual(sizes(), []);
  });
});
