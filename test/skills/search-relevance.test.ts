/**
 * How well the search answers: part of the queries of `bench/search` over all of its texts, with a floor under the
 * figures. The half by which weights and related words are chosen is used here; the bench measures the other one.
 */
import assert from "node:assert/strict";
import { it } from "node:test";
import { judge } from "../../bench/search/judge.ts";
import { readCorpus, readQueries } from "../../bench/search/set.ts";
import { mapLimit } from "../../contract/concurrency/map-limit.ts";
import type { SearchHit } from "../../contract/payloads/discovery/search.ts";
import { setUpOrganization } from "../support/set-up.ts";

const { service, owner, org } = await setUpOrganization();

it("finds the right skill among the first three for most queries, and hardly ever nothing", async () => {
  const corpus = readCorpus();
  await mapLimit(corpus, 8, async ({ slug: name, content }) => {
    const body = { tenantId: org.slug, name, content };
    assert.equal((await service.call("POST", "/api/skills", { token: owner.token, body })).status, 201);
  });
  await service.settled();
  const queries = readQueries().filter(
    ({ set, grades }, n) => set === "tune" && grades.size > 0 && n % 2 === 0,
  );
  assert.ok(queries.length > 100);
  const judged = await mapLimit(queries, 8, async (query) => {
    const target = `/api/search?limit=10&query=${encodeURIComponent(query.text)}`;
    const answer = await service.call<SearchHit[]>("GET", target, { token: owner.token });
    return judge(
      query,
      answer.data.map(({ skill }) => skill.slug),
      "high",
    );
  });
  const share = (count: number) => count / judged.length;
  const isFound = share(judged.filter((one) => one.isFound).length);
  const gain = share(judged.reduce((sum, one) => sum + one.gain, 0));
  const empty = share(judged.filter(({ found }) => found.length === 0).length);
  const worst = judged.filter((one) => !one.isFound).map(({ query }) => query.text);
  assert.ok(isFound >= 0.86, `${isFound} of the right skills; not for: ${worst.join("; ")}`);
  assert.ok(gain >= 0.8, `nDCG ${gain}`);
  assert.ok(empty <= 0.01, `${empty} without a hit`);
});
