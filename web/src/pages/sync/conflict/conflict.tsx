import { Button } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Check, GitCompareArrows, RotateCcw } from "lucide-react";
import {
  bringBack,
  markConflict,
  syncConflictsQuery,
  syncQuery,
  type SyncConflict,
} from "../../../api/organization/sync.ts";
import { ButtonLink } from "../../../parts/button-link.tsx";
import { Problem } from "../../../parts/states/problem.tsx";
import { Time } from "../../../parts/text/time.tsx";
import { ConflictDiff } from "./conflict-diff.tsx";

interface Props {
  org: string;
  conflict: SyncConflict;
  canManage: boolean;
  position: string;
}

/** A skill that changed on both sides: who did what, both contents, and the three ways to go on. */
export function Conflict({ org, conflict, canManage, position }: Props) {
  const { slug, path, ours, theirs } = conflict;
  const name = slug ?? path;
  const id = `conflict-${conflict.id}`;
  return (
    <section className="panel sync-conflict" aria-labelledby={id}>
      <header>
        <h2 id={id} className="grow">
          {name} was changed on both sides
        </h2>
        <span className="meta">
          {position} ·{" "}
          <a href={`#${id}`} ref={showIfLinked}>
            <Time value={conflict.at} />
          </a>
        </span>
      </header>
      {conflict.baseSemver !== null && (
        <p className="sync-base meta">
          Both sides started from version <b className="mono">{conflict.baseSemver}</b>.
        </p>
      )}
      <div className="sync-sides">
        <div>
          <b>Edited here</b> <span className="badge">kept as {ours.semver ?? "a deleted version"}</span>
          <Author name={ours.author} at={ours.at} />
        </div>
        <div>
          <b>Pushed to the repository</b>{" "}
          <span className="badge ok">became {theirs.semver ?? "a deleted version"}</span>
          <Author name={theirs.author} at={theirs.at} commit={conflict.commit} />
        </div>
      </div>
      {slug !== null && <ConflictDiff org={org} slug={slug} conflict={conflict} />}
      <footer>
        <span className="meta mono">{path}</span>
        <Choices org={org} conflict={conflict} canManage={canManage} />
      </footer>
    </section>
  );
}

/** Scrolls to the conflict that the address names, which is loaded after the page. */
function showIfLinked(link: HTMLAnchorElement | null): void {
  if (link !== null && link.hash === location.hash) link.closest("section")?.scrollIntoView();
}

function Author({ name, at, commit }: { name: string | null; at: string | null; commit?: string }) {
  return (
    <p className="meta">
      {name ?? "Unknown author"}
      {commit !== undefined && (
        <>
          , <code className="mono">{commit.slice(0, 7)}</code>
        </>
      )}
      {at !== null && (
        <>
          , <Time value={at} />
        </>
      )}
    </p>
  );
}

/** *Keep current version* is the primary choice, since nothing is lost by it. */
function Choices({ org, conflict, canManage }: Omit<Props, "position">) {
  const client = useQueryClient();
  const done = () =>
    Promise.all([
      client.invalidateQueries({ queryKey: syncConflictsQuery(org).queryKey }),
      client.invalidateQueries({ queryKey: syncQuery(org).queryKey }),
    ]);
  const fine = useMutation({ mutationFn: () => markConflict(org, conflict.id), onSuccess: done });
  const back = useMutation({
    mutationFn: async () => {
      await bringBack(conflict);
      if (canManage) await markConflict(org, conflict.id);
    },
    onSuccess: done,
  });
  const { slug, ours, losing } = conflict;
  const isKept = slug !== null && ours.semver !== null;
  const editor: string = `/${org}/${slug}/edit`;
  return (
    <div className="row wrap">
      <Problem error={fine.error ?? back.error} />
      {isKept && (
        <ButtonLink
          size="xs"
          variant="default"
          leftSection={<GitCompareArrows size={14} />}
          to={editor}
          search={{ with: losing, conflict: canManage ? conflict.id : undefined } as never}
        >
          Combine in the editor
        </ButtonLink>
      )}
      {isKept && (
        <Button
          size="xs"
          variant="default"
          leftSection={<RotateCcw size={14} />}
          loading={back.isPending}
          disabled={fine.isPending}
          onClick={() => back.mutate()}
        >
          Bring back {ours.semver}
        </Button>
      )}
      {canManage && (
        <Button
          size="xs"
          leftSection={<Check size={14} />}
          loading={fine.isPending}
          disabled={back.isPending}
          onClick={() => fine.mutate()}
        >
          Keep current version
        </Button>
      )}
    </div>
  );
}
