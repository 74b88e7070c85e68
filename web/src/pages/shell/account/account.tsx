import { ActionIcon, useComputedColorScheme, useMantineColorScheme } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { ChevronsUpDown, Keyboard, Moon, Sun } from "lucide-react";
import { lazy } from "react";
import { identityQuery, type Identity } from "../../../api/account/session.ts";
import { Initials } from "../../../parts/avatar.tsx";
import { MenuButton } from "../menu-button.tsx";

/** The foot of the navigation: the user, the list of keys and the color scheme. */
export function Account({ onKeys }: { onKeys: () => void }) {
  const { data: identity } = useQuery(identityQuery);
  const { setColorScheme } = useMantineColorScheme();
  const isDark = useComputedColorScheme("light") === "dark";
  return (
    <div className="account-bar">
      {identity ? (
        <AccountButton identity={identity} />
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

const loadMenu = () => import("./account-menu.tsx");
const AccountMenu = lazy(async () => ({ default: (await loadMenu()).AccountMenu }));

function AccountButton({ identity }: { identity: Identity }) {
  return (
    <MenuButton
      className="account-button grow row"
      onLikely={() => void loadMenu()}
      renderMenu={(button) => <AccountMenu identity={identity} button={button} />}
    >
      <Initials name={identity.name} />
      <span className="grow clip">{identity.username}</span>
      <ChevronsUpDown size={14} />
    </MenuButton>
  );
}
