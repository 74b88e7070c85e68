import { ActionIcon, Menu, useComputedColorScheme, useMantineColorScheme } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import {
  ChevronsUpDown,
  Keyboard,
  LogOut,
  Moon,
  Palette,
  Shield,
  Sun,
  UserRound,
  Wrench,
} from "lucide-react";
import { identityQuery, signOut, type Identity } from "../../api/session.ts";
import { Initials } from "../../parts/avatar.tsx";
import { iconProps } from "../../parts/icon.ts";
import { endDrafts } from "../editor/drafts/drafts.ts";

/** The foot of the navigation: the user, the list of keys and the color scheme. */
export function Account({ onKeys }: { onKeys: () => void }) {
  const { data: identity } = useQuery(identityQuery);
  const { setColorScheme } = useMantineColorScheme();
  const isDark = useComputedColorScheme("light") === "dark";
  return (
    <div className="foot">
      {identity ? (
        <AccountMenu identity={identity} />
      ) : (
        <a className="grow" href="/sign-in">
          Sign in
        </a>
      )}
      <ActionIcon variant="subtle" color="gray" aria-label="Keyboard shortcuts" onClick={onKeys}>
        <Keyboard size={16} />
      </ActionIcon>
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={isDark ? "Use the light color scheme" : "Use the dark color scheme"}
        onClick={() => setColorScheme(isDark ? "light" : "dark")}
      >
        {isDark ? <Sun size={16} /> : <Moon size={16} />}
      </ActionIcon>
    </div>
  );
}

function AccountMenu({ identity }: { identity: Identity }) {
  const navigate = useNavigate();
  const open = (href: string) => () => void navigate({ href });
  const leave = async () => {
    await signOut();
    await endDrafts(identity.id);
    location.assign("/");
  };
  return (
    <Menu position="top-start" width={220}>
      <Menu.Target>
        <button type="button" className="me grow row">
          <Initials name={identity.name} />
          <span className="grow clip">{identity.username}</span>
          <ChevronsUpDown size={14} />
        </button>
      </Menu.Target>
      <Menu.Dropdown>
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
          <Menu.Item leftSection={<Wrench {...iconProps} />} component="a" href="/admin">
            Administration
          </Menu.Item>
        )}
        <Menu.Divider />
        <Menu.Item leftSection={<LogOut {...iconProps} />} onClick={() => void leave()}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
