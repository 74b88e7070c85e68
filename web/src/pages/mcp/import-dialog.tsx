import { Button, Modal, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Search } from "lucide-react";
import { useState } from "react";
import { mcpCatalogQuery, type CatalogEntry } from "../../api/mcp-servers.ts";
import { List } from "../../parts/lists/list-section.tsx";
import { visibleText } from "../../parts/text/visible-text.ts";
import { ImportForm } from "./import-form.tsx";
import { transportNames } from "./server-table.tsx";

/** Finds a server of the catalog, and opens the form that registers it. */
export function ImportDialog({ org, onClose }: { org: string; onClose: () => void }) {
  const [chosen, setChosen] = useState<CatalogEntry>();
  const [text, setText] = useState("");
  const [query] = useDebouncedValue(text.trim(), 200);
  const found = useInfiniteQuery(mcpCatalogQuery(org, query));
  if (chosen)
    return (
      <Modal opened onClose={onClose} title="Import from the catalog" size="lg">
        <ImportForm org={org} entry={chosen} onClose={() => setChosen(undefined)} />
      </Modal>
    );
  return (
    <Modal opened onClose={onClose} title="Import from the catalog" size="lg">
      <div className="stack gap-4">
        <TextInput
          aria-label="Find a server"
          placeholder="Name or description"
          data-autofocus
          leftSection={<Search size={14} />}
          maxLength={200}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <List
          found={found}
          rows={4}
          rowHeight={58}
          more="Show more servers"
          empty={
            <p className="sub" role="status">
              {query === "" ? "The catalog is empty. It is read once per hour." : "No server matches."}
            </p>
          }
        >
          {(entries) => (
            <ul className="panel mcp-skills" aria-label="Servers of the catalog">
              {entries.map((entry) => (
                <Entry key={entry.name} entry={entry} onImport={() => setChosen(entry)} />
              ))}
            </ul>
          )}
        </List>
        <Consequence />
      </div>
    </Modal>
  );
}

const Consequence = () => (
  <p className="meta">
    An import follows the catalog until its configuration is changed here. A version from another host or
    package is only offered.
  </p>
);

interface EntryProps {
  entry: CatalogEntry;
  onImport: () => void;
}

function Entry({ entry, onImport }: EntryProps) {
  const { name, title, description, version, transport, target, problem } = entry;
  return (
    <li className="row mcp-entry">
      <div className="stack gap-0 grow">
        <span className="row wrap">
          <b>{visibleText(title)}</b>
          <span className="meta">{version}</span>
          {transport && <span className="badge">{transportNames[transport]}</span>}
        </span>
        <span className="mono dim">{name}</span>
        <span className="meta">{visibleText(description)}</span>
        {target !== undefined && <span className="mono meta">{visibleText(target)}</span>}
        {problem !== undefined && (
          <span className="meta warn">Can&apos;t be imported: {visibleText(problem)}</span>
        )}
      </div>
      {problem === undefined && (
        <Button size="xs" variant="default" aria-label={`Import ${name}`} onClick={onImport}>
          Import
        </Button>
      )}
    </li>
  );
}
