import { Button, Group, Modal, PasswordInput, TextInput } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { completeSignIn, signIn, type FactorProof } from "../../../api/account/second-factors.ts";
import { identityQuery, readSession, type Identity } from "../../../api/account/session.ts";
import { isUser } from "../../../api/account/sign-in-again.ts";
import { ApiError } from "../../../api/client.ts";
import { FactorForm } from "../../../parts/forms/factor-form.tsx";
import { fieldError, Form } from "../../../parts/forms/form.tsx";
import { Problem } from "../../../parts/states/problem.tsx";
import { beginDrafts } from "../../editor/drafts/drafts.ts";

const fields = ["email", "password"] as const;

/** The sign-in over a page whose session has ended. What was typed below it stays, and its request continues. */
export function SignInAgain({ onDone }: { onDone: (isSignedIn: boolean) => void }) {
  const client = useQueryClient();
  const { data: identity } = useQuery({ ...identityQuery, enabled: false });
  const finish = (user: Identity) => {
    // Another user must neither see what was loaded nor send what the first one typed.
    if (!isUser(user.id)) {
      location.reload();
      return;
    }
    beginDrafts(user.id);
    client.setQueryData(identityQuery.queryKey, user);
    onDone(true);
  };
  const enter = useMutation({
    mutationFn: signIn,
    onSuccess: (result) => "ticket" in result || finish(result),
  });
  const ticket = enter.data && "ticket" in enter.data ? enter.data.ticket : "";
  const complete = useMutation({
    mutationFn: (proof: FactorProof) => completeSignIn(ticket, proof),
    onSuccess: finish,
    // The ticket is over: the password is asked for again.
    onError: (error) => error instanceof ApiError && error.details["reason"] === "ticket" && enter.reset(),
  });
  const leave = () => onDone(false);
  return (
    <Modal opened onClose={leave} title="Sign in again" closeOnClickOutside={false} zIndex={500}>
      <div className="stack gap-4" data-mantine-stop-propagation>
        <p className="sub">
          Your session has ended. What you typed is kept, and the page continues after the sign-in.
        </p>
        {enter.data && "ticket" in enter.data ? (
          <FactorForm
            label="Second factor"
            kinds={enter.data.mfaRequired}
            ticket={ticket}
            cancel="Continue signed out"
            error={complete.error}
            isPending={complete.isPending}
            onProof={(proof) => complete.mutate(proof)}
            onCancel={leave}
          />
        ) : (
          <>
            <PasswordStep email={identity?.email ?? ""} {...{ enter, leave }} expired={complete.error} />
            <OtherTab onDone={finish} />
          </>
        )}
      </div>
    </Modal>
  );
}

/** The sign-in through an identity provider or a passkey leaves the page, so it is done in another tab. */
function OtherTab({ onDone }: { onDone: (user: Identity) => void }) {
  const read = useMutation({
    mutationFn: () => readSession(),
    onSuccess: (user) => user && onDone(user),
  });
  return (
    <div className="stack gap-3">
      <p className="sub">
        Do you sign in with single sign-on?{" "}
        <a href="/sign-in" target="_blank" rel="noopener">
          Sign in in a new tab
        </a>
        , then continue here.
      </p>
      {read.data === null && (
        <p role="alert">You are not signed in yet: complete the sign-in in the other tab.</p>
      )}
      <Problem error={read.error} />
      <div className="row end">
        <Button size="xs" variant="default" loading={read.isPending} onClick={() => read.mutate()}>
          I have signed in
        </Button>
      </div>
    </div>
  );
}

interface PasswordProps {
  email: string;
  enter: {
    error: Error | null;
    isPending: boolean;
    mutate: (body: { email: string; password: string }) => void;
  };
  /** The end of an earlier attempt. */
  expired: Error | null;
  leave: () => void;
}

function PasswordStep({ email, enter, expired, leave }: PasswordProps) {
  return (
    <Form
      label="Sign in again"
      error={enter.error}
      onSubmit={(values) =>
        enter.mutate({ email: values["email"] ?? "", password: values["password"] ?? "" })
      }
    >
      <Problem error={enter.error ?? expired} fields={fields} />
      <TextInput
        name="email"
        type="email"
        label="E-mail"
        autoComplete="username"
        defaultValue={email}
        required
        error={fieldError(enter.error, "email")}
      />
      <PasswordInput
        name="password"
        label="Password"
        autoComplete="current-password"
        required
        data-autofocus
        error={fieldError(enter.error, "password")}
      />
      <Group justify="flex-end">
        <Button variant="default" onClick={leave}>
          Continue signed out
        </Button>
        <Button type="submit" loading={enter.isPending}>
          Sign in
        </Button>
      </Group>
    </Form>
  );
}
