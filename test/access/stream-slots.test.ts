import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Actor, AnonymousActor, UserActor } from "../../src/access/actor.ts";
import { openStreamSlots } from "../../src/access/stream-slots.ts";

const origin = { ipHash: "x", source: "api", client: "api" } as const;
const user = (userId: string, via: UserActor["via"]): Actor => ({
  kind: "user",
  userId,
  username: userId,
  name: userId,
  isAdministrator: false,
  memberships: [],
  via,
  origin,
});
const page = (userId: string) => user(userId, { kind: "session", sessionId: userId });
const program = (userId: string, tokenId = "t") => user(userId, { kind: "token", tokenId, limits: {} });
const visitor = (ipHash: string): AnonymousActor => ({ kind: "anonymous", origin: { ...origin, ipHash } });

describe("slots of streams", () => {
  it("are limited per person, with some for pages and some for programs, and are released once", () => {
    const slots = openStreamSlots({ count: 100, perHolder: 2 });
    const first = slots.take(program("a", "t1"))!;
    assert.ok(slots.take(program("a", "t2")));

    assert.equal(slots.take(program("a", "t3")), undefined);
    assert.ok(slots.take(page("a")));
    assert.ok(slots.take(program("b")));
    first();
    first();
    assert.ok(slots.take(program("a")));
    assert.equal(slots.take(program("a")), undefined);
  });

  it("are left for pages by programs, and for programs by callers without a credential", () => {
    const slots = openStreamSlots({ count: 8, perHolder: 1 });
    const take = (actors: Actor[]) => actors.filter((actor) => slots.take(actor)).length;
    const ten = Array.from({ length: 10 }, (_, n) => String(n));

    assert.equal(take(ten.map(visitor)), 2);
    assert.equal(take(ten.map((name) => program(name))), 6);
    assert.equal(take(ten.map(page)), 0);
    const others = openStreamSlots({ count: 8, perHolder: 1 });
    assert.equal(ten.filter((name) => others.take(program(name))).length, 6);
    assert.equal(ten.filter((name) => others.take(page(name))).length, 2);
  });
});
