import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { PublishResult, VersionPayload } from "../../contract/payloads.ts";
import { startService, type TestOrg, type TestService, type TestUser } from "../support/service.ts";

let service: TestService;
let user: TestUser;
let org: TestOrg;

before(async () => {
  service = await startService();
  user = await service.newUser();
  org = await service.newOrg(user);
});
after(() => service.close());

const publish = (body: object) =>
  service.call<PublishResult>("POST", "/api/skills", {
    token: user.token,
    body: { tenantId: org.slug, ...body },
  });

describe("publishing a text skill", () => {
  it("makes the skill, its first version and a commit that native git reads", async () => {
    const content =
      "---\nname: Review helper\ndescription: Reviews changes.\nlicense: MIT\n---\n\n# Review\n\nLook twice.\n";

    const made = await publish({ content });

    assert.equal(made.status, 201, JSON.stringify(made.body));
    assert.equal(made.data.action, "created");
    assert.equal(made.data.skill.slug, "review-helper");
    assert.equal(made.data.skill.visibility, "private");
    assert.equal(made.data.version.semver, "1.0.0");
    assert.equal(made.data.version.message, "Initial version");
    await service.settled();
    const read = await service.call<{ content: string }>(
      "GET",
      `/api/skills/${made.data.skill.publicId}/content`,
      { token: user.token },
    );
    assert.equal(read.data.content, "# Review\n\nLook twice.\n");
    const versions = await service.call<VersionPayload[]>(
      "GET",
      `/api/skills/${made.data.skill.id}/versions`,
      { token: user.token },
    );
    assert.deepEqual(
      versions.data.map((v) => [v.version, v.semver, v.current]),
      [[1, "1.0.0", true]],
    );
  });

  it("appends by name, answers identical bytes without a version, and tells so", async () => {
    await publish({ name: "Twice", content: "first\n" });

    const second = await publish({ name: "twice", content: "second\n" });
    const third = await publish({ name: "Twice", content: "second\n" });

    assert.equal(second.data.action, "updated");
    assert.equal(second.data.version.semver, "1.0.1");
    assert.equal(third.data.unchanged, true);
    assert.equal(third.data.version.version, 2);
    assert.match(third.data.warnings.join(), /no new version/);
  });
});
