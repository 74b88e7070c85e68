/** The reads of a search: those of the terms that add the most to a score, and not more than it needs. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { maxCandidates, readsOf } from "../../src/skills/search/ranking/candidates.ts";
import { groupsOf } from "../../src/skills/search/ranking/query.ts";
import type { TermCounts } from "../../src/skills/search/ranking/score.ts";

const countsOf = (counts: Record<string, number>): TermCounts => ({
  entries: 20_000,
  of: (term) => counts[term] ?? 0,
});
const reads = (query: string, counts: Record<string, number>) =>
  readsOf(groupsOf(query, new Map()), countsOf(counts));

describe("the reads of a search", () => {
  it("are one for words that few entries have, with all weights", () => {
    assert.deepEqual(
      reads("flaky browser", { flaki: 20, browser: 90, flakybrowser: 2 }).map((terms) => terms.toSorted()),
      [
        ["browser", "flaki", "flakybrows"].flatMap((term) =>
          ["A", "B", "C", "D"].map((letter) => term + letter),
        ),
      ],
    );
  });

  it("leave out a common word once there are enough entries with rarer ones", () => {
    const terms = reads("browser page", { browser: 600, page: 15_000 }).flat();
    assert.ok(terms.includes("browserA"));
    assert.ok(!terms.some((term) => /^page[A-D]$/.test(term)));
  });

  it("prefer a heavy place of a word to a light place of a rarer one", () => {
    const terms = reads("browser page", { browser: 900, page: 1400 }).flat();
    assert.ok(terms.indexOf("pageA") < terms.indexOf("browserC"));
    assert.ok(!terms.includes("pageD"));
  });

  it("are alone for a word that more entries have than one read returns", () => {
    const [rare, common, ...rest] = reads("page table", { page: maxCandidates + 1, tabl: 3 });
    assert.deepEqual(rest, []);
    assert.ok(rare!.includes("tablD") && !rare!.includes("pageA"));
    assert.deepEqual(common, ["pageA", "pageB", "pageC"]);
  });

  it("are made for a word that no count has, which may stand in restricted skills", () => {
    assert.deepEqual(reads("zeppelin", {}), [["zeppelinA", "zeppelinB", "zeppelinC", "zeppelinD"]]);
  });
});
