import { FileButton, Textarea } from "@mantine/core";
import { useId, useState, type DragEvent } from "react";
import { countText } from "../../../../../contract/text/count-text.ts";
import type { ReadAddresses } from "./addresses.ts";

const maxFileBytes = 1 << 20;
const shownInvalid = 5;

interface Props {
  text: string;
  read: ReadAddresses;
  problem: string | undefined;
  onText: (text: string) => void;
}

/** The field for addresses, which also takes the text of a file. */
export function AddressField({ text, read, problem, onText }: Props) {
  const [fileProblem, setFileProblem] = useState<string>();
  const [isOver, setOver] = useState(false);
  const addFile = async (file: File | null | undefined) => {
    if (!file) return;
    if (file.size > maxFileBytes) return setFileProblem(`${file.name} is larger than 1 MiB.`);
    const added = await file.text();
    setFileProblem(added.includes("@") ? undefined : `${file.name} contains no e-mail address.`);
    onText([text.trim(), added.trim()].filter(Boolean).join("\n"));
  };
  const drop = (event: DragEvent) => {
    if (event.dataTransfer.files.length === 0) return;
    event.preventDefault();
    setOver(false);
    void addFile(event.dataTransfer.files[0]);
  };
  const isFile = (event: DragEvent) => event.dataTransfer.types.includes("Files");
  const summaryId = useId();
  return (
    <div className="stack">
      <Textarea
        label="E-mail addresses"
        description="Separate them by commas or lines, or paste a column of a table."
        data-autofocus
        autosize
        minRows={4}
        maxRows={10}
        spellCheck={false}
        autoComplete="off"
        placeholder={"ada@example.com, bruno@example.com\nCarla Rossi <carla@example.com>"}
        className={isOver ? "drop-target" : undefined}
        value={text}
        error={problem ?? fileProblem}
        aria-describedby={summaryId}
        onChange={(event) => onText(event.currentTarget.value)}
        onDragOver={(event) => isFile(event) && (event.preventDefault(), setOver(true))}
        onDragLeave={() => setOver(false)}
        onDrop={drop}
      />
      <div className="row wrap between meta">
        <span id={summaryId} role="status">
          {summaryOf(read)}
        </span>
        <FileButton accept=".csv,.tsv,.txt,text/csv,text/plain" onChange={(file) => void addFile(file)}>
          {(props) => (
            <button {...props} type="button" className="link-button">
              Add from a CSV file
            </button>
          )}
        </FileButton>
      </div>
      {problem !== undefined && read.invalid.length > 1 && (
        <ul className="invalid-entries" aria-label="Entries that are not addresses">
          {read.invalid.slice(0, shownInvalid).map((entry) => (
            <li key={entry} className="mono clip">
              {entry}
            </li>
          ))}
          {read.invalid.length > shownInvalid && <li>and {read.invalid.length - shownInvalid} more</li>}
        </ul>
      )}
    </div>
  );
}

function summaryOf({ addresses, invalid, repeated }: ReadAddresses): string {
  return [
    addresses.length > 0 && countText(addresses.length, "address", "addresses"),
    repeated > 0 && `${repeated} repeated`,
    invalid.length > 0 && `${invalid.length} invalid`,
  ]
    .filter(Boolean)
    .join(" · ");
}
