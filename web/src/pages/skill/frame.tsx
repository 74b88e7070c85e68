import "./skill.css";
import {
  createFileRoute,
  Outlet,
  redirect,
  useLocation,
  useNavigate,
  type LinkProps,
} from "@tanstack/react-router";
import { refOf, skillQuery, type Skill } from "../../api/skills/skills.ts";
import { useKeys } from "../../parts/keys.ts";
import { Page, type Crumb } from "../../parts/page/page.tsx";
import { visibleText } from "../../parts/text/visible-text.ts";
import { useFolder, useRights, useSkill, useSkillAddress } from "./context.ts";
import { CopyLink } from "./header-actions.tsx";
import { Header } from "./header.tsx";
import { OldVersion } from "./old-version.tsx";
import { Tabs } from "./tabs.tsx";
import { VersionState } from "./version-state.tsx";

export const Route = createFileRoute("/$org/$slug")({
  validateSearch: (raw: Record<string, unknown>): { version?: string | undefined } => {
    const version = raw["version"];
    const text = typeof version === "number" ? String(version) : version;
    return typeof text === "string" && text !== "" ? { version: text } : {};
  },
  loader: async ({ context, params, location }) => {
    const skill = await context.client.ensureQueryData(skillQuery(refOf(params)));
    // An organization that was renamed is still found by its previous slug.
    if (skill.tenantSlug === params.org && skill.slug === params.slug) return;
    const rest = location.href.split("/").slice(3).join("/");
    throw redirect({ href: `/${skill.tenantSlug}/${skill.slug}${rest === "" ? "" : `/${rest}`}` });
  },
  component: Frame,
});

function Frame() {
  const skill = useSkill();
  useSkillKeys(skill);
  const tab = useLocation().pathname.split("/")[3];
  return (
    <Page title={titleOf(skill, tab)} crumbs={useCrumbs(skill, tab)} actions={<CopyLink />}>
      <div className="page skill-page">
        <Header skill={skill} />
        <Tabs />
        <VersionState skill={skill} />
        <OldVersion skill={skill} />
        <Outlet />
      </div>
    </Page>
  );
}

const tabTitles: Record<string, string> = {
  files: "Files",
  versions: "Versions",
  analytics: "Analytics",
  installs: "Installs",
  settings: "Settings",
};

const titleOf = (skill: Skill, tab = "") =>
  [tabTitles[tab], `${skill.tenantSlug}/${skill.slug}`].filter(Boolean).join(" · ");

function useCrumbs(skill: Skill, tab = ""): Crumb[] {
  const folder = useFolder(skill);
  const library = `/${skill.tenantSlug}/-/library`;
  const parts = folder?.path.split("/") ?? [];
  const title = tabTitles[tab];
  const own = { label: skill.slug };
  // Pages of other concepts, whose addresses the router's types may not include.
  const at = (address: string) => ({ to: address as LinkProps["to"] });
  return [
    { label: skill.tenantSlug, link: at(`/${skill.tenantSlug}`) },
    ...parts.map((label, index) => ({
      label: visibleText(label),
      link: at([library, ...parts.slice(0, index + 1)].join("/")),
    })),
    ...(title === undefined
      ? [own]
      : [{ ...own, link: at(`/${skill.tenantSlug}/${skill.slug}`) }, { label: title }]),
  ];
}

/** `e`, `t`, `v`, `d` open tabs; `y` puts the exact version into the address. */
function useSkillKeys(skill: Skill): void {
  const { org, slug, version } = useSkillAddress();
  const { canUpdate } = useRights();
  const navigate = useNavigate();
  const address = `/${org}/${slug}`;
  const search = version === undefined ? {} : { version };
  useKeys({
    ...(canUpdate ? { e: () => void navigate({ href: `${address}/edit` }) } : {}),
    t: () => void navigate({ to: "/$org/$slug/files/$", params: { org, slug, _splat: "" }, search }),
    v: () => void navigate({ href: `${address}/versions` }),
    d: () => void navigate({ href: `${address}/compare` }),
    y: () =>
      void navigate({
        to: ".",
        search: (old) => ({ ...old, version: version ?? skill.currentSemver }),
        hash: true,
        replace: true,
      }),
  });
}
