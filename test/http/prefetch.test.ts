import assert from "node:assert/strict";
import http from "node:http";
import { describe, it } from "node:test";
import { addMember, newFolder, publishSkill, restrict } from "../support/organization.ts";
import { watchRoundTrips } from "../support/round-trips.ts";
import type { TestUser } from "../support/service.ts";
import { setUpService, newOrganization } from "../support/set-up.ts";
import { until } from "../support/until.ts";

const { service } = await setUpService({ reportsCommands: true });
const counter = watchRoundTrips(service);
const { owner, org } = await newOrganization(service);
const editor = await service.newUser();
await addMember(service, org, editor, "member");

/** Sends the head of a push; `finish` sends its body and returns the status of the response. */
function startPush(skillId: string, { token }: TestUser) {
  const body = JSON.stringify({ content: "changed\n" });
  const request = http.request(new URL(`/api/skills/${skillId}/versions`, service.url), {
    method: "POST",
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
    },
  });
  const status = new Promise<number>((resolve, reject) => {
    request.on("error", reject).on("response", (response) => {
      response.resume();
      resolve(response.statusCode!);
    });
  });
  request.flushHeaders();
  return {
    async finish() {
      request.end(body);
      return status;
    },
  };
}

describe("a skill that is looked up during authentication", () => {
  it("is looked up again for a body that arrives later, so that a restriction in between holds", async () => {
    const folder = await newFolder(service, org, owner, "shared");
    const skill = await publishSkill(service, org, owner, {
      name: "Shared",
      folder: "shared",
      visibility: "private",
    });
    await service.settled();
    const { skillLookups } = service.app.storage;
    const { find } = skillLookups;
    let isLookedUp = false;
    skillLookups.find = async (id) => {
      const found = await find(id);
      isLookedUp = true;
      return found;
    };
    const push = startPush(skill.id, editor);
    await until("the look-up of the skill", () => isLookedUp).finally(() => (skillLookups.find = find));
    await restrict(service, owner, folder.id, [{ type: "member", id: owner.id, level: "manager" }]);

    const status = await push.finish();

    assert.equal(status, 404);
  });

  it("says nothing about itself to a caller whose token is not valid", async () => {
    const skill = await publishSkill(service, org, owner, {
      name: "Hidden",
      folder: "/",
      visibility: "private",
    });
    const unknown = { token: `lsk_${"0".repeat(64)}` };
    const bodyOf = async (id: string) => {
      const response = await service.raw("GET", `/api/skills/${id}`, unknown);
      assert.equal(response.status, 401);
      return (await response.text()).replace(/"requestId":"[^"]*"/, "");
    };

    assert.equal(await bodyOf(skill.id), await bodyOf("f".repeat(24)));
  });

  it("is not looked up for a request without credentials that is refused", async () => {
    const skill = await publishSkill(service, org, owner, {
      name: "Pushed",
      folder: "/",
      visibility: "public",
    });
    await service.settled();

    const { commands } = await counter.during(async () => {
      const answer = await service.call("POST", `/api/skills/${skill.id}/versions`, {
        body: { content: "x\n" },
      });
      assert.equal(answer.status, 401);
    });

    assert.deepEqual(commands, []);
  });

  it("fails the request whose look-up fails", async () => {
    const { skillLookups } = service.app.storage;
    const { find } = skillLookups;
    skillLookups.find = () => Promise.reject(new Error("no answer"));
    try {
      const response = await service.raw("GET", `/api/skills/${"a".repeat(24)}`, { token: owner.token });
      assert.equal(response.status, 500);
    } finally {
      skillLookups.find = find;
    }
  });
});
