import { lazy, Suspense, useMemo, useState, type ComponentProps, type ReactNode } from "react";
import { readSkillText } from "../../../../contract/checks/skill-rules.ts";
import type { Identity } from "../../api/account/session.ts";
import { Page } from "../../parts/page/page.tsx";
import { noBase } from "./base-reader.ts";
import type { OpenDraft } from "./drafts/draft-choice.tsx";
import { useDraft } from "./drafts/use-draft.ts";
import { ExistingNote, NewDetails, useNewDetails } from "./new-details.tsx";
import { DraftMark, PublishButton, usePublishRequest } from "./publish/publish-button.tsx";
import { PublishPanel } from "./publish/publish-panel.tsx";
import { PublishedNotice } from "./publish/published.tsx";
import { useAfterPublish } from "./publish/use-after-publish.ts";
import { useLeaveWarning, usePublish } from "./publish/use-publish.ts";
import { skillsIn, type DroppedSkills } from "./several/dropped-skills.ts";
import { useWorkspace } from "./use-workspace.ts";
import type { WorkFile } from "./working-set.ts";
import { WorkspaceView } from "./workspace.tsx";

const SeveralSkills = lazy(async () => ({
  default: (await import("./several/several-page.tsx")).SeveralSkills,
}));

const template = `---
name: my-skill
description: Use when
---

# My skill

`;
const templateFiles: WorkFile[] = [{ path: "SKILL.md", mode: "100644", data: template }];

const isTemplate = (files: readonly WorkFile[]) => files.length === 1 && files[0]!.data === template;

interface Props {
  identity: Identity;
  draft: OpenDraft;
  search: { org?: string; folder?: string };
  draftNote: ReactNode;
}

function useNew({ identity, draft, search }: Props) {
  const [start] = useState(() => draft.continued ?? { files: templateFiles, message: "" });
  const details = useNewDetails(identity, search);
  const workspace = useWorkspace(start, noBase, details.type);
  const { files, message, rootText } = workspace;
  const name = useMemo(
    () => readSkillText(rootText ?? "", files.length === 1 ? "markdown" : "package").defaults.name,
    [rootText, files.length],
  );
  const isDirty = !isTemplate(files);
  const record = { id: draft.id, owner: identity.id, skill: "new", base: undefined, files, message };
  const kept = useDraft(record, isDirty, workspace.flush);
  useLeaveWarning(kept.state === "failed" && isDirty);
  const after = useAfterPublish(undefined, kept.end);
  const run = usePublish(after.onPublished);
  const { request, error } = usePublishRequest(workspace, () => {
    if (isDirty)
      void run.start({
        files,
        message,
        target: { kind: "skill", body: details.body },
        readBase: noBase.read,
      });
  });
  const [several, setSeveral] = useState<DroppedSkills>();
  const onDropped = (added: WorkFile[]) => {
    const skills = isTemplate(workspace.takeFiles()) ? skillsIn(added) : undefined;
    if (skills) {
      setSeveral(skills);
      return;
    }
    // A dropped folder takes the place of the template.
    const path = isTemplate(workspace.takeFiles()) && added.some((one) => one.path === "SKILL.md");
    workspace.change({ kind: "add", files: added });
    if (!path) workspace.openFile(added[0]!.path);
  };
  const reason = isDirty ? details.reason : "Write a text, or drop a folder.";
  const severalSkills = several && { dropped: several, onBack: () => setSeveral(undefined) };
  return {
    details,
    workspace,
    name,
    kept,
    run,
    request,
    error,
    reason,
    onDropped,
    severalSkills,
    isDirty,
    ...after,
  };
}

const OpenSeveral = (props: ComponentProps<typeof SeveralSkills>) => (
  <Suspense fallback={<Page title="Publish skills">{null}</Page>}>
    <SeveralSkills {...props} />
  </Suspense>
);

/** A skill that is not published yet: a text, or the files of a folder or zip. */
export function NewSkill(props: Props) {
  const edit = useNew(props);
  const { details, workspace, run, name, published } = edit;
  if (published)
    return (
      <Page title="Published">
        <PublishedNotice published={published} />
      </Page>
    );
  if (edit.severalSkills) return <OpenSeveral details={details} {...edit.severalSkills} />;
  const actions = (
    <>
      <DraftMark state={edit.kept.state} />
      <PublishButton
        label="Publish"
        error={edit.isDirty ? edit.error : undefined}
        reason={edit.reason}
        isBusy={run.state.kind === "running"}
        onPublish={edit.request}
      />
    </>
  );
  return (
    <Page title="Publish a skill" crumbs={[{ label: "Publish" }]} actions={actions}>
      <WorkspaceView
        title="Publish a skill"
        workspace={workspace}
        notes={
          <>
            {props.draftNote}
            <ExistingNote state={run.state} org={details.org} />
          </>
        }
        details={<NewDetails details={details} name={name} />}
        onPublish={edit.request}
        onDropped={edit.onDropped}
        publishPanel={
          <PublishPanel
            state={run.state}
            message={workspace.message}
            onMessage={workspace.setMessage}
            onRetry={edit.request}
            onCancel={run.cancel}
          >
            <p className="meta">
              Version <b className="mono">1.0.0</b> of{" "}
              <span className="mono">
                {details.org}/{name ?? "…"}
              </span>
            </p>
          </PublishPanel>
        }
      />
    </Page>
  );
}
