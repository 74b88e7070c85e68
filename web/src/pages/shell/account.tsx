import { ActionIcon, useMantineColorScheme, useComputedColorScheme } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Keyboard, Moon, Sun } from "lucide-react";
import { identityQuery } from "../../api/session.ts";
import { Initials } from "../../parts/avatar.tsx";

/** The foot of the navigation: the user, the list of keys and the color scheme. */
export function Account({ onKeys }: { onKeys: () => void }) {
  const { data: identity } = useQuery(identityQuery);
  const { setColorScheme } = useMantineColorScheme();
  const isDark = useComputedColorScheme("light") === "dark";
  return (
    <div className="foot">
      {identity ? (
        <>
          <Initials name={identity.name} />
          <span className="grow clip">{identity.username}</span>
        </>
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
