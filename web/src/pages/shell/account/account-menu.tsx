import { Menu } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { LogOut, Palette, Shield, UserRound, Wrench } from "lucide-react";
import type { ReactElement } from "react";
import { signOut, type Identity } from "../../../api/account/session.ts";
import { iconProps } from "../../../parts/icon.ts";
import { endDrafts } from "../../editor/drafts/drafts.ts";
import { OpenedMenu } from "../opened-menu.tsx";

interface Props {
  identity: Identity;
  button: ReactElement<{ ref?: unknown }>;
}

/** The pages about the user, the administration, and the end of the session. */
export function AccountMenu({ identity, button }: Props) {
  const navigate = useNavigate();
  const open = (href: string) => () => void navigate({ href });
  const client = useQueryClient();
  const leave = async () => {
    await client.cancelQueries();
    await signOut();
    await endDrafts(identity.id);
    location.assign("/");
  };
  return (
    <OpenedMenu position="top-start" button={button}>
      <Menu.Label>{identity.email}</Menu.Label>
      <Menu.Item leftSection={<UserRound {...iconProps} />} onClick={open("/settings/profile")}>
        Settings
      </Menu.Item>
      <Menu.Item leftSection={<Shield {...iconProps} />} onClick={open("/settings/security")}>
        Security
      </Menu.Item>
      <Menu.Item leftSection={<Palette {...iconProps} />} onClick={open("/settings/appearance")}>
        Appearance
      </Menu.Item>
      {identity.isAdministrator && (
        <Menu.Item leftSection={<Wrench {...iconProps} />} onClick={open("/admin")}>
          Administration
        </Menu.Item>
      )}
      <Menu.Divider />
      <Menu.Item leftSection={<LogOut {...iconProps} />} onClick={() => void leave()}>
        Sign out
      </Menu.Item>
    </OpenedMenu>
  );
}
