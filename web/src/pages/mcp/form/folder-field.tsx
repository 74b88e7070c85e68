import { Select } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { foldersQuery } from "../../../api/account/session.ts";

interface Props {
  org: string;
  folderId: string | null;
  onChange: (folderId: string | null) => void;
}

/** The folder that decides who sees the server. */
export function FolderField({ org, folderId, onChange }: Props) {
  const { data: folders = [] } = useQuery(foldersQuery(org));
  const open = folders.filter(({ id, managed }) => !managed || id === folderId);
  return (
    <Select
      label="Folder"
      description="In a restricted folder, only members with a grant on it see the server."
      placeholder="No folder"
      data={open.map(({ id, path }) => ({ value: id, label: path }))}
      value={folderId}
      clearable
      searchable
      limit={100}
      nothingFoundMessage="No folder matches"
      clearButtonProps={{ "aria-label": "No folder" }}
      onChange={onChange}
    />
  );
}
