import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Folder, FolderLock, FolderHeart, Library } from "lucide-react";
import type { Schemas } from "../../api/client.ts";
import { foldersQuery } from "../../api/session.ts";
import { iconProps } from "../../parts/icon.ts";

/** Folders that are shown: further ones are in the library, which is made for many. */
const shown = 40;

/** The library and the first two levels of its folders. */
export function FolderLinks({ org }: { org: string }) {
  const { data: folders = [] } = useQuery(foldersQuery(org));
  const library: string = `/${org}/-/library`;
  const upper = folders.filter(({ path }) => path.split("/").length <= 2).slice(0, shown);
  return (
    <>
      <div className="nav-heading">Library</div>
      <Link to={library} activeOptions={{ exact: true }}>
        <Library {...iconProps} />
        All skills
      </Link>
      {upper.map((folder) => (
        <Link
          key={folder.id}
          className={folder.path.includes("/") ? "indent-2" : "indent-1"}
          to={[library, folder.path].join("/")}
        >
          <FolderIcon folder={folder} />
          <span className="clip">{folder.name}</span>
        </Link>
      ))}
    </>
  );
}

function FolderIcon({ folder }: { folder: Schemas["Folder"] }) {
  if (folder.restricted) return <FolderLock {...iconProps} />;
  return folder.managed ? <FolderHeart {...iconProps} /> : <Folder {...iconProps} />;
}
