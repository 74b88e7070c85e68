import { ActionIcon, Select, TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { ListCollapse, ListTree, Search } from "lucide-react";
import { useRef } from "react";
import { limits } from "../../../../contract/limits.ts";
import { useFilterKey } from "../../parts/filter-key.ts";
import type { LibrarySearch } from "./tree.ts";

interface Props {
  search: LibrarySearch;
  onSearch: (part: LibrarySearch) => void;
  onExpand: (isOpen: boolean) => void;
}

/** The filter, the types, and opening all folders. */
export function Tools({ search, onSearch, onExpand }: Props) {
  const field = useRef<HTMLInputElement>(null);
  const changeFilter = useDebouncedCallback(
    (filter: string) => onSearch({ filter: filter || undefined }),
    120,
  );
  useFilterKey(field);
  return (
    <div className="tools">
      <TextInput
        ref={field}
        className="grow"
        aria-label="Filter folders and skills"
        placeholder="Filter folders and skills"
        leftSection={<Search size={16} />}
        rightSection={<span className="kbd hidden-on-phones">/</span>}
        defaultValue={search.filter ?? ""}
        maxLength={limits.searchQuery}
        onChange={(event) => changeFilter(event.currentTarget.value)}
      />
      <Select
        aria-label="Type"
        w={116}
        data={[
          { value: "all", label: "All types" },
          { value: "skill", label: "Skills" },
          { value: "rule", label: "Rules" },
        ]}
        value={search.type ?? "all"}
        allowDeselect={false}
        onChange={(value) => onSearch({ type: value === "skill" || value === "rule" ? value : undefined })}
      />
      <ActionIcon
        variant="subtle"
        color="gray"
        size={32}
        aria-label="Expand all folders"
        onClick={() => onExpand(true)}
      >
        <ListTree size={16} />
      </ActionIcon>
      <ActionIcon
        variant="subtle"
        color="gray"
        size={32}
        aria-label="Collapse all folders"
        onClick={() => onExpand(false)}
      >
        <ListCollapse size={16} />
      </ActionIcon>
    </div>
  );
}
