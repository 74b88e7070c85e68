import { countText } from "../../../../../contract/text/count-text.ts";
import type { Schemas } from "../../../api/client.ts";
import { ShareBar } from "../../../parts/charts/share-bar.tsx";
import { Command } from "../../../parts/copy/command.tsx";
import { commandLine } from "../../../parts/copy/shell.ts";
import { DataTable, type Column } from "../../../parts/lists/data-table.tsx";
import { useSkillAddress } from "../context.ts";
import { Remind } from "./remind.tsx";

type Summary = Schemas["InstallSummary"];

/** Number of installs of each version, and how to update those that are behind. */
export function InstalledVersions({ summary }: { summary: Summary }) {
  const { org, slug } = useSkillAddress();
  const { installs, outdated, versions } = summary;
  return (
    <>
      <p className="sub">
        {countText(installs, "install")},{" "}
        {outdated === 0 ? "none of them outdated" : `${outdated} of them outdated`}.
      </p>
      {outdated > 0 && (
        <div className="stack">
          <p className="meta">Members update their installs with this command:</p>
          <Command text={commandLine("svc", "pull", `${org}/${slug}`)} />
          <Remind />
        </div>
      )}
      <section className="panel" aria-labelledby="versions-heading">
        <header>
          <h2 id="versions-heading">By version</h2>
        </header>
        <DataTable
          inPanel
          caption="Installs by version"
          scrollLabel="Installs by version"
          columns={columnsOf(installs)}
          rows={versions}
          keyOf={({ version }) => version}
        />
      </section>
    </>
  );
}

const columnsOf = (all: number): Column<Summary["versions"][number]>[] => [
  {
    header: "Version",
    isRowHeader: true,
    cell: ({ semver, outdated, deprecated, yanked }) => (
      <span className="row">
        <span className="mono">{semver}</span>
        {!outdated && <span className="badge ok">up to date</span>}
        {deprecated !== undefined && <span className="badge warn">deprecated</span>}
        {yanked && <span className="badge danger">yanked</span>}
      </span>
    ),
  },
  {
    header: "Share",
    cell: ({ installs }) => <ShareBar part={installs} all={all} />,
  },
  { header: "Installs", align: "right", cell: ({ installs }) => installs.toLocaleString("en") },
];
