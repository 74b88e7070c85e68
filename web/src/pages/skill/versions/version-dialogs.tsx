import { Checkbox, TextInput } from "@mantine/core";
import { useState } from "react";
import { limits } from "../../../../../contract/limits.ts";
import { listText } from "../../../../../contract/text/list-text.ts";
import { revertReachQuery } from "../../../api/skills/reach.ts";
import { type Version } from "../../../api/skills/skills.ts";
import { markVersion, revertSkill } from "../../../api/skills/versions.ts";
import { Command } from "../../../parts/copy/command.tsx";
import { commandLine } from "../../../parts/copy/shell.ts";
import { ConfirmDialog } from "../../../parts/forms/confirm-dialog.tsx";
import { ReachNote } from "../../../parts/reach/reach-note.tsx";
import { useSkill, useSkillAddress } from "../context.ts";
import { useChanged } from "../use-changed.ts";

/** Makes an earlier version current again. */
export function RevertDialog({ semver, onClose }: { semver: string; onClose: () => void }) {
  const { org, slug, ref } = useSkillAddress();
  const skill = useSkill();
  const changed = useChanged(ref);
  const confirm = async () => {
    await revertSkill(ref, semver);
    await changed();
  };
  return (
    <ConfirmDialog
      title={`Revert to ${semver}`}
      action={`Revert to ${semver}`}
      run={confirm}
      onClose={onClose}
    >
      <p>
        Version {semver} becomes current in place of {skill.currentSemver}: installs without a pin get it with
        their next update. No version is created or removed, and you can revert to {skill.currentSemver}{" "}
        later.
      </p>
      <ReachNote skillRef={ref} semver={semver} can={skill.can} plan={revertReachQuery(ref, semver)} />
      <Command text={commandLine("svc", "revert", `${org}/${slug}`, "--to", semver)} />
    </ConfirmDialog>
  );
}

interface Props {
  version: Version;
  onClose: () => void;
}

/** Sets, changes or removes the advice against a version. */
export function DeprecateDialog({ version, onClose }: Props) {
  const { ref } = useSkillAddress();
  const skill = useSkill();
  const changed = useChanged(ref);
  const [text, setText] = useState(version.deprecated ?? "");
  const isRemoval = text.trim() === "";
  const confirm = async () => {
    await markVersion(ref, version.semver, { deprecated: isRemoval ? null : text.trim() });
    await changed();
  };
  return (
    <ConfirmDialog
      title={`Deprecate ${version.semver}`}
      action={isRemoval && version.deprecated !== undefined ? "Remove deprecation" : "Deprecate"}
      run={confirm}
      onClose={onClose}
    >
      <p>Installs keep working. Everyone who installs this version is shown your message.</p>
      <ReachNote skillRef={ref} semver={version.semver} can={skill.can} />
      <TextInput
        label="Message"
        description="State the remedy, such as the version to use instead."
        value={text}
        maxLength={limits.deprecation}
        required={version.deprecated === undefined}
        onChange={(event) => setText(event.currentTarget.value)}
      />
    </ConfirmDialog>
  );
}

/** Yanks a version, or undoes that. */
export function YankDialog({ version, onClose }: Props) {
  const { ref } = useSkillAddress();
  const skill = useSkill();
  const changed = useChanged(ref);
  const [reason, setReason] = useState("");
  const [deletes, setDeletes] = useState(false);
  const { channels = [] } = version;
  const confirm = async () => {
    const why = reason.trim() === "" ? undefined : reason.trim();
    await markVersion(
      ref,
      version.semver,
      version.yanked ? { yanked: false } : { yanked: true, reason: why, force: deletes || undefined },
    );
    await changed();
  };
  const action = version.yanked ? "Undo yank" : "Yank";
  return (
    <ConfirmDialog
      title={`${action} ${version.semver}`}
      action={action}
      isDangerous={!version.yanked}
      isReady={channels.length === 0 || deletes}
      run={confirm}
      onClose={onClose}
    >
      {version.yanked ? (
        <p>Ranges and new installs can resolve to version {version.semver} again.</p>
      ) : (
        <>
          <p>
            Only its number or exact semver selects a yanked version; ranges skip it. Copies that are
            installed stay.
            {version.current && " The previous release becomes current, if there is one."} You can undo this.
          </p>
          {channels.length > 0 && (
            <Checkbox
              label={`Delete the channel${channels.length === 1 ? "" : "s"} ${listText(channels)}`}
              description="Instead, you can point it to another version before you yank this one."
              checked={deletes}
              onChange={(event) => setDeletes(event.currentTarget.checked)}
            />
          )}
          <ReachNote skillRef={ref} semver={version.semver} can={skill.can} />
          <TextInput
            label="Reason"
            description="For those who have it, or ask for it."
            value={reason}
            maxLength={limits.deprecation}
            onChange={(event) => setReason(event.currentTarget.value)}
          />
        </>
      )}
    </ConfirmDialog>
  );
}
