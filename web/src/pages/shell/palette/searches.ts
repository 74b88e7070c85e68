/**
 * Entries that are searched for as the user types. The searches run in parallel, and old results stay until new ones
 * come.
 */
import { keepPreviousData, queryOptions, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useParams, useSearch } from "@tanstack/react-router";
import { CircleHelp, FileCode, FileText, Folder, Globe, Hash, User } from "lucide-react";
import { catalogQuery } from "../../../api/catalog.ts";
import { memberSearchQuery } from "../../../api/organization/people.ts";
import { query } from "../../../api/query.ts";
import { foldersQuery, identityQuery } from "../../../api/session.ts";
import { manifestQuery, refOf } from "../../../api/skills.ts";
import { visibleText } from "../../../parts/visible-text.ts";
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

/** Own skills first, then public ones of other organizations. */
export function useSkills(text: string, isOn: boolean): Entry[] {
  const { data: identity } = useQuery(identityQuery);
  const own = useQuery({ ...ownSkillsQuery({ query: text }), enabled: isOn && Boolean(identity) });
  const found = useInfiniteQuery({ ...catalogQuery({ query: text }), enabled: isOn });
  if (!isOn) return [];
  const known = new Set(own.data?.map(({ publicId }) => publicId));
  const others = (found.data?.pages[0]?.data ?? []).filter(({ publicId }) => !known.has(publicId));
  const toEntry =
    (icon: Entry["icon"]) =>
    (skill: (typeof others)[number] | { tenantSlug: string; slug: string; description: string }) => ({
      label: `${skill.tenantSlug}/${skill.slug}`,
      description: visibleText(skill.description),
      icon,
      href: `/${skill.tenantSlug}/${skill.slug}`,
    });
  return [...(own.data ?? []).map(toEntry(FileText)), ...others.slice(0, shown).map(toEntry(Globe))];
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
    description: count === 1 ? "1 public skill" : `${count} public skills`,
    icon: Hash,
    href: `/explore?tag=${encodeURIComponent(name)}`,
  }));
  const skills = (own.data ?? []).map(({ tenantSlug, slug, description }) => ({
    label: `${tenantSlug}/${slug}`,
    description: visibleText(description),
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
