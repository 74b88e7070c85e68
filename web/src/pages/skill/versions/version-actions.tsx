import { ActionIcon, Menu } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { Ban, Download, Ellipsis, GitCompare, RotateCcw, TriangleAlert } from "lucide-react";
import { useState } from "react";
import { packageAddress, type Version } from "../../../api/skills.ts";
import { useRights, useSkill, useSkillAddress } from "../context.ts";
import { DeprecateDialog, RevertDialog, YankDialog } from "./version-dialogs.tsx";

type Dialog = "revert" | "deprecate" | "yank";

/** The menu of a version: comparison and download for everyone, changes for those who may publish. */
export function VersionActions({ version }: { version: Version }) {
  const { org, slug, ref } = useSkillAddress();
  const skill = useSkill();
  const { canUpdate } = useRights();
  const navigate = useNavigate();
  const [dialog, setDialog] = useState<Dialog>();
  const close = () => setDialog(undefined);
  const { semver } = version;
  const canRevert = canUpdate && !version.current && !version.prerelease && !version.yanked;
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
          {canRevert && (
            <Menu.Item leftSection={<RotateCcw size={16} />} onClick={() => setDialog("revert")}>
              Revert to {semver}
            </Menu.Item>
          )}
          {canUpdate && (
            <>
              <Menu.Divider />
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
      {dialog === "revert" && <RevertDialog semver={semver} onClose={close} />}
      {dialog === "deprecate" && <DeprecateDialog version={version} onClose={close} />}
      {dialog === "yank" && <YankDialog version={version} onClose={close} />}
    </>
  );
}
