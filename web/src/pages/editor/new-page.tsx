import { useQuery } from "@tanstack/react-query";
import { createFileRoute } from "@tanstack/react-router";
import { useState } from "react";
import { identityQuery, type Identity } from "../../api/account/session.ts";
import { Page } from "../../parts/page/page.tsx";
import { Empty } from "../../parts/states/empty.tsx";
import { NotFound } from "../../parts/states/not-found.tsx";
import { SkeletonRows } from "../../parts/states/skeleton-rows.tsx";
import { DraftNote, useDrafts } from "./drafts/draft-choice.tsx";
import { NewSkill } from "./new-skill.tsx";

/** The organization and folder that the link came from. */
interface NewSearch {
  org?: string;
  folder?: string;
}

const textOf = (value: unknown) => (typeof value === "string" && value !== "" ? value : undefined);

export const Route = createFileRoute("/new")({
  validateSearch: (raw: Record<string, unknown>): NewSearch => ({
    org: textOf(raw["org"]),
    folder: textOf(raw["folder"]),
  }),
  component: NewPage,
});

function NewPage() {
  const { data } = useQuery(identityQuery);
  const [first, setFirst] = useState<Identity>();
  // An edit goes on, and keeps its draft, when the session ends.
  if (data && !first) setFirst(data);
  const identity = first ?? data;
  if (identity === null) return <NotFound />;
  if (!identity)
    return (
      <Page title="Publish">
        <h1 className="visually-hidden">Publish a skill</h1>
        <SkeletonRows />
      </Page>
    );
  if (identity.memberships.length === 0)
    return (
      <Page title="Publish">
        <Empty title="You belong to no organization yet" isPage>
          <p className="sub">Skills are published in an organization. Create one, or accept an invitation.</p>
          <p>
            <a href="/orgs/new">Create an organization</a>
          </p>
        </Empty>
      </Page>
    );
  return <OpenNew identity={identity} />;
}

function OpenNew({ identity }: { identity: Identity }) {
  const { open, waiting, resume, discard } = useDrafts(identity.id, "new");
  const search = Route.useSearch();
  return (
    <NewSkill
      key={open.id}
      identity={identity}
      draft={open}
      search={search}
      draftNote={
        <DraftNote
          draft={waiting[0]}
          onResume={(draft) => void resume(draft)}
          onDiscard={(draft) => void discard(draft)}
        />
      }
    />
  );
}
