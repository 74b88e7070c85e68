import { Button, PasswordInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { limits } from "../../../../contract/limits.ts";
import { changePassword, sessionsQuery } from "../../api/account.ts";
import { fieldError, Form } from "../../parts/form.tsx";
import { Problem } from "../../parts/problem.tsx";
import { ChoosePassword } from "../../parts/proof/choose-password.tsx";

const fields = ["currentPassword", "newPassword"] as const;

export function PasswordForm() {
  const client = useQueryClient();
  const change = useMutation({
    mutationFn: changePassword,
    onSuccess: () => client.invalidateQueries({ queryKey: sessionsQuery.queryKey }),
  });
  return (
    <section className="panel" aria-labelledby="password-heading">
      <header>
        <h2 id="password-heading">Password</h2>
      </header>
      <div className="body">
        <Form
          label="Change password"
          error={change.error}
          onSubmit={({ currentPassword = "", newPassword = "" }, form) =>
            change.mutate({ currentPassword, newPassword }, { onSuccess: () => form.reset() })
          }
        >
          <Problem error={change.error} fields={fields} />
          <PasswordInput
            name="currentPassword"
            label="Current password"
            autoComplete="current-password"
            required
            error={fieldError(change.error, "currentPassword")}
          />
          <PasswordInput
            name="newPassword"
            label="New password"
            description={`At least ${limits.password.min} characters. All other sessions end; tokens stay.`}
            autoComplete="new-password"
            minLength={limits.password.min}
            maxLength={limits.password.max}
            required
            error={fieldError(change.error, "newPassword")}
          />
          <div className="row">
            <Button type="submit" variant="default" loading={change.isPending}>
              Change password
            </Button>
            <span role="status" className="meta">
              {change.isSuccess && "Changed. Your other sessions have ended."}
            </span>
          </div>
        </Form>
      </div>
    </section>
  );
}

export const NoPassword = () => (
  <section className="panel" aria-labelledby="password-heading">
    <header>
      <h2 id="password-heading">Password</h2>
    </header>
    <div className="body stack gap-4">
      <p className="sub">
        Your account has none: you sign in by your identity provider. With a password, you can also sign in
        without the provider.
      </p>
      <ChoosePassword />
    </div>
  </section>
);
