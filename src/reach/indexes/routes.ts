/**
 * `/{org}/.well-known/agent-skills/index.json` and its relatives: the public skills of an organization, of a root
 * collection or of one address, in the forms of Agent Skills discovery; and the addresses of single skills.
 */
import type { App } from "../../app.ts";
import type { Route } from "../../http/route.ts";
import { publicRoute } from "../public-reply.ts";
import { sendPackage, sendSkillFile } from "./direct.ts";
import type { IndexForm } from "./entries.ts";
import { sendIndexedFile, sendOrganizationIndex, sendRootIndex, sendSkillIndex } from "./indexes.ts";
import { sendOpencodeConfig } from "./opencode.ts";
import { IndexedFileAddress, OrganizationAddress, SkillAddress, VersionAddress } from "./schema.ts";

const forms = ["agent-skills", "skills"] as const satisfies readonly IndexForm[];
const indexAt = (address: string, form: IndexForm) => `${address}/.well-known/${form}/index.json`;
const json = { produces: "application/json" } as const;

/**
 * Addresses of a skill: clients look for an index below each address that they are given. That of the zip comes first,
 * since the router would take its ending for a part of the slug.
 */
const skillAddresses = ["/:org/:slug.zip", "/:org/:slug/SKILL.md", "/:org/:slug"];
/** Zips of indexes. A client that was given one looks for updates below it, so that it has an index of the skill. */
const zipInList = "/:org/.well-known/agent-skills/:slug/:version.zip";
const zipOfSkill = "/:org/:slug/.well-known/agent-skills/:version.zip";

export function indexRoutes(app: App): Route[] {
  return [
    ...forms.flatMap((form) => routesOfForm(app, form)),
    ...fileRoutes(app),
    ...directRoutes(app),
    publicRoute({
      ...json,
      path: "/:org/.well-known/opencode",
      summary: "What OpenCode takes over from an organization",
      params: OrganizationAddress,
      handle: ({ actor, params, request }) => sendOpencodeConfig(app, actor, request, params.org),
    }),
  ];
}

function routesOfForm(app: App, form: IndexForm): Route[] {
  return [
    publicRoute({
      ...json,
      path: indexAt("", form),
      summary: "Skills of the collection that administrators have chosen, for other clients",
      handle: ({ actor, request }) => sendRootIndex(app, actor, request, form),
    }),
    publicRoute({
      ...json,
      path: indexAt("/:org", form),
      summary: "Public skills of an organization, for other clients",
      params: OrganizationAddress,
      handle: ({ actor, params, request }) => sendOrganizationIndex(app, actor, request, { form, ...params }),
    }),
    ...[...skillAddresses, zipInList, zipOfSkill].map((address) =>
      publicRoute({
        ...json,
        path: indexAt(address, form),
        summary: "A public skill, for other clients",
        params: SkillAddress,
        handle: ({ actor, params: { org, slug }, request }) =>
          sendSkillIndex(app, actor, request, { form, org, slug }),
      }),
    ),
    publicRoute({
      ...json,
      path: indexAt("/:org/:slug/:version.zip", form),
      summary: "A version of a public skill, for other clients",
      params: VersionAddress,
      handle: ({ actor, params, request }) => sendSkillIndex(app, actor, request, { form, ...params }),
    }),
  ];
}

/** Files of skills of the older form. */
function fileRoutes(app: App): Route[] {
  return ["", "/:org", ...skillAddresses].map((address) =>
    publicRoute({
      path: `${address}/.well-known/skills/:name/*path`,
      summary: "A file of a public skill in an index for other clients",
      params: IndexedFileAddress,
      produces: "application/octet-stream",
      handle: ({ actor, params, request }) => sendIndexedFile(app, actor, request, params),
    }),
  );
}

function directRoutes(app: App): Route[] {
  const zip = { produces: "application/zip" } as const;
  const ofVersion = (path: string, options?: { isOneOfAll: true }) =>
    publicRoute({
      ...zip,
      path,
      summary: "A version of a public skill as a zip",
      params: VersionAddress,
      handle: ({ actor, params, request }) => sendPackage(app, actor, request, params, options),
    });
  return [
    publicRoute({
      path: "/:org/:slug/SKILL.md",
      summary: "The SKILL.md of a public skill",
      params: SkillAddress,
      produces: "text/markdown",
      handle: ({ actor, params, request }) => sendSkillFile(app, actor, request, params),
    }),
    publicRoute({
      ...zip,
      path: "/:org/:slug.zip",
      summary: "A public skill as a zip",
      params: SkillAddress,
      handle: ({ actor, params, request }) => sendPackage(app, actor, request, params),
    }),
    ofVersion("/:org/:slug/:version.zip"),
    ofVersion(zipOfSkill),
    ofVersion(zipInList, { isOneOfAll: true }),
  ];
}
