import { useQuery } from "@tanstack/react-query";
import { createFileRoute } from "@tanstack/react-router";
import { factorsQuery } from "../../api/account/second-factors.ts";
import { DeleteAccount } from "./delete-account.tsx";
import { EmailForm } from "./email-form.tsx";
import { SettingsPage } from "./frame.tsx";
import { NoPassword, PasswordForm } from "./security/password-form.tsx";

export const Route = createFileRoute("/settings/account")({ component: AccountPage });

function AccountPage() {
  // An account that an identity provider has created has no password; until this is known, it counts as having one.
  const hasPassword = useQuery(factorsQuery).data?.hasPassword !== false;
  return (
    <SettingsPage title="Account" about="Your address, your password, and the end of the account.">
      {(identity) => (
        <>
          <EmailForm identity={identity} hasPassword={hasPassword} />
          {hasPassword ? <PasswordForm /> : <NoPassword />}
          <DeleteAccount identity={identity} hasPassword={hasPassword} />
        </>
      )}
    </SettingsPage>
  );
}
