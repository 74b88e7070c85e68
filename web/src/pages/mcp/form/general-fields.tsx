import { Select, Textarea, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { limits } from "../../../../../contract/limits.ts";
import { foldersQuery } from "../../../api/session.ts";
import type { Draft } from "./draft.ts";

export interface FieldProps {
  draft: Draft;
  /** By the path of the field. */
  problems: Record<string, string>;
  onChange: (part: Partial<Draft>) => void;
}

interface Props extends FieldProps {
  org: string;
  isNew: boolean;
  isNameMissing: boolean;
}

/** Name, description, and the folder that decides who sees the server. */
export function GeneralFields({ org, isNew, isNameMissing, draft, problems, onChange }: Props) {
  const { data: folders = [] } = useQuery(foldersQuery(org));
  const open = folders.filter(({ id, managed }) => !managed || id === draft.folderId);
  return (
    <section className="panel" aria-label="General">
      <header>
        <h2>General</h2>
      </header>
      <div className="body stack g4">
        <TextInput
          label="Name"
          required
          maxLength={limits.mcpServerName}
          value={draft.name}
          error={problems["name"] ?? (isNameMissing && "Enter a name")}
          onChange={(event) => onChange({ name: event.currentTarget.value })}
        />
        {isNew && (
          <TextInput
            label="Slug"
            description="Key of the entry in each tool's file. It can't be changed later. If empty, it is made from the name."
            maxLength={limits.mcpServerSlug}
            value={draft.slug}
            error={problems["slug"]}
            onChange={(event) => onChange({ slug: event.currentTarget.value })}
          />
        )}
        <Textarea
          label="Description"
          autosize
          minRows={2}
          maxRows={8}
          maxLength={limits.mcpServerDescription}
          value={draft.description}
          error={problems["description"]}
          onChange={(event) => onChange({ description: event.currentTarget.value })}
        />
        <Select
          label="Folder"
          description="In a restricted folder, only members with a grant on it see the server."
          placeholder="No folder"
          data={open.map(({ id, path }) => ({ value: id, label: path }))}
          value={draft.folderId}
          clearable
          searchable
          limit={100}
          nothingFoundMessage="No folder matches"
          clearButtonProps={{ "aria-label": "No folder" }}
          onChange={(folderId) => onChange({ folderId })}
        />
      </div>
    </section>
  );
}
