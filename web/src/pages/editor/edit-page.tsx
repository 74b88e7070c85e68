import { useQuery } from "@tanstack/react-query";
import { createFileRoute } from "@tanstack/react-router";
import { useState } from "react";
import { identityQuery, type Identity } from "../../api/account/session.ts";
import { ApiError } from "../../api/client.ts";
import { refOf, skillQuery } from "../../api/skills/skills.ts";
import { Page } from "../../parts/page/page.tsx";
import { Failed } from "../../parts/states/failed.tsx";
import { NotFound } from "../../parts/states/not-found.tsx";
import { SkeletonRows } from "../../parts/states/skeleton-rows.tsx";
import { EditSkill, type EditSkillProps } from "./edit-skill.tsx";

interface EditSearch {
  /** Number of a version that the edit is combined with. */
  with?: number;
  /** The sync conflict that the edit settles. */
  conflict?: string;
}

export const Route = createFileRoute("/$org/$slug/edit")({
  validateSearch: ({ with: version, conflict }: Record<string, unknown>): EditSearch => ({
    with: typeof version === "number" && Number.isInteger(version) && version > 0 ? version : undefined,
    conflict: typeof conflict === "string" && /^[0-9a-f]{24}:\d+$/.test(conflict) ? conflict : undefined,
  }),
  loader: ({ context, params }) => {
    void context.client.prefetchQuery(skillQuery(refOf(params)));
  },
  component: EditPage,
});

/** How often the page looks for a newer version while it is open. */
const refetchMs = 60_000;

function EditPage() {
  const params = Route.useParams();
  const { with: otherVersion, conflict } = Route.useSearch();
  const ref = refOf(params);
  const skill = useQuery({ ...skillQuery(ref), refetchInterval: refetchMs });
  const identity = useFirst(useQuery(identityQuery).data);
  if (skill.isError && !skill.data) {
    // A page of its own title and breadcrumbs would differ for skills that exist.
    if (skill.error instanceof ApiError && skill.error.status < 500 && skill.error.status > 0)
      return <NotFound />;
    return (
      <Page title="Edit">
        <Failed error={skill.error} reset={() => void skill.refetch()} />
      </Page>
    );
  }
  if (identity === null) return <NotFound />;
  if (!skill.data || !identity)
    return (
      <Page title="Edit">
        <h1 className="visually-hidden">Edit a skill</h1>
        <SkeletonRows />
      </Page>
    );
  return (
    <Editable
      key={ref}
      refText={ref}
      skill={skill.data}
      identity={identity}
      otherVersion={otherVersion}
      conflict={conflict}
    />
  );
}

/** The account at the first answer: an edit goes on, and keeps its draft, when the session ends. */
function useFirst(identity: Identity | null | undefined): Identity | null | undefined {
  const [first, setFirst] = useState<Identity>();
  if (identity && !first) setFirst(identity);
  return first ?? identity;
}

function Editable(props: EditSkillProps) {
  const { skill } = props;
  const can = (skill as { can?: string[] }).can;
  if (can && !can.includes("update"))
    return (
      <Page title={`Edit ${skill.name}`}>
        <div className="page stack gap-3">
          <h1>You can&apos;t edit {skill.name}</h1>
          <p className="sub">
            This needs the permission to <b>update skills</b>. Ask an owner or administrator of{" "}
            {skill.tenantSlug} for it.
          </p>
        </div>
      </Page>
    );
  return <EditSkill {...props} />;
}
