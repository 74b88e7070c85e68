/** The part of the matrix about webhooks and review rules. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { WebhookPayload } from "../../contract/payloads/organizations/webhooks.ts";
import {
  decideFolder,
  decideTenant,
  isAllowedIn,
  mayManageGrants,
  type Verdict,
} from "../../src/access/decide.ts";
import {
  around,
  callAs,
  callers,
  contextFor,
  folders,
  org,
  owner,
  places,
  service,
  statusOf,
  type Caller,
  type Place,
} from "./matrix-world.ts";

/** Review rules are set by those who manage the access to the folder. */
function decideRule(caller: Caller, place: Place): Verdict {
  const { actor } = caller;
  const context = contextFor(caller, place);
  const isMember = decideTenant(actor, "member", org.id);
  if (isMember !== "allowed") return isMember;
  if (!context) {
    const root = { folderIds: [], restriction: null };
    return mayManageGrants(actor, org.id, root) ? "allowed" : "refused";
  }
  const isOnTheWay = places.some(
    (inside) =>
      inside !== place &&
      around[inside].includes(place) &&
      isAllowedIn(actor, "skill:read", org.id, contextFor(caller, inside)),
  );
  return decideFolder(actor, "folder:manageAcl", { tenantId: org.id, context, isOnTheWay });
}

/** Registers the tests, in the world of the matrix. */
export function describeSecurity(): void {
  describe("what each caller may do with webhooks and review rules, over REST", () => {
    it("reads and changes webhooks as decided by security:manage", async () => {
      const base = `/api/tenants/${org.id}/webhooks`;
      const body = { name: "matrix", url: "https://hooks.example.com/matrix" };
      const made = await service.call<WebhookPayload>("POST", base, { cookie: owner.cookie, body });
      assert.equal(made.status, 201, JSON.stringify(made.body));
      const one = `${base}/${made.data.id}`;
      for (const caller of callers) {
        const verdict = decideTenant(caller.actor, "security:manage", org.id);
        for (const path of [base, one, `${one}/deliveries`])
          assert.equal(
            (await callAs(caller, "GET", path)).status,
            statusOf[verdict],
            `${caller.name}: ${path}`,
          );
        const changed = await callAs(caller, "PATCH", one, { name: "matrix" });
        // A change needs a recent verification, which only a person has.
        const isPerson = verdict !== "allowed" || caller.actor.kind === "user";
        assert.equal(changed.status, isPerson ? statusOf[verdict] : 403, `${caller.name}: change`);
        if (verdict === "allowed") continue;
        for (const [method, path] of [
          ["POST", base],
          ["POST", `${one}/secret`],
          ["POST", `${one}/test`],
          ["DELETE", one],
        ] as const) {
          const given = path === base ? body : undefined;
          const { status } = await callAs(caller, method, path, given);
          assert.equal(status, statusOf[verdict], `${caller.name}: ${method} ${path}`);
        }
      }
      assert.equal((await service.call("DELETE", one, { cookie: owner.cookie })).status, 200);
    });

    it("lists review rules for members, and changes them as decided by folder:manageAcl", async () => {
      const base = `/api/tenants/${org.id}/review-rules`;
      for (const caller of callers) {
        const listed = await callAs(caller, "GET", base);
        assert.equal(listed.status, statusOf[decideTenant(caller.actor, "member", org.id)], caller.name);
        for (const place of places) {
          const path = `${base}/${place === "root" ? "root" : folders.get(place)!.id}`;
          const expected = statusOf[decideRule(caller, place)];
          const told = `${caller.name}: review rule of ${place}`;
          assert.equal((await callAs(caller, "PUT", path, { approvals: 1 })).status, expected, told);
          assert.equal((await callAs(caller, "DELETE", path)).status, expected, told);
        }
      }
    });
  });
}
