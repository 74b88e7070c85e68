/** Following over HTTP. */
import { z } from "zod";
import { limits } from "../../../contract/limits.ts";
import {
  FollowedChangePayload,
  FollowMailChoice,
  FollowMailPayload,
  FollowPayload,
} from "../../../contract/payloads/organizations/following.ts";
import type { App } from "../../app.ts";
import { FolderParams } from "../../folders/schema.ts";
import { listQuery } from "../../http/request/cursor.ts";
import { routesOf, type Route } from "../../http/route.ts";
import { SkillParams } from "../schema.ts";
import { listFollowedChanges, presentChange } from "./changes.ts";
import {
  chooseFollowMail,
  followFolder,
  followSkill,
  listFollows,
  readFollowMail,
  unfollow,
} from "./follow.ts";

const route = routesOf({ tag: "Following", auth: "required" });

const FollowParams = z.object({ follow: z.string().min(1).max(64) });

export function followingRoutes(app: App): Route[] {
  return [
    route({
      method: "get",
      path: "/api/user/follows",
      id: "listFollows",
      summary: "List the skills and folders that you follow, as far as you may see them",
      data: z
        .array(FollowPayload)
        .max(limits.followsPerUser)
        .meta({
          description: `all of them, unless \`limit\` is lower: a person follows at most ${limits.followsPerUser}`,
        }),
      budget: "search",
      handle: ({ actor }) => listFollows(app, actor),
    }),
    route({
      method: "put",
      path: "/api/user/follows/skills/:skill",
      id: "followSkill",
      failures: ["limit_reached"],
      summary: "Follow a skill",
      params: SkillParams,
      data: FollowPayload,
      handle: ({ actor, params }) => followSkill(app, actor, params.skill),
    }),
    route({
      method: "put",
      path: "/api/user/follows/folders/:folder",
      id: "followFolder",
      failures: ["limit_reached"],
      summary: "Follow a folder with everything in it",
      params: FolderParams,
      data: FollowPayload,
      handle: ({ actor, params }) => followFolder(app, actor, params.folder),
    }),
    route({
      method: "delete",
      path: "/api/user/follows/:follow",
      id: "unfollow",
      summary: "Stop following a skill or folder",
      params: FollowParams,
      data: null,
      handle: ({ actor, params }) => unfollow(app, actor, params.follow),
    }),
    route({
      method: "get",
      path: "/api/user/followed-changes",
      id: "listFollowedChanges",
      summary: "List changes of skills that you follow, have created or have installed, newest first",
      query: z.object(listQuery),
      data: FollowedChangePayload,
      page: true,
      budget: "search",
      handle: async ({ actor, query }) => (await listFollowedChanges(app, actor, query)).map(presentChange),
    }),
    route({
      method: "get",
      path: "/api/user/follow-mails",
      id: "getFollowMails",
      summary: "Read when you get mails about what you follow and review",
      data: FollowMailPayload,
      handle: ({ actor }) => readFollowMail(app, actor),
    }),
    route({
      method: "put",
      path: "/api/user/follow-mails",
      id: "setFollowMails",
      summary: "Choose when you get mails about what you follow and review",
      body: FollowMailChoice,
      data: FollowMailPayload,
      handle: ({ actor, body }) => chooseFollowMail(app, actor, body),
    }),
  ];
}
