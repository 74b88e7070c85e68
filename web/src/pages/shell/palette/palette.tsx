import "@mantine/spotlight/styles.layer.css";
import "./palette.css";
import { useDebouncedValue } from "@mantine/hooks";
import { Spotlight, spotlight } from "@mantine/spotlight";
import { useNavigate } from "@tanstack/react-router";
import { Search } from "lucide-react";
import { useEffect, useState } from "react";
import { MarkedText } from "../../../parts/marked-text.tsx";
import { matching, readQuery, type Entry, type Group } from "./entry.ts";
import { recentEntries, useCommands, usePages } from "./pages.ts";
import { useFiles, useFolders, usePeople, useSkills, useTags } from "./searches.ts";

const debounceMs = 120;

/** Finds pages, skills, folders, people, tags and files. It opens as it is mounted. */
export function Palette() {
  const [query, setQuery] = useState("");
  const [asked] = useDebouncedValue(query, debounceMs);
  const groups = useGroups(query, asked).filter(({ entries }) => entries.length > 0);
  const navigate = useNavigate();
  useEffect(() => {
    spotlight.open();
  }, []);
  return (
    <Spotlight.Root
      query={query}
      onQueryChange={setQuery}
      shortcut={null}
      scrollable
      maxHeight={440}
      classNames={{ content: "palette", action: "action", actionsList: "list" }}
      attributes={{ content: { "aria-label": "Search or jump to" } }}
    >
      <Spotlight.Search
        placeholder="Search or jump to"
        aria-label="Search or jump to"
        leftSection={<Search size={16} />}
      />
      <Spotlight.ActionsList>
        {groups.map(({ label, entries }) => (
          <Spotlight.ActionsGroup key={label} label={label}>
            {entries.map((entry) => (
              <Spotlight.Action
                key={`${entry.href} ${entry.label}`}
                onClick={() => void navigate({ href: entry.href })}
              >
                <Line entry={entry} />
              </Spotlight.Action>
            ))}
          </Spotlight.ActionsGroup>
        ))}
        {groups.length === 0 && <Spotlight.Empty>{emptyText(query)}</Spotlight.Empty>}
      </Spotlight.ActionsList>
      <Spotlight.Footer>
        <span className="meta">
          <span className="kbd">&gt;</span> commands <span className="kbd">#</span> tags{" "}
          <span className="kbd">@</span> people <span className="kbd">/</span> files of this skill
        </span>
      </Spotlight.Footer>
    </Spotlight.Root>
  );
}

function Line({ entry: { label, description, marks = [], icon: Icon } }: { entry: Entry }) {
  return (
    <>
      <Icon size={16} aria-hidden="true" />
      <span className="grow">
        <span className="block clip">{label}</span>
        {description !== undefined && (
          <span className="block clip meta">
            <MarkedText text={description} marks={marks} />
          </span>
        )}
      </span>
    </>
  );
}

const emptyText = (query: string) =>
  readQuery(query).text === "" ? "Type to search." : "Nothing matches. Use fewer or other words.";

/** Known entries are filtered at once; searches follow the debounced query. */
function useGroups(query: string, asked: string): Group[] {
  const { mode, text } = readQuery(query);
  const search = readQuery(asked);
  const isAll = mode === "all" && search.mode === "all";
  const isSearch = isAll && search.text.length > 1;
  const pages = usePages();
  const commands = useCommands();
  const skills = useSkills(search.text, isSearch);
  const folders = useFolders(search.text, isSearch);
  const people = usePeople(search.text, isSearch || (mode === "people" && search.mode === "people"));
  const tags = useTags(search.text, mode === "tags" && search.mode === "tags");
  const files = useFiles(text, mode === "files");
  if (mode === "commands") return [{ label: "Commands", entries: matching(commands, text) }];
  if (mode === "people") return [{ label: "People", entries: people }];
  if (mode === "tags") return [{ label: "Tags", entries: tags }];
  if (mode === "files") return [{ label: "Files of this skill", entries: files }];
  const known = [
    { label: "Pages", entries: matching(pages, text) },
    { label: "Commands", entries: matching(commands, text) },
  ];
  return [
    ...(text === "" ? [{ label: "Recent", entries: recentEntries() }, ...known.toReversed()] : []),
    { label: "Skills", entries: skills },
    { label: "Folders", entries: folders },
    { label: "People", entries: people },
    ...(text === "" ? [] : known),
  ];
}
