/**
 * Entries that are searched for as the user types. The searches run in parallel, and old results stay until new ones
 * come.
 */
import { keepPreviousData, queryOptions, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useParams, useSearch } from "@tanstack/react-router";
import { CircleHelp, FileCode, FileText, Folder, GitCompare, Globe, Hash, User } from "lucide-react";
import { countText } from "../../../../../contract/text/count-text.ts";
import { foldersQuery, identityQuery } from "../../../api/account/session.ts";
import { memberSearchQuery } from "../../../api/organization/people.ts";
import { query } from "../../../api/query.ts";
import { firstHitsQuery } from "../../../api/search.ts";
import { manifestQuery, refOf } from "../../../api/skills/skills.ts";
import { visibleText } from "../../../parts/text/visible-text.ts";
import { matching, type Entry } from "./entry.ts";
import { useOrganization } from "./pages.ts";

const shown = 8;

/** Skills of the user's own organizations, private ones too. */
const ownSkillsQuery = (search: { query?: string; tag?: string }) =>
  queryOptions({
    ...query("/api/skills", { ...search, limit: shown }),
    placeholderData: keepPreviousData,
  });

const facetsQuery = queryOptions({ ...query("/api/explore/facets"), staleTime: 60_000 });

/** Own and public skills, the best first, each with the sentence that matched. */
export function useSkills(text: string, isOn: boolean): Entry[] {
  const found = useInfiniteQuery({ ...firstHitsQuery(text, shown), enabled: isOn });
  const page = found.data?.pages[0];
  if (!isOn || !page) return [];
  const hits = page.data.map(({ skill, own, sentence }) => ({
    label: `${skill.tenantSlug}/${skill.slug}`,
    description: sentence?.text ?? skill.description,
    marks: sentence?.marks,
    icon: own ? FileText : Globe,
    href: `/${skill.tenantSlug}/${skill.slug}`,
  }));
  const [first, second] = hits;
  if (!page.competing || !first || !second) return hits;
  const compared = new URLSearchParams({ query: text, compare: "true" });
  return [
    first,
    second,
    {
      label: "Two skills compete for this",
      description: "Compare their descriptions",
      icon: GitCompare,
      href: `/explore?${compared}`,
    },
    ...hits.slice(2),
  ];
}

export function useFolders(text: string, isOn: boolean): Entry[] {
  const { org } = useOrganization();
  const { data = [] } = useQuery({ ...foldersQuery(org ?? ""), enabled: isOn && org !== undefined });
  if (!isOn || org === undefined) return [];
  const folders = data.map(({ name, path }) => ({
    label: visibleText(name),
    description: path,
    icon: Folder,
    href: `/${org}/-/library/${path}`,
  }));
  return matching(folders, text).slice(0, shown);
}

/** Members, each with the question why they have access. */
export function usePeople(text: string, isOn: boolean): Entry[] {
  const { org, can } = useOrganization();
  const isAllowed = isOn && org !== undefined && can("member", "read");
  const { data = [] } = useQuery({ ...memberSearchQuery(org ?? "", text), enabled: isAllowed });
  if (!isAllowed) return [];
  return data.slice(0, shown).flatMap(({ userId, username, name }) => {
    const person = visibleText(name);
    const search = new URLSearchParams({ user: userId, name: username });
    return [
      {
        label: person,
        description: username,
        icon: User,
        href: `/${org}/-/people?${new URLSearchParams({ query: username })}`,
      },
      {
        label: `Ask why ${person} has access`,
        description: "Check access",
        icon: CircleHelp,
        href: `/${org}/-/people/check?${search}`,
      },
    ];
  });
}

/** Tags of the catalog, and own skills with exactly this tag. */
export function useTags(text: string, isOn: boolean): Entry[] {
  const tag = text.toLowerCase();
  const { data: identity } = useQuery(identityQuery);
  const { data: facets } = useQuery({ ...facetsQuery, enabled: isOn });
  const own = useQuery({ ...ownSkillsQuery({ tag }), enabled: isOn && tag !== "" && Boolean(identity) });
  if (!isOn) return [];
  const tags = (facets?.tags ?? []).map(({ value: name, count }) => ({
    label: `#${visibleText(name)}`,
    description: countText(count, "public skill"),
    icon: Hash,
    href: `/explore?tags=${encodeURIComponent(name)}`,
  }));
  const skills = (own.data ?? []).map(({ tenantSlug, slug, description }) => ({
    label: `${tenantSlug}/${slug}`,
    description,
    icon: FileText,
    href: `/${tenantSlug}/${slug}`,
  }));
  return [...matching(tags, tag).slice(0, shown), ...(tag === "" ? [] : skills)];
}

/** Files of the skill that is shown, in the shown version. */
export function useFiles(text: string, isOn: boolean): Entry[] {
  const { org, slug } = useParams({ strict: false });
  const { version } = useSearch({ strict: false }) as { version?: string };
  const isSkill = isOn && org !== undefined && slug !== undefined;
  const ref = refOf({ org: org ?? "", slug: slug ?? "" });
  const { data } = useQuery({ ...manifestQuery(ref, version), enabled: isSkill });
  if (!isSkill || !data) return [];
  const selection = version === undefined ? "" : `?version=${encodeURIComponent(version)}`;
  const files = data.files.map(({ path }) => ({
    label: visibleText(path),
    icon: FileCode,
    href: `/${org}/${slug}/files/${path.split("/").map(encodeURIComponent).join("/")}${selection}`,
  }));
  return matching(files, text).slice(0, 20);
}
