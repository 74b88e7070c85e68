import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { ArrowLeft } from "lucide-react";
import { countText } from "../../../../../contract/text/count-text.ts";
import { ApiError } from "../../../api/client.ts";
import { publicCollectionQuery } from "../../../api/public-organization.ts";
import { Problem } from "../../../parts/states/problem.tsx";
import { SkeletonRows } from "../../../parts/states/skeleton-rows.tsx";
import { visibleText } from "../../../parts/text/visible-text.ts";
import { SkillRow } from "./skill-row.tsx";

/** A collection with all of its public skills, in its order. */
export function WholeCollection({ org, slug }: { org: string; slug: string }) {
  const { data, error, isPending, refetch } = useQuery(publicCollectionQuery(org, slug));
  const isMissing = error instanceof ApiError && error.status === 404;
  return (
    <section className="stack gap-3" aria-labelledby="collection-heading">
      <p className="meta">
        <Link to="/$org" params={{ org }} search={(old) => ({ preview: old.preview })} className="row">
          <ArrowLeft size={14} aria-hidden="true" /> All skills of {org}
        </Link>
      </p>
      <h2 id="collection-heading">
        {data ? visibleText(data.name) : isMissing ? "Collection not found" : "Collection"}
      </h2>
      {isMissing && <p className="sub">It may have been deleted, or has no public skills.</p>}
      {!isMissing && <Problem error={error} retry={() => void refetch()} />}
      {isPending && <SkeletonRows rows={4} height={78} />}
      {data && (
        <>
          {data.description !== "" && <p className="sub">{visibleText(data.description)}</p>}
          <p className="meta">{countText(data.skillCount, "skill")}</p>
          <ul className="panel skills">
            {data.skills.map((skill) => (
              <SkillRow key={skill.publicId} org={org} skill={skill} />
            ))}
          </ul>
        </>
      )}
    </section>
  );
}
