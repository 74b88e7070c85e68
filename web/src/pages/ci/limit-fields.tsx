import { MultiSelect, Switch } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { limits } from "../../../../contract/limits.ts";
import { foldersQuery, may } from "../../api/account/session.ts";
import { skillChoiceQuery, type Policy } from "../../api/organization/ci.ts";
import type { Organization } from "../../parts/page/organization-page.tsx";
import { FolderChoice } from "../../parts/tokens/folder-choice.tsx";
import { ScopeChoice } from "../../parts/tokens/scope-choice.tsx";
import { publishing, type Draft } from "./draft.ts";

interface Props {
  org: string;
  organization: Organization;
  draft: Draft;
  policy: Policy | undefined;
  onChange: (part: Partial<Draft>) => void;
}

/** Permissions of the tokens of a policy, and the places that they are limited to. */
export function LimitFields({ org, organization, draft, policy, onChange }: Props) {
  const { data: folders = [] } = useQuery(foldersQuery(org));
  const { scopes, folderIds, skillIds } = draft;
  return (
    <>
      <Switch
        label="Limit what its tokens may do"
        description="Without a limit they may do everything that an administrator may do."
        checked={scopes !== undefined}
        onChange={(event) => onChange({ scopes: event.currentTarget.checked ? publishing : undefined })}
      />
      {scopes && (
        <ScopeChoice
          scopes={scopes}
          isHeld={(group, action) => may(organization.permissions, group, action)}
          onChange={(next) => onChange({ scopes: next })}
        />
      )}
      <Switch
        label="Limit them to folders"
        description="Outside of them they read nothing private and change nothing."
        checked={folderIds !== undefined}
        onChange={(event) => onChange({ folderIds: event.currentTarget.checked ? [] : undefined })}
      />
      {folderIds && (
        <FolderChoice
          folders={folders}
          chosen={folderIds}
          onChange={(next) => onChange({ folderIds: next })}
        />
      )}
      <Switch
        label="Limit them to skills"
        description="They update these skills with svc push, and can't create others."
        checked={skillIds !== undefined}
        onChange={(event) => onChange({ skillIds: event.currentTarget.checked ? [] : undefined })}
      />
      {skillIds && (
        <SkillChoice
          org={org}
          known={policy?.skills ?? []}
          chosen={skillIds}
          onChange={(next) => onChange({ skillIds: next })}
        />
      )}
    </>
  );
}

interface ChoiceProps {
  org: string;
  /** Skills that the policy names already. */
  known: NonNullable<Policy["skills"]>;
  chosen: string[];
  onChange: (chosen: string[]) => void;
}

function SkillChoice({ org, known, chosen, onChange }: ChoiceProps) {
  const [search, setSearch] = useState("");
  const { data: found = [] } = useQuery(skillChoiceQuery(org, search.trim()));
  const [names, setNames] = useState<ReadonlyMap<string, string>>(
    () => new Map(known.map(({ id, slug }) => [id, slug ?? "a skill that you can't see"])),
  );
  const options = new Map([...names, ...found.map(({ id, slug }) => [id, slug] as const)]);
  return (
    <MultiSelect
      label="Skills"
      placeholder="Find a skill"
      searchable
      searchValue={search}
      onSearchChange={setSearch}
      maxValues={limits.skillsPerPolicy}
      data={[...options].map(([value, label]) => ({ value, label }))}
      value={chosen}
      nothingFoundMessage="No skill was found."
      onChange={(ids) => {
        setNames(new Map(ids.map((id) => [id, options.get(id) ?? id])));
        onChange(ids);
      }}
    />
  );
}
