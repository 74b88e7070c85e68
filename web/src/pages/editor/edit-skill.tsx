import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import type { Identity } from "../../api/account/session.ts";
import { ApiError } from "../../api/client.ts";
import type { NextVersion } from "../../api/skills/publishing.ts";
import type { Skill } from "../../api/skills/skills.ts";
import { FoundBy } from "../../parts/found-by/found-by.tsx";
import { Page, type Crumb } from "../../parts/page/page.tsx";
import { Failed } from "../../parts/states/failed.tsx";
import { SkeletonRows } from "../../parts/states/skeleton-rows.tsx";
import { openBase, type BaseReader } from "./base-reader.ts";
import { useOtherSide } from "./compare/other-side.tsx";
import { useNewer } from "./compare/use-newer.tsx";
import { DraftNote, Note, useDrafts, type OpenDraft } from "./drafts/draft-choice.tsx";
import { useDraft } from "./drafts/use-draft.ts";
import { DraftMark, PublishButton, usePublishRequest } from "./publish/publish-button.tsx";
import { PublishPanel } from "./publish/publish-panel.tsx";
import { PublishedNotice } from "./publish/published.tsx";
import { Reach } from "./publish/reach.tsx";
import { RequiredChoice, useRequired } from "./publish/required-choice.tsx";
import { useAfterPublish } from "./publish/use-after-publish.ts";
import { newerVersion, useLeaveWarning, usePublish } from "./publish/use-publish.ts";
import { useResolveConflict } from "./publish/use-resolve-conflict.ts";
import { useNextVersions, VersionChoice } from "./publish/version-choice.tsx";
import { useWorkspace } from "./use-workspace.ts";
import { countChanges, startFiles } from "./working-set.ts";
import { WorkspaceView } from "./workspace.tsx";

export interface EditSkillProps {
  refText: string;
  skill: Skill;
  identity: Identity;
  /** A version that the edit is combined with. */
  otherVersion: number | undefined;
  /** The sync conflict that the edit settles. */
  conflict: string | undefined;
}

/** Opens the version that the edit is based on: the current one, or that of a continued draft. */
export function EditSkill({ refText, skill, identity, otherVersion, conflict }: EditSkillProps) {
  const client = useQueryClient();
  const [current] = useState(skill.currentVersion);
  const drafts = useDrafts(identity.id, skill.id);
  const { open, waiting } = drafts;
  const version = open.continued?.base?.version ?? current;
  const reader = useQuery({
    queryKey: ["base", { skill: refText, version }],
    staleTime: Infinity,
    gcTime: 0,
    queryFn: () => openBase(client, refText, version, skill.type),
  });
  const title = `Edit ${skill.name}`;
  if (!reader.data)
    return (
      <Page title={title} crumbs={crumbsOf(skill)}>
        {reader.isError ? (
          <Failed error={reader.error} reset={() => void reader.refetch()} />
        ) : (
          <SkeletonRows />
        )}
      </Page>
    );
  return (
    <EditVersion
      key={`${open.id} ${version}`}
      refText={refText}
      skill={skill}
      owner={identity.id}
      reader={reader.data}
      otherVersion={otherVersion}
      conflict={conflict}
      draft={open}
      onDraft={drafts.setOpen}
      draftNote={
        <DraftNote
          draft={waiting[0]}
          onResume={(draft) => void drafts.resume(draft)}
          onDiscard={(draft) => void drafts.discard(draft)}
        />
      }
    />
  );
}

const linkTo = (to: string) => ({ to }) as NonNullable<Crumb["link"]>;

const crumbsOf = ({ tenantSlug, slug }: Skill): Crumb[] => [
  { label: tenantSlug, link: linkTo(`/${tenantSlug}`) },
  { label: slug, link: linkTo(`/${tenantSlug}/${slug}`) },
  { label: "Edit" },
];

interface VersionProps {
  refText: string;
  skill: Skill;
  owner: string;
  reader: BaseReader;
  otherVersion: number | undefined;
  conflict: string | undefined;
  draft: OpenDraft;
  onDraft: (draft: OpenDraft) => void;
  draftNote: ReactNode;
}

