import { Link } from "@tanstack/react-router";
import { Bot, ChevronDown, ChevronRight, KeyRound } from "lucide-react";
import { useMemo, useState } from "react";
import { countText } from "../../../../contract/text/count-text.ts";
import type { AuditEntry, AuditFilter } from "../../api/organization/audit.ts";
import { DataTable, type Column } from "../lists/data-table.tsx";
import { Time } from "../text/time.tsx";
import { EntryDetails } from "./entry-details.tsx";
import { entryLink } from "./text/entry-link.ts";
import { runsOf, type Run } from "./text/runs.ts";
import { eventName, sentenceOf, sentenceText, subjectOf, type Names } from "./text/sentence.ts";

interface Props {
  entries: AuditEntry[];
  hasReasons: boolean;
  /** The organization whose log it is; without one, nothing is linked. */
  org?: string;
  names?: Names;
  onFilter: (part: AuditFilter) => void;
  /** The entry that is open at first, as in a link to it. */
  entryId: string | undefined;
  onEntry: (id: string | undefined) => void;
}

type Row = { run: Run<AuditEntry> } & ({ entry: AuditEntry; isInRun: boolean } | { entry?: undefined });

/** A page of the log: sentences, with runs of one kind folded. A row expands to everything that was recorded. */
export function Entries({ entries, hasReasons, org, names, onFilter, entryId, onEntry }: Props) {
  const runs = useMemo(() => runsOf(entries), [entries]);
  const [open, setOpen] = useState<ReadonlySet<string>>(() => new Set(keysAround(runs, entryId)));
  const toggle = (row: Row) => {
    const key = keyOf(row);
    const isOpening = !open.has(key);
    setOpen(new Set(isOpening ? [...open, key] : [...open].filter((one) => one !== key)));
    if (row.entry) onEntry(isOpening ? row.entry.id : undefined);
  };
  const rows = runs.flatMap((run): Row[] => {
    const isRun = run.entries.length > 1;
    if (!isRun) return [{ run, entry: run.entries[0], isInRun: false }];
    const parts = run.entries.map((entry): Row => ({ run, entry, isInRun: true }));
    return [{ run }, ...(open.has(keyOf({ run })) ? parts : [])];
  });
  const columns = [
    toggleColumn((row) => open.has(keyOf(row)), toggle),
    timeColumn,
    sentenceColumn(org, names),
    eventColumn,
    ...(hasReasons ? [reasonColumn] : []),
  ];
  return (
    <DataTable
      caption="Entries of the audit log"
      columns={columns}
      rows={rows}
      keyOf={keyOf}
      isOpen={(row) => row.entry !== undefined && open.has(keyOf(row))}
      renderDetails={({ entry }) => entry && <EntryDetails entry={entry} onFilter={onFilter} />}
    />
  );
}

/** Keys of the rows to be open for an entry: its own, and that of the run that has it. */
const keysAround = (runs: Run<AuditEntry>[], id: string | undefined): string[] =>
  runs
    .filter(({ entries }) => entries.some((entry) => entry.id === id))
    .flatMap((run) => (run.entries.length > 1 ? [keyOf({ run }), id!] : [id!]));

const keyOf = ({ run, entry }: Row): string => (entry ? entry.id : `run ${run.id}`);

const toggleColumn = (isOpen: (row: Row) => boolean, toggle: (row: Row) => void): Column<Row> => ({
  header: "Details",
  isHeaderHidden: true,
  cell: (row) => (
    <button
      type="button"
      className="toggle"
      aria-expanded={isOpen(row)}
      aria-label={
        row.entry
          ? `Details: ${eventName(row.entry.action)}`
          : `${countText(row.run.entries.length, "entry", "entries")}: ${eventName(row.run.entries[0].action)}`
      }
      onClick={() => toggle(row)}
    >
      {isOpen(row) ? <ChevronDown size={14} /> : <ChevronRight size={14} />}
    </button>
  ),
});

const timeColumn: Column<Row> = {
  header: "Time",
  className: "meta nowrap narrow",
  cell: ({ run, entry }) => <Time value={(entry ?? run.entries[0]).createdAt} />,
};

const sentenceColumn = (org: string | undefined, names: Names | undefined): Column<Row> => ({
  header: "What happened",
  className: "sentence",
  cell: (row) => {
    const { actor } = row.run.entries[0];
    return (
      <span className={row.entry && row.isInRun ? "in-run" : undefined}>
        <ActorIcon type={actor.type} /> <b>{actor.name}</b>
        {row.entry ? " " : ": "}
        {row.entry ? <Sentence org={org} entry={row.entry} names={names} /> : <RunText run={row.run} />}
      </span>
    );
  },
});

/** A mark for an actor that is not a person. */
function ActorIcon({ type }: { type: string }) {
  if (type === "user") return null;
  const Icon = type === "organization" ? KeyRound : Bot;
  const label = type === "organization" ? "API token" : type === "system" ? "The service" : "Not signed in";
  return (
    <span title={label}>
      <Icon size={13} aria-label={label} className="actor-icon" />
    </span>
  );
}

function Sentence({ org, entry, names }: { org?: string; entry: AuditEntry; names?: Names }) {
  const parts = sentenceOf(entry, names);
  const link = org === undefined ? undefined : entryLink(org, entry);
  const subject = subjectOf(entry);
  const linked = link && parts.findIndex(({ isValue, text }) => isValue && text === subject);
  return (
    <>
      {parts.map(({ text, isValue }, index) => {
        if (!isValue) return text;
        const name = <bdi className="value">{text}</bdi>;
        // The parts of a sentence have no identity, and do not change.
        // oxlint-disable-next-line react/no-array-index-key
        return index === linked ? (
          <Link key={index} {...link}>
            {name}
          </Link>
        ) : (
          <span key={index}>{name}</span>
        );
      })}
      {link && linked === -1 && (
        <>
          {" "}
          <Link {...link}>Open</Link>
        </>
      )}
    </>
  );
}

const namedInRun = 3;

/** The common event of a run, how often it occurred, and the first of its subjects. */
function RunText({ run: { entries } }: { run: Run<AuditEntry> }) {
  const subjects = [...new Set(entries.flatMap((entry) => subjectOf(entry) ?? []))];
  const [first] = entries;
  const shown = subjects.slice(0, namedInRun);
  const hidden = subjects.length - shown.length;
  const isSame = new Set(entries.map((entry) => sentenceText(sentenceOf(entry)))).size === 1;
  return (
    <>
      {isSame ? sentenceText(sentenceOf(first)) : <span className="kind">{eventName(first.action)}</span>}{" "}
      <span className="counter nowrap">{entries.length} times</span>
      {!isSame && shown.length > 0 && (
        <span className="dim">
          {" "}
          {shown.join(", ")}
          {hidden > 0 && ` and ${hidden} more`}
        </span>
      )}
    </>
  );
}

const eventColumn: Column<Row> = {
  header: "Event",
  isHiddenOnPhones: true,
  className: "meta mono nowrap narrow",
  cell: ({ run, entry }) => (entry ?? run.entries[0]).action,
};

const reasonColumn: Column<Row> = {
  header: "Reason",
  isHiddenOnPhones: true,
  className: "clip",
  cell: ({ entry }) => (typeof entry?.metadata["reason"] === "string" ? entry.metadata["reason"] : ""),
};
