import { ActionIcon, Menu } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Ellipsis } from "lucide-react";
import { useState } from "react";
import { identityQuery } from "../../../api/account/session.ts";
import type { AdminUser } from "../../../api/admin.ts";
import { UserDialog, type UserAction } from "./user-dialog.tsx";

interface Item {
  action: UserAction;
  label: string;
  isDangerous?: boolean;
}

/** The actions that the state of an account allows. */
function itemsFor({ isAdministrator, suspended, hasSecondFactor }: AdminUser): Item[] {
  const right: Item = isAdministrator
    ? { action: "remove-administrator", label: "Remove administrator", isDangerous: true }
    : { action: "grant-administrator", label: "Make administrator" };
  if (suspended) return [{ action: "restore", label: "Restore" }];
  return [
    { action: "end-sessions", label: "End sessions" },
    ...(hasSecondFactor
      ? [{ action: "reset-factors", label: "Reset second factors", isDangerous: true } as const]
      : []),
    right,
    ...(isAdministrator ? [] : [{ action: "suspend", label: "Suspend", isDangerous: true } as const]),
  ];
}

/** Actions of an administrator on an account. */
export function UserMenu({ user }: { user: AdminUser }) {
  const { data: identity } = useQuery(identityQuery);
  const [asked, setAsked] = useState<UserAction>();
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${user.username}`}>
            <Ellipsis size={16} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {itemsFor(user).map(({ action, label, isDangerous }) => (
            <Menu.Item key={action} color={isDangerous ? "red" : undefined} onClick={() => setAsked(action)}>
              {label}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      {asked && (
        <UserDialog
          action={asked}
          user={user}
          isSelf={identity?.id === user.id}
          onClose={() => setAsked(undefined)}
        />
      )}
    </>
  );
}
