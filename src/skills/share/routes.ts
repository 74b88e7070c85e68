/** Anonymous sharing over HTTP. Shared skills are read, changed and deleted like any other. */
import { SharedPayload } from "../../../contract/payloads/skills/share.ts";
import type { App } from "../../app.ts";
import { route, type Route } from "../../http/route.ts";
import { loadSkill } from "../load.ts";
import { presentSkill, skillUrl } from "../present.ts";
import { ShareSkill } from "../schema.ts";
import { shareSkill } from "./share.ts";

export function shareRoutes(app: App): Route[] {
  return [
    route({
      method: "post",
      path: "/api/share",
      id: "shareSkill",
      failures: [
        "quota_exceeded",
        "reauthentication_required",
        "not_found",
        "already_exists",
        "ambiguous",
        "content_invalid",
        "package_invalid",
        "version_not_greater",
        "limit_reached",
        "managed_folder",
        "refused",
      ],
      summary: "Share a skill without an account; it is unlisted, and an identity may share 10",
      tag: "Sharing",
      auth: "required",
      signable: "only",
      body: ShareSkill,
      status: 201,
      data: SharedPayload,
      budget: "share",
      async handle({ actor, body }) {
        const { skill, identity, unchanged, warnings } = await shareSkill(app, actor, body);
        const url = skillUrl(app, skill);
        const { username } = identity;
        return {
          skill: presentSkill(skill),
          url,
          installCommand: `svc install ${url}`,
          identity: { username, tenantSlug: username, anonymous: true },
          unchanged,
          warnings,
        };
      },
      authorizeRepeat: ({ actor }, { skill }: SharedPayload) => loadSkill(app, actor, skill.id, "skill:read"),
    }),
  ];
}
