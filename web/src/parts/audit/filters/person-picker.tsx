import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { may } from "../../../api/account/session.ts";
import { tokensQuery } from "../../../api/account/tokens.ts";
import { memberSearchQuery } from "../../../api/organization/people.ts";
import type { Organization } from "../../page/organization-page.tsx";
import { NamedSelect } from "./named-select.tsx";

interface Props {
  organization: Organization;
  value: string | undefined;
  label: string | undefined;
  onChange: (value: string | undefined) => void;
}

/** Names under which the service acts. */
const services = ["SCIM", "repository sync"];
const shown = 20;

/** A choice of who acted: a member, a token of the organization, or the service. */
export function PersonPicker({ organization, value, label, onChange }: Props) {
  const { slug, permissions } = organization;
  const [text, setText] = useState("");
  const [query] = useDebouncedValue(text.trim(), 200);
  const members = useQuery({
    ...memberSearchQuery(slug, query),
    enabled: may(permissions, "member", "read"),
  });
  const tokens = useQuery({ ...tokensQuery(slug), enabled: may(permissions, "apiToken", "manage") });
  const isMatch = (name: string) => name.toLowerCase().includes(query.toLowerCase());
  return (
    <NamedSelect
      label="Who"
      placeholder="Anyone"
      none="Anyone"
      groups={[
        {
          group: "Members",
          items: (members.data ?? []).slice(0, shown).map(({ userId, username, name }) => ({
            value: userId,
            label: name && name !== username ? `${name} (${username})` : username,
          })),
        },
        {
          group: "API tokens",
          items: (tokens.data ?? [])
            .filter(({ name }) => isMatch(name))
            .slice(0, shown)
            .map(({ id, name }) => ({ value: id, label: name })),
        },
        {
          group: "The service",
          items: services.filter(isMatch).map((name) => ({ value: name, label: name })),
        },
      ]}
      value={value}
      valueLabel={label}
      onSearch={setText}
      onChange={onChange}
    />
  );
}
