import { Button, Checkbox, NativeSelect, Select } from "@mantine/core";
import { Download } from "lucide-react";
import { countText } from "../../../../../contract/text/count-text.ts";
import { targets } from "../../../../../contract/vocabulary.ts";
import type { SkillInstall } from "../../../api/skills/skill-settings.ts";
import { memberColumn, toolColumn, updatedColumn, versionColumn } from "../../../parts/install-columns.tsx";
import { DataTable, type Column } from "../../../parts/lists/data-table.tsx";
import { More } from "../../../parts/lists/list-section.tsx";
import { SearchField } from "../../../parts/lists/search-field.tsx";
import { saveCsv } from "../../../parts/text/csv.ts";
import { toolNames } from "../../../parts/text/tool-names.ts";
import { useSkill, useSkillAddress } from "../context.ts";
import { chooseInstalls, orders, type InstallsSearch } from "./choose.ts";

const orderNames = { outdated: "Outdated first", member: "By member", updated: "Latest report first" };

interface Props {
  installs: SkillInstall[];
  found: Parameters<typeof More>[0]["found"];
  search: InstallsSearch;
  onSearch: (part: InstallsSearch) => void;
}

/** Places in which members have the skill, narrowed by filters, which a file has as well. */
export function InstallList({ installs, found, search, onSearch }: Props) {
  const { slug } = useSkillAddress();
  const skill = useSkill();
  const shown = chooseInstalls(installs, search);
  const save = () =>
    saveCsv(`${slug}-installs.csv`, [
      ["name", "username", "tool", "scope", "version", "outdated", "installed", "updated"],
      ...shown.map(({ user, platform, scope, semver, updateAvailable, installedAt, updatedAt }) => [
        user.name,
        user.username,
        platform,
        scope,
        semver,
        updateAvailable ? "yes" : "no",
        installedAt,
        updatedAt,
      ]),
    ]);
  return (
    <section className="stack gap-3" aria-labelledby="members-heading">
      <div className="row wrap">
        <h2 id="members-heading" className="grow">
          By member
        </h2>
        <Button size="xs" variant="default" leftSection={<Download size={14} />} onClick={save}>
          CSV
        </Button>
      </div>
      <div className="row wrap">
        <SearchField
          label="Find a member"
          placeholder="Name of a member"
          value={search.member}
          onChange={(member) => onSearch({ member })}
        />
        <Select
          aria-label="Tool"
          placeholder="All tools"
          clearable
          data={targets
            .filter((tool) => installs.some(({ platform }) => platform === tool))
            .map((tool) => ({ value: tool, label: toolNames[tool] }))}
          value={search.tool ?? null}
          onChange={(tool) => onSearch({ tool: tool ?? undefined })}
        />
        <Select
          aria-label="Version"
          placeholder="All versions"
          clearable
          searchable
          data={[...new Set(installs.map(({ semver }) => semver))].sort()}
          value={search.release ?? null}
          onChange={(release) => onSearch({ release: release ?? undefined })}
        />
        <Checkbox
          label="Outdated only"
          checked={search.outdated === true}
          onChange={(event) => onSearch({ outdated: event.currentTarget.checked ? true : undefined })}
        />
        <NativeSelect
          aria-label="Sort"
          data={orders.map((value) => ({ value, label: orderNames[value] }))}
          value={search.sort ?? "outdated"}
          onChange={(event) => onSearch({ sort: orders.find((one) => one === event.currentTarget.value) })}
        />
      </div>
      <p className="meta" role="status">
        {countText(shown.length, "install")}
        {shown.length < installs.length && ` of ${installs.length}`}
      </p>
      {shown.length > 0 && (
        <DataTable
          caption="Installs by member"
          scrollLabel="List of installs"
          columns={columnsOf(skill.currentVersion)}
          rows={shown}
          keyOf={({ id }) => id}
        />
      )}
      <More found={found}>Show more installs</More>
    </section>
  );
}

const columnsOf = (current: number): Column<SkillInstall>[] => [
  memberColumn,
  toolColumn,
  versionColumn(current),
  updatedColumn,
];
