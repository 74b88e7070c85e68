/** A service that is not what it should be: nothing it says moves a cursor, ends svc with a stack, or spoils its state. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { answer, startServer, svc, temporaryFolder } from "./harness.ts";

/** Titles, screens and directions of a terminal. */
const hostile = "a\u001B]0;owned\u0007\u001B[2J\u001B[31m\u009B2J\u202Eb\rc";
// oxlint-disable-next-line no-control-regex -- what must not come through
const moving = /[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]/;

describe("what a service says, on a terminal", () => {
  it("moves no cursor: not in a result, a remark or an error", async (t) => {
    const home = await temporaryFolder(t);
    const url = await startServer(t, (_request, response, { pathname }) => {
      if (pathname === "/api/tenants")
        return answer(response, 200, { success: true, data: [{ id: "t", slug: hostile, name: hostile }] });
      if (pathname === "/api/user/profile")
        return answer(response, 200, {
          success: true,
          data: {
            username: hostile,
            name: hostile,
            email: hostile,
            memberships: [{ tenantId: "t", slug: hostile, name: hostile }],
            pendingInvitations: [],
          },
        });
      return answer(response, 404, { success: false, error: hostile, code: "not_found" });
    });
    const env = { SVC_API_URL: url, SVC_TOKEN: `lsk_${"a".repeat(64)}` };

    const me = await svc(["whoami"], { home, env });
    const failed = await svc(["versions", "review"], { home, env });

    assert.match(me.stdout, /^a\^\[\]0;owned\^G/);
    assert.doesNotMatch(me.stdout, moving);
    assert.match(failed.stderr, /^error a\^\[\]0;owned/);
    assert.doesNotMatch(failed.stderr, moving);
  });

  it("may have candidates of any form", async (t) => {
    const home = await temporaryFolder(t);
    const url = await startServer(t, (_request, response) =>
      answer(response, 409, {
        success: false,
        error: "Several.",
        code: "ambiguous",
        details: { candidates: [null, 5, { slug: "x", path: hostile }, {}], skipped: [null] },
      }),
    );

    const failed = await svc(["versions", "review"], { home, env: { SVC_API_URL: url } });

    assert.equal(failed.code, 1);
    assert.match(failed.stderr, /^error Several\.\n {2}x {2}a\^\[.*\n {2}E_AMBIGUOUS\n$/);
  });
});
