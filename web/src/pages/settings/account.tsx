import { createFileRoute } from "@tanstack/react-router";
import { DeleteAccount } from "./delete-account.tsx";
import { EmailForm } from "./email-form.tsx";
import { SettingsPage } from "./frame.tsx";
import { PasswordForm } from "./password-form.tsx";

export const Route = createFileRoute("/settings/account")({ component: AccountPage });

function AccountPage() {
  return (
    <SettingsPage title="Account" about="Your address, your password, and the end of the account.">
      {(identity) => (
        <>
          <EmailForm identity={identity} />
          <PasswordForm />
          <DeleteAccount identity={identity} />
        </>
      )}
    </SettingsPage>
  );
}
