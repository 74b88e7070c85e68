import { Textarea, TextInput } from "@mantine/core";
import { limits } from "../../../../../contract/limits.ts";
import type { Draft } from "./draft.ts";
import { FolderField } from "./folder-field.tsx";

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
  return (
    <section className="panel" aria-label="General">
      <header>
        <h2>General</h2>
      </header>
      <div className="body stack gap-4">
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
        <FolderField org={org} folderId={draft.folderId} onChange={(folderId) => onChange({ folderId })} />
      </div>
    </section>
  );
}
