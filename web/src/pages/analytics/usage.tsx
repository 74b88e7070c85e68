import { useQuery } from "@tanstack/react-query";
import { countText } from "../../../../contract/text/count-text.ts";
import type { Schemas } from "../../api/client.ts";
import { usageQuery } from "../../api/organization/organizations.ts";
import { ShareBar } from "../../parts/charts/share-bar.tsx";
import type { Column } from "../../parts/lists/data-table.tsx";
import { Loaded } from "../../parts/states/loaded.tsx";
import { Time } from "../../parts/text/time.tsx";
import { SkillTable } from "./skill-table.tsx";

type Data = Schemas["OrganizationUsage"];

/** Unused skills, installs that are behind, and what all skills cost in the context of an agent. */
export function Usage({ org }: { org: string }) {
  return (
    <Loaded found={useQuery(usageQuery(org))} rows={4} rowHeight={44}>
      {(data) => (
        <>
          {!data.isComplete && (
            <p className="meta">The organization is large: these tables cover the first 20,000 skills.</p>
          )}
          <Unused org={org} data={data} />
          <Releases org={org} data={data} />
          <Outdated org={org} data={data} />
          <Cost org={org} data={data} />
        </>
      )}
    </Loaded>
  );
}

interface Props {
  org: string;
  data: Data;
}

function Unused({ org, data: { unused, days } }: Props) {
  return (
    <SkillTable
      org={org}
      title={`Not downloaded for ${days} days`}
      note={
        unused.count === 0
          ? "None: every older skill was downloaded."
          : noteOf(unused.count, unused.skills.length)
      }
      columns={unusedColumns}
      rows={unused.skills}
    />
  );
}

const unusedColumns: Column<Data["unused"]["skills"][number]>[] = [
  { header: "Downloads before", align: "right", cell: ({ downloads }) => numberOf(downloads) },
  { header: "Last changed", align: "right", cell: ({ updatedAt }) => <Time value={updatedAt} /> },
];

function Releases({ org, data: { releases } }: Props) {
  return (
    releases.length > 0 && (
      <SkillTable
        org={org}
        title="Adoption of the latest releases"
        note="share of the installs that have the current version"
        columns={releaseColumns}
        rows={releases}
      />
    )
  );
}

const releaseColumns: Column<Data["releases"][number]>[] = [
  { header: "Release", className: "mono", cell: ({ semver }) => semver },
  { header: "Released", isHiddenOnPhones: true, cell: ({ releasedAt }) => <Time value={releasedAt} /> },
  {
    header: "Installs",
    align: "right",
    cell: ({ adopted, installs }) => `${numberOf(adopted)} of ${numberOf(installs)}`,
  },
  { header: "Share", cell: ({ adopted, installs }) => <ShareBar part={adopted} all={installs} /> },
];

function Outdated({ org, data: { outdated } }: Props) {
  return (
    <SkillTable
      org={org}
      title="Outdated installs"
      note={
        outdated.installs === 0
          ? "Every install has the current version."
          : `${numberOf(outdated.installs)} in all`
      }
      columns={[
        { header: "Current", align: "right", className: "mono", cell: ({ current }) => current },
        {
          header: "Outdated installs",
          align: "right",
          cell: ({ installs, outdated: behind }) => `${numberOf(behind)} of ${numberOf(installs)}`,
        },
      ]}
      rows={outdated.skills}
    />
  );
}

function Cost({ org, data: { cost } }: Props) {
  return (
    <SkillTable
      org={org}
      title="Cost in context"
      note={`about ${numberOf(cost.idle)} tokens for an agent that has all skills`}
      columns={[
        {
          header: "Name and description",
          align: "right",
          cell: ({ idle }) => `about ${numberOf(idle)} tokens`,
        },
      ]}
      rows={cost.skills}
    />
  );
}

const numberOf = (value: number) => value.toLocaleString("en");

const noteOf = (count: number, shown: number) =>
  count > shown ? `${numberOf(count)} skills, of which the first ${shown}` : countText(count, "skill");
