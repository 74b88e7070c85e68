import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Schemas } from "../../api/client.ts";
import { usageQuery } from "../../api/organization/organizations.ts";
import { Problem } from "../../parts/problem.tsx";
import { SkeletonRows } from "../../parts/skeleton-rows.tsx";
import { Time } from "../../parts/time.tsx";

type Data = Schemas["OrganizationUsage"];

/** Unused skills, installs that are behind, and what all skills cost in the context of an agent. */
export function Usage({ org }: { org: string }) {
  const found = useQuery(usageQuery(org));
  if (found.isPending) return <SkeletonRows rows={4} height={44} />;
  if (found.error) return <Problem error={found.error} retry={() => void found.refetch()} />;
  const { data } = found;
  return (
    <>
      {!data.isComplete && (
        <p className="meta">The organization is large: these tables cover the first 20,000 skills.</p>
      )}
      <Unused org={org} data={data} />
      <Outdated org={org} data={data} />
      <Cost org={org} data={data} />
    </>
  );
}

interface Props {
  org: string;
  data: Data;
}

function Unused({ org, data: { unused, days } }: Props) {
  return (
    <Table
      title={`Not downloaded for ${days} days`}
      note={
        unused.count === 0
          ? "None: every skill that is older was used."
          : countText(unused.count, unused.skills.length)
      }
      columns={["Skill", "Downloads before", "Last changed"]}
      rows={unused.skills.map(({ skill, downloads, updatedAt }) => ({
        org,
        skill,
        cells: [downloads.toLocaleString("en"), <Time key="time" value={updatedAt} />],
      }))}
    />
  );
}

function Outdated({ org, data: { outdated } }: Props) {
  return (
    <Table
      title="Outdated installs"
      note={
        outdated.installs === 0
          ? "Every install has the current version."
          : `${outdated.installs.toLocaleString("en")} in all`
      }
      columns={["Skill", "Current", "Outdated installs"]}
      rows={outdated.skills.map(({ skill, current, installs, outdated: behind }) => ({
        org,
        skill,
        cells: [
          <span key="current" className="mono">
            {current}
          </span>,
          `${behind.toLocaleString("en")} of ${installs.toLocaleString("en")}`,
        ],
      }))}
    />
  );
}

function Cost({ org, data: { cost } }: Props) {
  return (
    <Table
      title="Cost in context"
      note={`about ${cost.idle.toLocaleString("en")} tokens for an agent that has all skills`}
      columns={["Skill", "Name and description"]}
      rows={cost.skills.map(({ skill, idle }) => ({
        org,
        skill,
        cells: [`about ${idle.toLocaleString("en")} tokens`],
      }))}
    />
  );
}

const countText = (count: number, shown: number) =>
  count > shown ? `${count.toLocaleString("en")} skills, of which the first ${shown}` : `${count} skills`;

interface TableProps {
  title: string;
  note: string;
  columns: string[];
  rows: { org: string; skill: { id: string; slug: string }; cells: ReactNode[] }[];
}

function Table({ title, note, columns: [first, ...others], rows }: TableProps) {
  return (
    <section className="panel scroll" aria-label={title}>
      <header>
        <h2 className="grow">{title}</h2>
        <span className="meta">{note}</span>
      </header>
      {rows.length > 0 && (
        <table className="tbl">
          <caption className="sr">{title}</caption>
          <thead>
            <tr>
              <th scope="col">{first}</th>
              {others.map((label) => (
                <th key={label} scope="col" className="right">
                  {label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ org, skill, cells }) => (
              <tr key={skill.id}>
                <td>
                  <Link to="/$org/$slug" params={{ org, slug: skill.slug }}>
                    {skill.slug}
                  </Link>
                </td>
                {cells.map((cell, index) => (
                  <td key={others[index]} className="right">
                    {cell}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}
