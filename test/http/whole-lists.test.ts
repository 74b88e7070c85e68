/** Pages of lists that are read whole. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { z } from "zod";
import { withPages } from "../../src/http/request/whole-lists.ts";
import { route, type Page, type Route } from "../../src/http/route.ts";
import { newMember } from "../support/organization.ts";
import { newOrganization, setUpService } from "../support/set-up.ts";

const { service } = await setUpService();
interface Role {
  id: string;
}

describe("a list that is read whole", () => {
  it("is complete without parameters, and has pages with a limit", async () => {
    const { org, owner } = await newOrganization(service);
    const path = `/api/tenants/${org.id}/roles`;
    const { token } = owner;
    for (const name of ["One", "Two", "Three"])
      await service.call("POST", path, { token, body: { name, permissions: { skill: ["read"] } } });
    const whole = await service.call<Role[]>("GET", path, { token });
    assert.equal(whole.nextCursor, null);
    const ids = whole.data.map(({ id }) => id);

    const found: string[] = [];
    for (let query = "?limit=2"; query !== "";) {
      const page = await service.call<Role[]>("GET", path + query, { token });
      assert.equal(page.status, 200);
      assert.ok(page.data.length <= 2);
      found.push(...page.data.map(({ id }) => id));
      query = page.nextCursor ? `?limit=2&cursor=${page.nextCursor}` : "";
    }
    assert.deepEqual(found, ids);
  });

  it("goes on behind an item that was deleted", async () => {
    const { org, owner } = await newOrganization(service);
    const path = `/api/tenants/${org.id}/roles`;
    const { token } = owner;
    for (const name of ["One", "Two", "Three"])
      await service.call("POST", path, { token, body: { name, permissions: { skill: ["read"] } } });
    const ids = (await service.call<Role[]>("GET", path, { token })).data.map(({ id }) => id);
    const first = await service.call<Role[]>("GET", `${path}?limit=5`, { token });
    await service.call("DELETE", `${path}/${ids[4]}`, { token });
    const next = await service.call<Role[]>("GET", `${path}?cursor=${first.nextCursor}`, { token });
    assert.deepEqual(
      next.data.map(({ id }) => id),
      ids.slice(5),
    );
  });

  it("refuses a limit above its maximum, cursors of other lists and unknown parameters", async () => {
    const { org, owner } = await newOrganization(service);
    const { token } = owner;
    const member = await newMember(service, org, "viewer");
    const members = await service.call("GET", `/api/tenants/${org.id}/members?limit=1`, { token });
    assert.ok(members.nextCursor && member);
    for (const query of ["limit=105", "limit=0", `cursor=${members.nextCursor}`, "cursor=x", "page=2"]) {
      const answer = await service.call("GET", `/api/tenants/${org.id}/roles?${query}`, { token });
      assert.equal(answer.code, "invalid_request", query);
    }
  });

  it("is told apart by the fields that identify an item, of any length", async () => {
    const items = [1, 2, 3].map((n) => ({ group: "g".repeat(1000), team: n }));
    const declared = route({
      method: "get",
      path: "/api/groups",
      summary: "List groups",
      tag: "Groups",
      auth: "none",
      pageBy: ["group", "team"],
      data: z.array(z.object({ group: z.string(), team: z.number() })).max(3),
      handle: async () => items,
    });
    const [paged] = withPages([declared]);
    const read = async (query: object): Promise<Page<(typeof items)[0]>> => {
      const call = { query: paged!.query!.parse(query) } as Parameters<Route["handle"]>[0];
      return (await paged!.handle(call)) as Page<(typeof items)[0]>;
    };
    assert.deepEqual((await read({})).items, items);
    const first = await read({ limit: "1" });
    assert.ok(first.nextCursor!.length < 100);
    const second = await read({ limit: "1", cursor: first.nextCursor });
    assert.deepEqual([first.items, second.items], [[items[0]], [items[1]]]);
  });
});
