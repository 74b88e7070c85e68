import { ActionIcon, Select } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { ArrowLeftRight } from "lucide-react";
import { versionsQuery, type Version } from "../../../api/skills/skills.ts";
import { Time } from "../../../parts/text/time.tsx";
import { visibleText } from "../../../parts/text/visible-text.ts";
import { useSkillAddress } from "../context.ts";

/** The two versions that are compared; each can be exchanged for another one. */
export function Ends({ from, to }: { from: string; to: string }) {
  const { org, slug, ref } = useSkillAddress();
  const { data } = useInfiniteQuery(versionsQuery(ref));
  const versions = data?.pages.flatMap((page) => page.data) ?? [];
  const navigate = useNavigate();
  const compare = (a: string, b: string) =>
    void navigate({
      to: "/$org/$slug/compare/$range",
      params: { org, slug, range: `${a}...${b}` },
      search: true,
    });
  return (
    <div className="compared-versions">
      <End label="From" semver={from} versions={versions} onChange={(next) => compare(next, to)} />
      <ActionIcon variant="default" aria-label="Swap the versions" onClick={() => compare(to, from)}>
        <ArrowLeftRight size={16} />
      </ActionIcon>
      <End label="To" semver={to} versions={versions} onChange={(next) => compare(from, next)} />
    </div>
  );
}

interface EndProps {
  label: string;
  semver: string;
  versions: Version[];
  onChange: (semver: string) => void;
}

function End({ label, semver, versions, onChange }: EndProps) {
  const version = versions.find((one) => one.semver === semver);
  const names = versions.map((one) => one.semver);
  return (
    <div className="compared-version">
      <Select
        label={label}
        size="xs"
        searchable
        data={names.includes(semver) ? names : [semver, ...names]}
        value={semver}
        allowDeselect={false}
        onChange={(value) => value !== null && value !== semver && onChange(value)}
      />
      <span className="meta clip">
        {version ? (
          <>
            {visibleText(version.message.split("\n")[0] ?? "")} ·{" "}
            {version.author?.username ?? "a deleted account"} · <Time value={version.createdAt} />
          </>
        ) : (
          "\u00a0"
        )}
      </span>
    </div>
  );
}