/** The state of an edit, and what its buttons do. */
function useEdit({ refText, skill, owner, reader, conflict, draft, onDraft }: VersionProps) {
  const base = reader.base!;
  const [start] = useState(() => draft.continued ?? { files: startFiles(base), message: "" });
  const workspace = useWorkspace(start, reader, skill.type);
  const { files, message } = workspace;
  const [next, setNext] = useState<NextVersion>("patch");
  const required = useRequired(skill);
  const versions = useNextVersions(refText, base);
  const changes = countChanges(files, base);
  const record = { id: draft.id, owner, skill: skill.id, files, message };
  const shownBase = { version: base.version, semver: base.semver };
  const kept = useDraft({ ...record, base: shownBase }, changes > 0, workspace.flush);
  useLeaveWarning(kept.state === "failed" && changes > 0);
  const after = useAfterPublish(refText, kept.end);
  const resolveConflict = useResolveConflict(skill.tenantSlug, conflict);
  const run = usePublish((published) => {
    resolveConflict();
    after.onPublished(published);
  });
  const publish = () => {
    if (changes === 0) return;
    void run.start({
      files,
      message,
      target: { kind: "version", ref: refText, next, base, ...required.body },
      readBase: reader.read,
    });
  };
  const { request, error } = usePublishRequest(workspace, publish);
  const newer = useNewer({ skill, refText, run, workspace, draft, record, onDraft });
  const refused =
    versions.error instanceof ApiError && versions.error.status === 403 ? versions.error.message : "";
  const reason = refused || (changes === 0 ? "Nothing has changed yet." : "");
  return {
    workspace,
    next,
    setNext,
    required,
    versions,
    changes,
    kept,
    run,
    request,
    error,
    newer,
    refused,
    reason,
    ...after,
  };
}

function EditVersion(props: VersionProps) {
  const { skill, draftNote } = props;
  const edit = useEdit(props);
  const otherSide = useOtherSide(props.refText, props.otherVersion, edit.workspace);
  const { workspace, versions, run, changes, request, newer, published } = edit;
  if (published)
    return (
      <Page title="Published" crumbs={crumbsOf(skill)}>
        <PublishedNotice published={published} />
      </Page>
    );
  const actions = (
    <>
      <DraftMark state={edit.kept.state} />
      <PublishButton
        label={`Publish ${versions.numbers[edit.next] ?? ""}`}
        error={changes > 0 ? edit.error : undefined}
        reason={edit.reason}
        isBusy={run.state.kind === "running"}
        onPublish={request}
      />
    </>
  );
  const isNewer = run.state.kind === "failed" && newerVersion(run.state.error) !== undefined;
  return (
    <Page title={`${changes > 0 ? "● " : ""}Edit ${skill.name}`} crumbs={crumbsOf(skill)} actions={actions}>
      <WorkspaceView
        title={`Edit ${skill.name}`}
        workspace={workspace}
        notes={
          <>
            {edit.refused !== "" && <Note tone="warn">{edit.refused}</Note>}
            {draftNote}
            {otherSide?.note}
            {newer.note}
          </>
        }
        comparison={newer.comparison ?? otherSide?.comparison}
        foundBy={
          <div className="preview">
            <p className="meta">The search knows the published version, without your changes.</p>
            <FoundBy skillRef={props.refText} />
          </div>
        }
        onPublish={request}
        onDropped={(files) => workspace.change({ kind: "add", files })}
        publishPanel={
          <PublishPanel
            state={isNewer ? { kind: "idle" } : run.state}
            message={workspace.message}
            onMessage={workspace.setMessage}
            onRetry={request}
            onCancel={run.cancel}
          >
            <VersionChoice numbers={versions.numbers} value={edit.next} onChange={edit.setNext} />
            <Reach refText={props.refText} skill={skill} next={edit.next} />
            <RequiredChoice skill={skill} {...edit.required} />
          </PublishPanel>
        }
      />
    </Page>
  );
}
