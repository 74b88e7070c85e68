import { ActionIcon, Menu } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import {
  BadgeCheck,
  Ban,
  Download,
  Ellipsis,
  GitCompare,
  RotateCcw,
  Signpost,
  Trash2,
  TriangleAlert,
} from "lucide-react";
import { useState } from "react";
import { packageAddress, type Version } from "../../../api/skills/skills.ts";
import { useRights, useSkill, useSkillAddress } from "../context.ts";
import { DeleteChannelDialog, SetChannelDialog } from "./channel-dialogs.tsx";
import { OriginDialog } from "./origin-dialog.tsx";
import { DeprecateDialog, RevertDialog, YankDialog } from "./version-dialogs.tsx";

type Dialog = "origin" | "revert" | "deprecate" | "yank" | "channel" | { deletedChannel: string };

/** The menu of a version: comparison and download for everyone, changes for those who may publish. */
export function VersionActions({ version }: { version: Version }) {
  const { org, slug, ref } = useSkillAddress();
  const skill = useSkill();
  const { canUpdate } = useRights();
  const navigate = useNavigate();
  const [dialog, setDialog] = useState<Dialog>();
  const close = () => setDialog(undefined);
  const { semver } = version;
  const isHidden = version.state === "held" || version.state === "rejected";
  const canRevert = canUpdate && !version.current && !version.prerelease && !version.yanked && !isHidden;
  return (
    <>
      <Menu position="bottom-end" width={240}>
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${semver}`}>
            <Ellipsis size={16} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {!version.current && (
            <Menu.Item
              leftSection={<GitCompare size={16} />}
              onClick={() =>
                void navigate({ href: `/${org}/${slug}/compare/${semver}...${skill.currentSemver}` })
              }
            >
              Compare with current
            </Menu.Item>
          )}
          <Menu.Item component="a" href={packageAddress(ref, semver)} leftSection={<Download size={16} />}>
            Download as zip
          </Menu.Item>
          <Menu.Item leftSection={<BadgeCheck size={16} />} onClick={() => setDialog("origin")}>
            Origin
          </Menu.Item>
          {canRevert && (
            <Menu.Item leftSection={<RotateCcw size={16} />} onClick={() => setDialog("revert")}>
              Revert to {semver}
            </Menu.Item>
          )}
          {canUpdate && !isHidden && (
            <>
              <Menu.Divider />
              {!version.yanked && (
                <Menu.Item leftSection={<Signpost size={16} />} onClick={() => setDialog("channel")}>
                  Point a channel here
                </Menu.Item>
              )}
              {version.channels?.map((name) => (
                <Menu.Item
                  key={name}
                  leftSection={<Trash2 size={16} />}
                  onClick={() => setDialog({ deletedChannel: name })}
                >
                  Delete the channel {name}
                </Menu.Item>
              ))}
              <Menu.Item leftSection={<TriangleAlert size={16} />} onClick={() => setDialog("deprecate")}>
                {version.deprecated === undefined ? "Deprecate" : "Change or remove deprecation"}
              </Menu.Item>
              <Menu.Item
                c={version.yanked ? undefined : "var(--danger)"}
                leftSection={<Ban size={16} />}
                onClick={() => setDialog("yank")}
              >
                {version.yanked ? "Undo yank" : "Yank"}
              </Menu.Item>
            </>
          )}
        </Menu.Dropdown>
      </Menu>
      {dialog === "origin" && <OriginDialog semver={semver} onClose={close} />}
      {dialog === "revert" && <RevertDialog semver={semver} onClose={close} />}
      {dialog === "deprecate" && <DeprecateDialog version={version} onClose={close} />}
      {dialog === "channel" && <SetChannelDialog semver={semver} onClose={close} />}
      {typeof dialog === "object" && <DeleteChannelDialog name={dialog.deletedChannel} onClose={close} />}
      {dialog === "yank" && <YankDialog version={version} onClose={close} />}
    </>
  );
}
