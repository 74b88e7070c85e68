import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Folder, FolderLock } from "lucide-react";
import { teamFoldersQuery } from "../../../api/organization/people.ts";
import { iconProps } from "../../../parts/icon.ts";
import { Problem } from "../../../parts/states/problem.tsx";
import { visibleText } from "../../../parts/text/visible-text.ts";

/** Folders on which the team has a grant; the library changes them. */
export function TeamFolders({ org, team }: { org: string; team: string }) {
  const { data, error, refetch } = useQuery(teamFoldersQuery(org, team));
  return (
    <section className="stack gap-3" aria-label="Folders of the team">
      <h2>Folders</h2>
      <Problem error={error} retry={() => void refetch()} />
      {data?.length === 0 && (
        <p className="sub">
          The team has no grant on a folder that you manage. Grants are given in the library, on the folder.
        </p>
      )}
      {data && data.length > 0 && (
        <ul className="panel plain">
          {data.map(({ folder: { id, path, restricted }, level }) => (
            <li key={id} className="row">
              {restricted ? <FolderLock {...iconProps} /> : <Folder {...iconProps} />}
              <Link className="grow clip" to="/$org/-/library/$" params={{ org, _splat: path }}>
                {visibleText(path)}
              </Link>
              {!restricted && <span className="meta">not restricted now</span>}
              <span className="meta">{level}</span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
