import { useQuery } from "@tanstack/react-query";
import { Folder as FolderIcon, Globe } from "lucide-react";
import { foldersQuery } from "../../api/account/session.ts";
import type { Collection } from "../../api/organization/collections.ts";
import { visibleText } from "../../parts/text/visible-text.ts";

/** Who sees a collection, unless all members do, and whether it is required. */
export function Readers({ org, collection }: { org: string; collection: Collection }) {
  return (
    <>
      <Audience org={org} collection={collection} />
      {collection.requiredFor.length > 0 && <span className="badge">required</span>}
    </>
  );
}

function Audience({ org, collection }: { org: string; collection: Collection }) {
  const { folderId, public: isPublic } = collection;
  const { data: folders } = useQuery({ ...foldersQuery(org), enabled: folderId !== null });
  if (isPublic)
    return (
      <span className="badge">
        <Globe size={12} aria-hidden="true" /> public
      </span>
    );
  if (folderId === null) return null;
  const path = folders?.find(({ id }) => id === folderId)?.path;
  return (
    <span className="badge">
      <FolderIcon size={12} aria-hidden="true" />
      <span className="clip">{path === undefined ? "folder" : visibleText(path)}</span>
    </span>
  );
}
