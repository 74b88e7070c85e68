import { useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { identityQuery } from "../../../api/account/session.ts";
import {
  endSessionsOf,
  grantAdministrator,
  removeAdministrator,
  resetFactorsOf,
  restoreUser,
  suspendUser,
  type AdminUser,
} from "../../../api/admin.ts";
import { ReasonDialog } from "../reason-dialog.tsx";

export type UserAction =
  | "suspend"
  | "restore"
  | "end-sessions"
  | "reset-factors"
  | "grant-administrator"
  | "remove-administrator";

interface Text {
  title: (username: string) => string;
  action: string;
  isDangerous?: boolean;
  run: (id: string, reason: string) => Promise<AdminUser>;
  effect: ReactNode;
}

const texts: Record<UserAction, Text> = {
  suspend: {
    title: (username) => `Suspend ${username}`,
    action: "Suspend",
    isDangerous: true,
    run: suspendUser,
    effect:
      "Sessions and personal tokens end with the next request, and no one can sign in to the account. Memberships and skills stay. You can restore the account.",
  },
  restore: {
    title: (username) => `Restore ${username}`,
    action: "Restore",
    run: restoreUser,
    effect: "The owner can sign in again. Previous sessions and tokens stay ended.",
  },
  "end-sessions": {
    title: (username) => `End sessions of ${username}`,
    action: "End sessions",
    run: endSessionsOf,
    effect: "Every browser has to sign in again. API tokens keep working.",
  },
  "reset-factors": {
    title: (username) => `Reset the second factors of ${username}`,
    action: "Reset factors",
    isDangerous: true,
    run: resetFactorsOf,
    effect:
      "Passkeys, the authenticator app and recovery codes are removed, and every session ends. The password alone then signs in: make sure that you know who asks. An e-mail tells the owner.",
  },
  "grant-administrator": {
    title: (username) => `Make ${username} an administrator`,
    action: "Make administrator",
    run: grantAdministrator,
    effect:
      "The account gets all pages of the administration, and can make others administrators. It gets no access to organizations or their skills.",
  },
  "remove-administrator": {
    title: (username) => `Remove ${username} as an administrator`,
    action: "Remove administrator",
    isDangerous: true,
    run: removeAdministrator,
    effect: "The right ends with the next request. At least one administrator always remains.",
  },
};

interface Props {
  action: UserAction;
  user: AdminUser;
  isSelf: boolean;
  onClose: () => void;
}

/** Asks for the reason of an action on an account, and performs it. */
export function UserDialog({ action, user, isSelf, onClose }: Props) {
  const client = useQueryClient();
  const { title, run, effect, ...text } = texts[action];
  const refresh = () =>
    Promise.all([
      client.invalidateQueries({ queryKey: ["/api/admin/users"] }),
      client.invalidateQueries({ queryKey: ["/api/admin/audit-log"] }),
      ...(isSelf ? [client.invalidateQueries({ queryKey: identityQuery.queryKey })] : []),
    ]);
  return (
    <ReasonDialog
      {...text}
      title={title(user.username)}
      run={async (reason) => {
        await run(user.id, reason);
        void refresh();
      }}
      onClose={onClose}
    >
      <p>{effect}</p>
      {isSelf && <p className="note warn">This is your own account.</p>}
    </ReasonDialog>
  );
}
