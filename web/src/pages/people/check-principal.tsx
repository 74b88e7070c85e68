/** The member or the organization's token that an access check is about. */
import { Select } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { tokensQuery } from "../../api/account/tokens.ts";
import { memberSearchQuery } from "../../api/organization/people.ts";
import { Segments } from "../../parts/page/segments.tsx";

export interface FieldProps {
  org: string;
  value: string | null;
  onChange: (value: string | null) => void;
}
type Option = { value: string; label: string };
/** The one that was chosen, if any. */
export interface Principal {
  kind: "member" | "token";
  id: string | null;
  /** User name of a member. */
  name?: string;
}

interface PrincipalProps {
  org: string;
  value: Principal;
  onChange: (value: Principal) => void;
  /** Whether the user may manage tokens; without that, none is offered. */
  hasTokens: boolean;
}

export function PrincipalField({ org, value: { kind, id, name }, onChange, hasTokens }: PrincipalProps) {
  const known = id !== null && name !== undefined ? { value: id, label: name } : undefined;
  return (
    <div className="stack">
      {hasTokens && (
        <Segments
          label="Member or token"
          data={[
            { value: "member", label: "A member" },
            { value: "token", label: "An API token" },
          ]}
          value={kind}
          onChange={(value) => onChange({ kind: value === "token" ? "token" : "member", id: null })}
        />
      )}
      {kind === "token" ? (
        <TokenField org={org} value={id} onChange={(next) => onChange({ kind, id: next })} />
      ) : (
        <PersonField org={org} value={id} known={known} onChange={(next) => onChange({ kind, ...next })} />
      )}
    </div>
  );
}

interface PersonProps {
  org: string;
  value: string | null;
  known: Option | undefined;
  onChange: (value: Omit<Principal, "kind">) => void;
}

function PersonField({ org, known, value, onChange }: PersonProps) {
  const [text, setText] = useState(known?.label ?? "");
  const [query] = useDebouncedValue(text.trim(), 200);
  const { data: members = [] } = useQuery(memberSearchQuery(org, value ? "" : query));
  const options = members.map(({ userId, username }) => ({ value: userId, label: username }));
  return (
    <Select
      label="Member"
      placeholder="Name or user name"
      searchable
      data={known && !options.some((one) => one.value === known.value) ? [known, ...options] : options}
      value={value}
      searchValue={text}
      onSearchChange={setText}
      onChange={(id, option) => onChange({ id, ...(option && { name: option.label }) })}
    />
  );
}

function TokenField({ org, value, onChange }: FieldProps) {
  const [openedAt] = useState(() => Date.now());
  const { data: tokens = [] } = useQuery(tokensQuery(org));
  return (
    <Select
      label="API token of the organization"
      placeholder="Name of a token"
      searchable
      data={tokens
        .filter(({ expiresAt }) => expiresAt === undefined || Date.parse(expiresAt) > openedAt)
        .map(({ id, name }) => ({ value: id, label: name }))}
      value={value}
      nothingFoundMessage="No token has this name"
      onChange={onChange}
    />
  );
}
