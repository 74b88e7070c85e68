import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { foldersQuery, may } from "../../../api/account/session.ts";
import { skillSearchQuery } from "../../../api/check.ts";
import { memberSearchQuery, teamsQuery } from "../../../api/organization/people.ts";
import type { Organization } from "../../page/organization-page.tsx";
import { NamedSelect } from "./named-select.tsx";

interface Props {
  organization: Organization;
  value: string | undefined;
  label: string | undefined;
  onChange: (value: string | undefined) => void;
}

const shown = 12;

/** A choice of what an entry is about, by name: a skill, a folder, a team or a person. */
export function ResourcePicker({ organization, value, label, onChange }: Props) {
  const { slug, permissions } = organization;
  const [text, setText] = useState("");
  const [query] = useDebouncedValue(text.trim(), 200);
  const canReadMembers = may(permissions, "member", "read");
  const skills = useQuery(skillSearchQuery(slug, query));
  const folders = useQuery(foldersQuery(slug));
  const teams = useQuery({ ...teamsQuery(slug), enabled: canReadMembers });
  const members = useQuery({ ...memberSearchQuery(slug, query), enabled: canReadMembers });
  const isMatch = (name: string) => name.toLowerCase().includes(query.toLowerCase());
  const items = <T,>(found: T[] | undefined, toItem: (one: T) => { value: string; label: string }) =>
    (found ?? []).map(toItem);
  return (
    <NamedSelect
      label="About"
      placeholder="Anything"
      none="Anything"
      groups={[
        { group: "Skills", items: items(skills.data, ({ id, slug: name }) => ({ value: id, label: name })) },
        {
          group: "Folders",
          items: items(folders.data, ({ id, path }) => ({ value: id, label: path })).filter((one) =>
            isMatch(one.label),
          ),
        },
        {
          group: "Teams",
          items: items(teams.data, ({ id, name }) => ({ value: id, label: name })).filter((one) =>
            isMatch(one.label),
          ),
        },
        {
          group: "People",
          items: items(members.data, ({ userId, username }) => ({ value: userId, label: username })),
        },
      ].map(({ group, items: found }) => ({ group, items: found.slice(0, shown) }))}
      value={value}
      valueLabel={label}
      onSearch={setText}
      onChange={onChange}
    />
  );
}
