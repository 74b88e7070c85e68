import "@mantine/spotlight/styles.layer.css";
import "./palette.css";
import { useDebouncedValue } from "@mantine/hooks";
import { createSpotlight, Spotlight } from "@mantine/spotlight";
import { useNavigate, useParams } from "@tanstack/react-router";
import { Search } from "lucide-react";
import { useEffect, useState } from "react";
import { MarkedText } from "../../../parts/text/marked-text.tsx";
import { matching, readQuery, type Entry, type Group } from "./entry.ts";
import { recentEntries, useCommands, usePages } from "./pages.ts";
import { useFiles, useFolders, usePeople, useSkills, useTags } from "./searches.ts";

const debounceMs = 120;
const [store, spotlight] = createSpotlight();

/** As soon as the field exists, so that it replaces the one before it within the same step. */
const focus = (field: HTMLInputElement | null) => field?.focus({ preventScroll: true });

interface Props {
  /** The field has the focus: from now on, it gets what is typed. */
  onFocus: (field: HTMLInputElement) => void;
  onClose: () => void;
}

/** Finds pages, skills, folders, people, tags and files. It opens as it is mounted. */
export function Palette({ onFocus, onClose }: Props) {
  const [query, setQuery] = useState("");
  const [asked] = useDebouncedValue(query, debounceMs);
  const groups = useGroups(query, asked).filter(({ entries }) => entries.length > 0);
  const navigate = useNavigate();
  const { slug } = useParams({ strict: false });
  useEffect(() => {
    spotlight.open();
  }, []);
  useFirstChosen();
  return (
    <Spotlight.Root
      store={store}
      query={query}
      onQueryChange={setQuery}
      onSpotlightClose={onClose}
      shortcut={null}
      returnFocus={false}
      lockScroll={false}
      scrollable
      maxHeight={440}
      classNames={{ content: "palette", action: "action", actionsList: "list" }}
      attributes={{ content: { "aria-label": "Search or jump to" } }}
    >
      <Spotlight.Search
        placeholder="Search or jump to"
        aria-label="Search or jump to"
        leftSection={<Search size={16} />}
        ref={focus}
        onFocus={(event) => onFocus(event.currentTarget)}
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
          <span className="kbd">@</span> people
          {slug !== undefined && (
            <>
              {" "}
              <span className="kbd">/</span> files of this skill
            </>
          )}
        </span>
      </Spotlight.Footer>
    </Spotlight.Root>
  );
}

/** Chooses the first entry if none is chosen: Spotlight does so as the user types, before a search has found any. */
function useFirstChosen(): void {
  useEffect(() => {
    const list = document.querySelector(".palette .list");
    if (!list || list.querySelector("[data-selected]")) return;
    list.querySelector("[data-action]")?.setAttribute("data-selected", "true");
    store.updateState((state) => ({ ...state, selected: 0 }));
  });
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
