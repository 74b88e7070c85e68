import { ActionIcon, Button, CopyButton, Menu } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Copy, Download, Ellipsis, Link2, Share2 } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { identityQuery } from "../../api/account/session.ts";
import { packageAddress, type Skill } from "../../api/skills/skills.ts";
import { useSkillAddress } from "./context.ts";

const ShareDialog = lazy(async () => ({ default: (await import("./share/dialog.tsx")).ShareDialog }));
const CopyDialog = lazy(async () => ({ default: (await import("./copy/dialog.tsx")).CopyDialog }));

/** Copies the address of the shown version. */
export function CopyLink() {
  const { org, slug, version } = useSkillAddress();
  const query = version === undefined ? "" : `?version=${encodeURIComponent(version)}`;
  return (
    <CopyButton value={`${location.origin}/${org}/${slug}${query}`}>
      {({ copied, copy }) => (
        <Button
          className="hidden-on-phones"
          size="xs"
          variant="default"
          leftSection={<Link2 size={14} />}
          onClick={copy}
        >
          {copied ? "Copied" : "Copy link"}
        </Button>
      )}
    </CopyButton>
  );
}

export function ShareButton({ skill }: { skill: Skill }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button variant="default" leftSection={<Share2 size={16} />} onClick={() => setOpen(true)}>
        Share
      </Button>
      {isOpen && (
        <Suspense>
          <ShareDialog skill={skill} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}

export function MoreMenu({ skill }: { skill: Skill }) {
  const { ref, version } = useSkillAddress();
  const { data: identity } = useQuery(identityQuery);
  const [isCopying, setCopying] = useState(false);
  const semver = version ?? skill.currentSemver;
  return (
    <>
      <Menu position="bottom-end" width={240}>
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" aria-label="More actions">
            <Ellipsis size={16} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item component="a" href={packageAddress(ref, semver)} leftSection={<Download size={16} />}>
            Download {semver} as zip
          </Menu.Item>
          {identity && identity.memberships.length > 0 && !skill.takedown && (
            <Menu.Item leftSection={<Copy size={16} />} onClick={() => setCopying(true)}>
              Copy to an organization
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      {isCopying && (
        <Suspense>
          <CopyDialog skill={skill} semver={semver} onClose={() => setCopying(false)} />
        </Suspense>
      )}
    </>
  );
}
