import type {
  ContentPayload,
  PublishResult,
  ResolveResult,
  SkillDetailPayload,
  VersionPayload,
  VersionResult,
} from "../../contract/payloads/skills/skills.ts";
import type { TestOrg, TestService, TestUser } from "./service.ts";

interface Owner {
  service: TestService;
  user: TestUser;
  org: TestOrg;
  name: string;
}

/** A new skill at 1.0.0, with functions that push, revert, list and read its versions. */
export async function newVersionedSkill({ service, user, org, name }: Owner) {
  const get = <T>(path: string) => service.call<T>("GET", path, { token: user.token });
  const made = await service.call<PublishResult>("POST", "/api/skills", {
    token: user.token,
    body: { tenantId: org.slug, name, content: "text 1\n" },
  });
  const { id, slug } = made.data.skill;
  let texts = 1;
  return {
    id,
    slug,
    push: (body: object = {}) =>
      service.call<VersionResult>("POST", `/api/skills/${id}/versions`, {
        token: user.token,
        body: { content: `text ${++texts}\n`, ...body },
      }),
    revert: (version: unknown) =>
      service.call<SkillDetailPayload>("POST", `/api/skills/${id}/revert`, {
        token: user.token,
        body: { version },
      }),
    list: async (query = "") =>
      (await get<VersionPayload[]>(`/api/skills/${id}/versions${query}`)).data.map((v) => v.semver),
    /** The semver that a selector reads, or the code of its failure. */
    read: async (query = "") => {
      const answer = await get<ContentPayload>(`/api/skills/${id}/content${query}`);
      return answer.status === 200 ? answer.data.semver : answer.code;
    },
    pin: async (version: string) => {
      const answer = await get<ResolveResult>(
        `/api/skills/resolve?ref=${slug}&version=${encodeURIComponent(version)}`,
      );
      return answer.status === 200 ? answer.data.version.semver : answer.code;
    },
    current: async () => (await get<SkillDetailPayload>(`/api/skills/${id}`)).data.currentVersionInfo!,
  };
}
