/** Requests of identity providers that are within the limits, and take long if they are processed carelessly. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ScimError } from "../../src/scim/errors.ts";
import { readOperations } from "../../src/scim/patch/operations.ts";
import { removedMembers } from "../../src/scim/patch/removals.ts";
import { patchUser } from "../../src/scim/patch/user.ts";
import { assertProcessorSeconds } from "../support/processor-time.ts";

const isTooMany = (error: unknown) => error instanceof ScimError && error.scimType === "tooMany";

describe("a PATCH", () => {
  it("of a large group finds the removed members in one copy", async () => {
    const ids = Array.from({ length: 20_000 }, (_, at) => at.toString(16).padStart(24, "0"));
    const given = { displayName: "Crew", externalId: undefined, members: new Set(ids) };
    const gone = ids.slice(0, 4000);
    const body = {
      Operations: gone.map((value) => ({ op: "remove", path: "members", value: [{ value }] })),
    };

    await assertProcessorSeconds(2, () => assert.deepEqual(removedMembers("x", given, body), new Set(gone)));
    assert.equal(given.members.size, 20_000);
  });

  it("of a user is refused before long filters are compared with long values", async () => {
    const emails = Array.from({ length: 50 }, (_, at) => ({
      value: `${at}@x.io`,
      display: "d".repeat(1000),
    }));
    const path = `emails[${'display eq "w" or '.repeat(4)}value pr].primary`;
    const Operations = Array.from({ length: 700 }, () => ({ op: "replace", path, value: false }));
    const apply = () => {
      const operations = readOperations("User", { Operations }, new Set());
      patchUser("x", { core: { emails }, enterprise: {} }, operations, new Set());
    };

    await assertProcessorSeconds(2, () => assert.throws(apply, isTooMany));
  });
});
