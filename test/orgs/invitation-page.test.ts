import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { TestUser } from "../support/service.ts";
import { type Fixture, setUpFixtures } from "./fixture.ts";

let fixture: Fixture;
const { service } = await setUpFixtures((made) => (fixture = made));

const emailOf = (user: TestUser) => `${user.username}@example.com`;
const memberships = (user: TestUser) => fixture.countActive(user);

describe("the page of an invitation", () => {
  const open = (path: string, cookie?: string) =>
    service.raw("GET", path, cookie === undefined ? {} : { cookie });
  const press = (path: string, cookie: string, decision: string) => {
    const form = new FormData();
    form.set("decision", decision);
    return fetch(service.url + path, {
      method: "POST",
      redirect: "manual",
      headers: { cookie, origin: service.url },
      body: form,
    });
  };

  it("leads through the sign-in to a choice, and acts on the button only", async () => {
    const guest = await service.newUser();
    const { token } = await fixture.invite(fixture.owner, emailOf(guest));
    const path = `/invitations/${token}`;

    const asked = await (await open(path)).text();
    const choice = await (await open(path, guest.cookie)).text();
    const untouched = await memberships(guest);
    const welcome = await press(path, guest.cookie, "accept");
    const again = await open(path, guest.cookie);

    assert.ok(asked.includes(`/sign-in?return_to=${encodeURIComponent(path)}`), asked);
    assert.ok(!asked.includes(emailOf(guest)));
    assert.match(choice, /value="accept"/);
    assert.deepEqual([untouched, welcome.status, again.status], [0, 200, 409]);
    assert.equal(await memberships(guest), 1);
  });

  it("escapes the organization's name, and explains errors", async () => {
    await service.call("PATCH", `/api/tenants/${fixture.org.id}`, {
      token: fixture.owner.token,
      body: { name: '<img src=x onerror="1">' },
    });
    const guest = await service.newUser();
    const other = await service.newUser();
    const { id, token } = await fixture.invite(fixture.owner, emailOf(guest));

    const text = await (await open(`/invitations/${token}`)).text();
    const wrong = await open(`/invitations/${token}`, other.cookie);
    const byId = await open(`/invitations/${id}`);
    const none = await open(`/invitations/${id}.abc.${"A".repeat(43)}`);
    const declined = await press(`/invitations/${token}`, guest.cookie, "decline");

    assert.ok(!text.includes("<img src=x"), text);
    assert.deepEqual([wrong.status, byId.status, none.status, declined.status], [403, 303, 404, 200]);
  });
});
