import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { eventNames } from "../../contract/vocabulary.ts";
import type { EventRow } from "../../storage/outbox.ts";
import { assertIndexed, plansOf } from "../support/plans.ts";
import { setUpOrganization } from "../support/set-up.ts";

const perLog = 600;

describe("the plans of queries of an audit log", async () => {
  const { service, owner, org } = await setUpOrganization({ reportsCommands: true });
  await service.settled();
  const logs = [org.id, "another", "a third"];
  const rows = logs.flatMap((tenantId) =>
    Array.from({ length: perLog }, (_, index): EventRow => ({
      _id: service.app.newId(),
      name: eventNames[index % 10]!,
      tenantId,
      userId: index % 3 === 0 ? owner.id : "somebody",
      actor: { type: "user", id: index % 30 === 0 ? owner.id : "somebody", name: `name${index % 30}` },
      resourceType: "skill",
      resourceId: `r${index % 50}`,
      metadata: {},
      createdAt: new Date(Date.now() - index * 60_000),
    })),
  );
  await service.app.storage.auditEvents.record(rows);

  const plans = (queries: string[]) =>
    plansOf(service, async () => {
      for (const query of queries)
        for (const target of [`/api/tenants/${org.slug}/audit-log`, "/api/user/audit-log"]) {
          const answer = await service.raw("GET", target + query, { token: owner.token });
          assert.equal(answer.status, 200, target + query);
          await answer.text();
        }
    });
  const from = new Date(Date.now() - perLog * 30_000).toISOString();

  it("read only the entries of a page, and only those that match", async () => {
    const found = await plans([
      "?limit=5",
      "?limit=5&action=skill.created",
      "?limit=5&action=skill.created,folder.created",
      `?limit=5&from=${from}`,
    ]);
    const inOrganization = await plansOf(service, async () => {
      for (const query of [
        "resource_id=r7",
        `actor=${owner.id}`,
        "actor=name7",
        "resource_id=r7&action=skill.*",
      ])
        assert.equal(
          (
            await service.call("GET", `/api/tenants/${org.slug}/audit-log?limit=5&${query}`, {
              token: owner.token,
            })
          ).status,
          200,
        );
    });

    const lists = [...found, ...inOrganization].filter((plan) => plan.command["find"] === "audit_events");
    assert.equal(lists.length, 12);
    assertIndexed(found, perLog);
    assertIndexed(inOrganization, perLog);
    // A list that is not sorted by its index would read every matching entry.
    assertIndexed(lists, 40);
    for (const { stages } of lists) assert.ok(!stages.includes("SORT"), stages.join(" "));
  });

  it("export in the order of an index", async () => {
    const found = await plansOf(service, async () => {
      for (const query of ["", "?action=skill.*", "?resource_id=r7"]) {
        const target = `/api/tenants/${org.slug}/audit-log/export${query}`;
        await (await service.raw("GET", target, { token: owner.token })).text();
      }
    });

    assertIndexed(found, perLog + 1);
    for (const { command, stages } of found)
      if (command["find"] === "audit_events") assert.ok(!stages.includes("SORT"), stages.join(" "));
  });
});
