/** Skills and folders that the user follows, and the changes of skills that they are shown. */
import { api, dataOf, ok, type Schemas } from "./client.ts";
import { pages, query } from "./query.ts";

export type Follow = Schemas["Follow"];
export type FollowedChange = Schemas["FollowedChange"];
export type FollowMail = Schemas["FollowMail"]["mail"];
type FollowMailChoice = Schemas["FollowMailChoice"];

export const followsQuery = query("/api/user/follows");

export const followedChangesQuery = pages("/api/user/followed-changes", { limit: 20 });

export const followMailQuery = query("/api/user/follow-mails");

export const chooseFollowMail = (choice: FollowMailChoice) =>
  dataOf(api.PUT("/api/user/follow-mails", { body: choice }));

export const follow = ({ kind, targetId }: Pick<Follow, "kind" | "targetId">) =>
  kind === "skill"
    ? dataOf(api.PUT("/api/user/follows/skills/{skill}", { params: { path: { skill: targetId } } }))
    : dataOf(api.PUT("/api/user/follows/folders/{folder}", { params: { path: { folder: targetId } } }));

export const unfollow = (id: string) =>
  ok(api.DELETE("/api/user/follows/{follow}", { params: { path: { follow: id } } }));
