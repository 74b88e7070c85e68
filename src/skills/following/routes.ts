/** Following over HTTP. */
import { z } from "zod";
import { limits } from "../../../contract/limits.ts";
import {
  FollowedChangePayload,
  FollowMailPayload,
  FollowPayload,
} from "../../../contract/payloads/following.ts";
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
      summary: "List the skills and folders that you follow, as far as you may see them",
      data: z
        .array(FollowPayload)
        .max(limits.followsPerUser)
        .meta({ description: `all of them: a person follows at most ${limits.followsPerUser}` }),
      budget: "search",
      handle: ({ actor }) => listFollows(app, actor),
    }),
    route({
      method: "put",
      path: "/api/user/follows/skills/:skill",
      summary: "Follow a skill",
      params: SkillParams,
      data: FollowPayload,
      handle: ({ actor, params }) => followSkill(app, actor, params.skill),
    }),
    route({
      method: "put",
      path: "/api/user/follows/folders/:folder",
      summary: "Follow a folder with everything in it",
      params: FolderParams,
      data: FollowPayload,
      handle: ({ actor, params }) => followFolder(app, actor, params.folder),
    }),
    route({
      method: "delete",
      path: "/api/user/follows/:follow",
      summary: "Stop following a skill or folder",
      params: FollowParams,
      data: null,
      handle: ({ actor, params }) => unfollow(app, actor, params.follow),
    }),
    route({
      method: "get",
      path: "/api/user/followed-changes",
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
      summary: "Read when you get mails about what you follow",
      data: FollowMailPayload,
      handle: async ({ actor }) => ({ mail: await readFollowMail(app, actor) }),
    }),
    route({
      method: "put",
      path: "/api/user/follow-mails",
      summary: "Choose when you get mails about what you follow",
      body: FollowMailPayload,
      data: FollowMailPayload,
      handle: async ({ actor, body }) => ({ mail: await chooseFollowMail(app, actor, body.mail) }),
    }),
  ];
}
