import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { may } from "../../api/account/session.ts";
import { uninstalledQuery, type Folder, type Skill } from "../../api/folders.ts";
import { membersQuery } from "../../api/organization/people.ts";
import { itemsOf, useNextPage } from "../../parts/lists/found.ts";
import type { Organization } from "../../parts/page/organization-page.tsx";
import { filtersOf, type Filters } from "./filters.ts";
import type { LibrarySearch } from "./tree.ts";

/** The filters of the library, with what the user may know about owners and installs. */
export function useFilters(
  organization: Organization,
  folders: Folder[],
  skills: Skill[],
  search: LibrarySearch,
): Filters {
  const { slug, permissions } = organization;
  const members = useInfiniteQuery({
    ...membersQuery(slug, {}),
    enabled: may(permissions, "member", "read"),
  });
  useNextPage(members, true);
  const { data: uninstalled } = useQuery({
    ...uninstalledQuery(slug),
    enabled: may(permissions, "analytics", "read"),
  });
  const [now] = useState(Date.now);
  const { folder, tag, owner, team, visibility, stale, type } = search;
  return useMemo(
    () =>
      filtersOf(
        skills,
        { folder, tag, owner, team, visibility, stale, type },
        {
          now,
          folders: new Map(folders.map((one) => [one.id, one])),
          names: new Map(itemsOf({ data: members.data }).map((one) => [one.userId, one.username])),
          teams: new Map(
            skills.flatMap(({ ownerTeam }) => (ownerTeam ? [[ownerTeam.id, ownerTeam.name]] : [])),
          ),
          uninstalled: uninstalled && new Set(uninstalled.skillIds),
        },
      ),
    [skills, folders, folder, tag, owner, team, visibility, stale, type, now, members.data, uninstalled],
  );
}
