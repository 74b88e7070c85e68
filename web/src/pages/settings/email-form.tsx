import { Button, PasswordInput, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { CircleCheck, MailWarning } from "lucide-react";
import { changeEmail, resendConfirmation } from "../../api/account/account.ts";
import type { Identity } from "../../api/account/session.ts";
import { fieldError, Form } from "../../parts/forms/form.tsx";
import { Problem } from "../../parts/states/problem.tsx";
import { Time } from "../../parts/text/time.tsx";

const fields = ["email", "password"] as const;

/** The address of the account. A new one counts from the moment in which its owner follows the link sent there. */
export function EmailForm({ identity, hasPassword }: { identity: Identity; hasPassword: boolean }) {
  const change = useMutation({ mutationFn: changeEmail });
  return (
    <section className="panel" aria-labelledby="email-heading">
      <header>
        <h2 id="email-heading">E-mail</h2>
      </header>
      <div className="body stack gap-4">
        <p className="row wrap">
          <bdi>{identity.email}</bdi>
          {identity.emailVerified ? (
            <span className="badge ok">
              <CircleCheck className="icon" /> Confirmed
            </span>
          ) : (
            <Unconfirmed />
          )}
        </p>
        <Form
          label="Change e-mail"
          error={change.error}
          onSubmit={({ email = "", ...password }) => change.mutate({ email, ...password })}
        >
          <Problem error={change.error} fields={fields} />
          <TextInput
            name="email"
            type="email"
            label="New address"
            autoComplete="email"
            required
            error={fieldError(change.error, "email")}
          />
          {hasPassword && (
            <PasswordInput
              name="password"
              label="Password"
              autoComplete="current-password"
              required
              error={fieldError(change.error, "password")}
            />
          )}
          <div>
            <Button type="submit" variant="default" loading={change.isPending}>
              Send the confirmation
            </Button>
          </div>
          <p role="status" className="sub">
            {change.data && (
              <>
                A mail with a link went to <bdi>{change.data.email}</bdi>. Your address changes when you
                follow it; it expires <Time value={change.data.expiresAt} />.
              </>
            )}
          </p>
        </Form>
      </div>
    </section>
  );
}

function Unconfirmed() {
  const resend = useMutation({ mutationFn: resendConfirmation });
  return (
    <>
      <span className="badge warn">
        <MailWarning className="icon" /> Not confirmed
      </span>
      <Button variant="default" size="xs" loading={resend.isPending} onClick={() => resend.mutate()}>
        Send the link again
      </Button>
      <span role="status" className="meta">
        {resend.isSuccess && "Sent. Check the spam folder as well."}
        {resend.error?.message}
      </span>
    </>
  );
}
