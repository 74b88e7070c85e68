import { TextInput } from "@mantine/core";
import { useId, useState } from "react";
import { isChannelName } from "../../../../../contract/names/channel-name.ts";
import { channelReachQuery } from "../../../api/skills/reach.ts";
import { deleteChannel, setChannel } from "../../../api/skills/versions.ts";
import { Command } from "../../../parts/copy/command.tsx";
import { commandLine } from "../../../parts/copy/shell.ts";
import { ConfirmDialog } from "../../../parts/forms/confirm-dialog.tsx";
import { ReachNote } from "../../../parts/reach/reach-note.tsx";
import { useSkill, useSkillAddress } from "../context.ts";
import { useChanged } from "../use-changed.ts";

interface Props {
  semver: string;
  onClose: () => void;
}

/** Makes a channel point to a version. A new name creates the channel. */
export function SetChannelDialog({ semver, onClose }: Props) {
  const { org, slug, ref } = useSkillAddress();
  const { channels = [], can } = useSkill();
  const changed = useChanged(ref);
  const names = useId();
  const [text, setText] = useState("");
  const name = text.trim();
  const known = channels.find((channel) => channel.name === name);
  const isValid = isChannelName(name);
  const confirm = async () => {
    await setChannel(ref, name, semver);
    await changed();
  };
  return (
    <ConfirmDialog
      title={`Point a channel to ${semver}`}
      action={known ? "Move channel" : "Create channel"}
      isReady={isValid && known?.semver !== semver}
      run={confirm}
      onClose={onClose}
    >
      <p>
        Installs that are pinned to the channel get version {semver} with their next update
        {known?.semver ? `, in place of ${known.semver}` : ""}.
      </p>
      <ReachNote
        skillRef={ref}
        semver={semver}
        can={can}
        plan={known ? channelReachQuery(ref, name, semver) : undefined}
      />
      <TextInput
        label="Channel"
        description="The name of an existing channel, or a new one, such as stable or beta."
        value={text}
        list={names}
        maxLength={32}
        autoComplete="off"
        spellCheck={false}
        required
        error={
          name !== "" &&
          !isValid &&
          "Use lower-case letters, digits and hyphens, beginning with a letter, and not the form of a version."
        }
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <datalist id={names}>
        {channels.map((channel) => (
          <option key={channel.name} value={channel.name}>
            {channel.name}
          </option>
        ))}
      </datalist>
      {isValid && <Command text={commandLine("svc", "channel", "set", `${org}/${slug}`, name, semver)} />}
    </ConfirmDialog>
  );
}

/** Deletes a channel. */
export function DeleteChannelDialog({ name, onClose }: { name: string; onClose: () => void }) {
  const { org, slug, ref } = useSkillAddress();
  const { channels = [], can } = useSkill();
  const semver = channels.find((channel) => channel.name === name)?.semver;
  const changed = useChanged(ref);
  const confirm = async () => {
    await deleteChannel(ref, name);
    await changed();
  };
  return (
    <ConfirmDialog
      title={`Delete the channel ${name}`}
      action="Delete channel"
      isDangerous
      run={confirm}
      onClose={onClose}
    >
      <p>
        Installs that are pinned to {name} keep the version that they have and get no updates. The version
        that the channel points to stays. You can create the channel again.
      </p>
      {semver && <ReachNote skillRef={ref} semver={semver} can={can} />}
      <Command text={commandLine("svc", "channel", "delete", `${org}/${slug}`, name)} />
    </ConfirmDialog>
  );
}
