import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Folder, FolderLock } from "lucide-react";
import { useState } from "react";
import { countText } from "../../../../../contract/text/count-text.ts";
import { memberFoldersQuery, type Member, type MemberFolder } from "../../../api/organization/people.ts";
import { iconProps } from "../../../parts/icon.ts";
import { DataTable, type Column } from "../../../parts/lists/data-table.tsx";
import { Loaded } from "../../../parts/states/loaded.tsx";
import { visibleText } from "../../../parts/text/visible-text.ts";
import { levelOf, whyOf } from "../../library/panel/reasons.ts";

/** Where the member may do what, and why. */
export function MemberReach({ org, member }: { org: string; member: Member }) {
  const found = useQuery(memberFoldersQuery(org, member.userId));
  return (
    <section className="stack gap-3" aria-label="Access">
      <div className="row wrap between">
        <h2>Access</h2>
        <Link
          to="/$org/-/people/check"
          params={{ org }}
          search={{ user: member.userId, name: member.username }}
        >
          Check a skill or folder
        </Link>
      </div>
      <Loaded found={found} rows={3} rowHeight={40}>
        {(folders) => <Folders org={org} folders={folders} />}
      </Loaded>
    </section>
  );
}

function Folders({ org, folders }: { org: string; folders: MemberFolder[] }) {
  const [showsAll, setShowsAll] = useState(false);
  const closed = folders.filter(({ can }) => can.length === 0);
  const shown = showsAll ? folders : folders.filter((one) => one.folder === null || one.can.length > 0);
  return (
    <>
      <DataTable
        caption="Folders with what the member may do, and why"
        scrollLabel="Access of the member"
        columns={columnsOf(org)}
        rows={shown}
        keyOf={({ folder }) => folder?.id ?? ""}
      />
      {closed.length > 0 && (closed.length > 1 || closed[0]?.folder !== null) && (
        <button type="button" className="link-button" onClick={() => setShowsAll(!showsAll)}>
          {showsAll
            ? "Hide the folders without access"
            : `Show ${countText(closed.length, "restricted folder")} without access`}
        </button>
      )}
    </>
  );
}

const columnsOf = (org: string): Column<MemberFolder>[] => [
  {
    header: "Folder",
    isRowHeader: true,
    className: "anywhere",
    cell: ({ folder, reasons }) => (
      <>
        {folder === null ? (
          <span className="row">
            <Folder {...iconProps} /> All folders without a restriction
          </span>
        ) : (
          <span className="row">
            <FolderLock {...iconProps} />
            <Link to="/$org/-/library/$" params={{ org, _splat: folder.path }}>
              {visibleText(folder.path)}
            </Link>
          </span>
        )}
        <span className="meta block only-on-phones">{whyOf(reasons)}</span>
      </>
    ),
  },
  {
    header: "Access",
    cell: ({ can }) => (
      <span className={can.length === 0 ? "dim" : undefined} title={can.join(", ")}>
        {levelOf(can)}
      </span>
    ),
  },
  { header: "Why", isHiddenOnPhones: true, className: "sub", cell: ({ reasons }) => whyOf(reasons) },
];
