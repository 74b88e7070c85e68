import assert from "node:assert/strict";
import { it } from "node:test";
import type { PublishResult } from "../../contract/payloads/skills/skills.ts";
import { governed, newFolder, restrict } from "../support/organization.ts";
import { setUpOrganization } from "../support/set-up.ts";

const { service, owner, org } = await setUpOrganization();

it("a correction of effective access that was computed before a restriction changes nothing", async () => {
  const folder = await newFolder(service, org, owner, "closing");
  const body = {
    tenantId: org.slug,
    name: "Closing",
    content: "text\n",
    folder: "closing",
    visibility: "public",
  };
  const made = await service.call<PublishResult>("POST", "/api/skills", { token: owner.token, body });
  const { id } = made.data.skill;
  const { skills, skillLocations } = service.app.storage;
  const [before] = await skills.listToProject([id]);

  await restrict(service, owner, folder.id, []);
  await governed(service, org);
  await skillLocations.correctAccess(before!, { effectiveRestrictionId: null, listed: true });

  const [after] = await skills.listToProject([id]);
  assert.deepEqual([after!.effectiveRestrictionId, after!.listed], [folder.id, false]);
});
