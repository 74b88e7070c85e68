import { TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { limits } from "../../../../contract/limits.ts";
import { importMcpServer, mcpServersQuery, type CatalogEntry } from "../../api/mcp-servers.ts";
import { DialogForm } from "../../parts/forms/dialog-form.tsx";
import { visibleText } from "../../parts/text/visible-text.ts";
import { FolderField } from "./form/folder-field.tsx";
import { PublicNote } from "./public-note.tsx";

interface Props {
  org: string;
  entry: CatalogEntry;
  onClose: () => void;
}

/** Registers a server of the catalog: in which version, under which slug, and in which folder. */
export function ImportForm({ org, entry, onClose }: Props) {
  const { name, title, version: latest, target = "" } = entry;
  const client = useQueryClient();
  const navigate = useNavigate();
  const [slug, setSlug] = useState("");
  const [version, setVersion] = useState("");
  const [folderId, setFolderId] = useState<string | null>(null);
  const importing = useMutation({
    mutationFn: () =>
      importMcpServer(org, {
        name,
        folderId,
        slug: slug.trim() === "" ? undefined : slug.trim(),
        version: version.trim() === "" ? undefined : version.trim(),
      }),
    onSuccess: async (made) => {
      await client.invalidateQueries({ queryKey: mcpServersQuery(org).queryKey });
      await navigate({ to: "/$org/-/mcp/$server", params: { org, server: made.slug } });
    },
  });
  return (
    <DialogForm
      label={`Import ${name}`}
      action="Import server"
      isReady
      isPending={importing.isPending}
      error={importing.error}
      onSubmit={() => importing.mutate()}
      onClose={onClose}
    >
      <p>
        <b>{visibleText(title)}</b> <span className="mono dim">{name}</span>
      </p>
      <p className="mono meta mcp-target">{visibleText(target)}</p>
      <PublicNote org={org} />
      <TextInput
        label="Slug"
        description="Key of the entry in each tool's file. It can't be changed later. If empty, it is made from the title."
        maxLength={limits.mcpServerSlug}
        value={slug}
        data-autofocus
        onChange={(event) => setSlug(event.currentTarget.value)}
      />
      <TextInput
        label="Version"
        description="The latest version follows the catalog until its configuration is changed here; an earlier one stays as it is."
        placeholder={latest}
        maxLength={255}
        value={version}
        onChange={(event) => setVersion(event.currentTarget.value)}
      />
      <FolderField org={org} folderId={folderId} onChange={setFolderId} />
    </DialogForm>
  );
}
