import { Button, PasswordInput } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { passwordStrength } from "../../../../../contract/checks/password-strength.ts";
import { limits } from "../../../../../contract/limits.ts";
import { changePassword, sessionsQuery } from "../../../api/account/account.ts";
import { identityQuery } from "../../../api/account/session.ts";
import { fieldError, Form } from "../../../parts/forms/form.tsx";
import { ChoosePassword } from "../../../parts/proof/choose-password.tsx";
import { Problem } from "../../../parts/states/problem.tsx";

const tones = { good: "ok", bad: "danger", "": "" };
const fields = ["currentPassword", "newPassword"] as const;

export function PasswordForm() {
  const client = useQueryClient();
  const [typed, setTyped] = useState("");
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
            change.mutate(
              { currentPassword, newPassword },
              {
                onSuccess: () => {
                  form.reset();
                  setTyped("");
                },
              },
            )
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
          <div>
            <PasswordInput
              name="newPassword"
              label="New password"
              description={`At least ${limits.password.min} characters. You are signed out of all other sessions; tokens remain valid.`}
              autoComplete="new-password"
              minLength={limits.password.min}
              maxLength={limits.password.max}
              required
              error={fieldError(change.error, "newPassword")}
              onChange={(event) => setTyped(event.currentTarget.value)}
            />
            <Strength value={typed} />
          </div>
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

/** How strong a new password is, by the rule of the sign-up. */
function Strength({ value }: { value: string }) {
  const { data: identity } = useQuery({ ...identityQuery, enabled: false });
  const own = identity ? [identity.name, identity.username, identity.email] : [];
  const strength = passwordStrength(value, limits.password.min, own);
  return (
    <p role="status" className={`meta ${strength ? tones[strength.tone] : ""}`}>
      {strength && `Strength: ${strength.text}`}
    </p>
  );
}

export const NoPassword = () => (
  <section className="panel" aria-labelledby="password-heading">
    <header>
      <h2 id="password-heading">Password</h2>
    </header>
    <div className="body stack gap-4">
      <p className="sub">
        Your account has none: you sign in through your identity provider. With a password, you can also sign
        in without the provider.
      </p>
      <ChoosePassword />
    </div>
  </section>
);
