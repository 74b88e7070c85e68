import { TextInput } from "@mantine/core";
import { useState } from "react";
import { limits } from "../../../../../contract/limits.ts";
import { type Version } from "../../../api/skills.ts";
import { markVersion, revertSkill } from "../../../api/versions.ts";
import { ConfirmDialog } from "../../../parts/confirm-dialog.tsx";
import { Command } from "../../../parts/copy/command.tsx";
import { commandLine } from "../../../parts/copy/shell.ts";
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
  const changed = useChanged(ref);
  const confirm = async () => {
    await markVersion(ref, version.semver, { yanked: !version.yanked });
    await changed();
  };
  const action = version.yanked ? "Undo yank" : "Yank";
  return (
    <ConfirmDialog
      title={`${action} ${version.semver}`}
      action={action}
      isDangerous={!version.yanked}
      run={confirm}
      onClose={onClose}
    >
      {version.yanked ? (
        <p>Ranges and new installs can resolve to version {version.semver} again.</p>
      ) : (
        <p>
          Only its number or exact semver selects a yanked version; ranges skip it. Copies that are installed
          stay.
          {version.current && " The highest release below it becomes current."} You can undo this.
        </p>
      )}
    </ConfirmDialog>
  );
}
