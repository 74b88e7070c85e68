import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { manifestQuery } from "../../api/skills/skills.ts";
import { TabNav } from "../../parts/page/tab-nav.tsx";
import { useRights, useSkillAddress } from "./context.ts";

/** The tabs of a skill that the caller may open. A fixed version of the address stays selected. */
export function Tabs() {
  const { org, slug, ref, version } = useSkillAddress();
  const { isMember, canReadAnalytics, canUpdate, canDelete } = useRights();
  const { data: manifest } = useQuery(manifestQuery(ref, version));
  const base = `/${org}/${slug}`;
  const search = version === undefined ? {} : { version };
  const others = [
    { page: "versions", label: "Versions", isShown: true },
    { page: "compare", label: "Compare", isShown: true },
    { page: "analytics", label: "Analytics", isShown: canReadAnalytics },
    { page: "installs", label: "Installs", isShown: isMember && canReadAnalytics },
    { page: "settings", label: "Settings", isShown: canUpdate || canDelete },
  ];
  return (
    <TabNav label="Skill">
      <Link
        to="/$org/$slug"
        params={{ org, slug }}
        search={search}
        activeOptions={{ exact: true, includeSearch: false }}
      >
        Readme
      </Link>
      <Link
        to="/$org/$slug/files/$"
        params={{ org, slug, _splat: "" }}
        search={search}
        activeOptions={{ includeSearch: false }}
      >
        Files
        {manifest && <span className="counter">{manifest.files.length}</span>}
      </Link>
      {others
        .filter(({ isShown }) => isShown)
        .map(({ page, label }) => (
          <Link
            key={page}
            to={[base, page].join("/")}
            search={search}
            activeOptions={{ includeSearch: false }}
          >
            {label}
          </Link>
        ))}
    </TabNav>
  );
}
